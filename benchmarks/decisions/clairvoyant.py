"""The least that could have been spent; it lies in `elastic.simulator.clairvoyant`."""

from elastic.simulator.clairvoyant import GroupOption, Least, least, least_usd

__all__ = ["GroupOption", "Least", "least", "least_usd"]
