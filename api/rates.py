"""Limits how much each node may send."""

from __future__ import annotations

import threading
from collections import OrderedDict

# Above it, the node that sent least recently is forgotten.
_MOST_NODES = 4096


class Rates:
    """A token bucket for each node, which fills at `per_s` and holds `most`. Thread-safe."""

    def __init__(self, *, per_s: float, most: float) -> None:
        self._per_s = per_s
        self._most = most
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, node_id: str, amount: float, *, now_s: float) -> bool:
        """Whether a node may send this amount now; if so, the amount is counted.

        >>> rates = Rates(per_s=1.0, most=10.0)
        >>> [rates.takes("n", 8.0, now_s=at_s) for at_s in (0.0, 1.0, 6.0)]
        [True, False, True]
        """
        with self._lock:
            # Popped and put back, so that the least recent sender stays first.
            at_s, left = self._left.pop(node_id, (now_s, self._most))
            left = min(self._most, left + self._per_s * max(0.0, now_s - at_s))
            is_taken = amount <= left
            self._left[node_id] = now_s, left - amount if is_taken else left
            if len(self._left) > _MOST_NODES:
                self._left.popitem(last=False)
            return is_taken
