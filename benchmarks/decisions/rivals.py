"""The policies to be compared with; they lie in `elastic.simulator.rivals`."""

from elastic.simulator.rivals import RIVALS, Fleet

__all__ = ["RIVALS", "Fleet"]
