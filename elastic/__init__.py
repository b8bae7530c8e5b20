"""An elastic resource manager for PyTorch training that buys the most iterations per dollar."""

__version__ = "0.1.0"
