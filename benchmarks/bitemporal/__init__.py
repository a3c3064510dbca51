"""The parts of `benchmarks/belief.py`: the generated input, the stores, what is measured, and what is printed."""
