"""The least that could have been spent; it lies in `elastic.simulator.clairvoyant`."""

from elastic.simulator.clairvoyant import Choice, Least, least, least_usd

__all__ = ["Choice", "Least", "least", "least_usd"]
