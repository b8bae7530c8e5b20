"""Reads what a node type has cost."""

from __future__ import annotations

from elastic.durations import HISTORY_DAYS
from elastic.errors import NotFound
from elastic.model import PriceHistory, histories
from elastic.store import Store

_DAY_S = 86_400.0


def price_histories(
    store: Store, node_type: str, *, days: float = HISTORY_DAYS, now_s: float
) -> tuple[PriceHistory, ...]:
    """The price history of each offering of a node type. Raises NotFound if there is none."""
    found = histories(
        store.past_prices.of_type(node_type), from_s=now_s - days * _DAY_S, to_s=now_s
    )
    if not found:
        raise NotFound(
            f"{node_type}: no price of it is known; `elasticd price ls` names what has prices"
        )
    return found
