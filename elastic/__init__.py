"""An elastic, cost-optimizing resource manager for PyTorch training: the most iterations a dollar
buys."""

__version__ = "0.1.0"
