"""The small warehouse of the snapshot tests is used here too."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "snapshot"))
