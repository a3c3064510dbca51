"""dlt's naming convention of the sources: snake_case, and no two names of another script become one.

dlt's own drops what isn't ASCII (`名前` and `部署` are both `x`) and most signs (`na!e` and `na%e` are both `na_e`). dlt
looks for a class of this name in the module that a schema names.
"""

from __future__ import annotations

import hashlib
import re

from dlt.common.normalizers.naming import snake_case

_LOSSLESS = re.compile(r"[A-Za-z0-9_ .\-]*")


class NamingConvention(snake_case.NamingConvention):
    """snake_case with a hash of the name behind it, where characters are lost."""

    def normalize_identifier(self, identifier: str) -> str:
        normalised: str = super().normalize_identifier(identifier)
        if _LOSSLESS.fullmatch(identifier):
            return normalised
        return f"{normalised}_{hashlib.sha256(identifier.encode()).hexdigest()[:8]}"
