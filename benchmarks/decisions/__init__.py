"""How well decisions are made, on recorded markets and experiments: see `python -m
benchmarks.decisions --help`."""
