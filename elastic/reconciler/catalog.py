"""What the provider says at one tick that it sells, or why it does not say."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.errors import ProviderError
from elastic.model import NodeType, Offering
from elastic.providers import Provider


@dataclass(frozen=True, slots=True)
class KnownCatalog:
    """Node types and offerings; neither is known while there is a `failure`."""

    node_types: tuple[NodeType, ...] = ()
    offerings: tuple[Offering, ...] = ()
    failure: ProviderError | None = None


def read_catalog(provider: Provider) -> KnownCatalog:
    """Asks once, so that a whole tick sees the same; what cannot be read keeps no job from being
    handled."""
    try:
        return KnownCatalog(provider.node_types(), provider.offerings())
    except ProviderError as error:
        return KnownCatalog(failure=error)
