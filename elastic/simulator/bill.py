"""What machines cost by the cloud's own record and the true prices, without the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from elastic.providers import Instance
from elastic.simulator.market import SimulatedMarket


def bill_usd(
    machines: Iterable[Instance],
    market: SimulatedMarket,
    *,
    began_s: float,
    minimum_s: float,
    now_s: float,
) -> float:
    """Dollars of all machines by `now_s`: each second of each at the price in force then.

    `began_s` is when the market began; a machine is billed for at least `minimum_s`.
    """
    return sum(_machine_usd(each, market, began_s, minimum_s, now_s) for each in machines)


def _machine_usd(
    machine: Instance, market: SimulatedMarket, began_s: float, minimum_s: float, now_s: float
) -> float:
    from_s = machine.launched_at_s - began_s
    end_s = (now_s if machine.exited_at_s is None else machine.exited_at_s) - began_s
    # Cut its life where its price changed.
    cuts_s = [at_s for at_s, _ in market.prices[machine.offering] if from_s < at_s < end_s]
    usd = 0.0
    for begin_s, until_s in zip([from_s, *cuts_s], [*cuts_s, end_s], strict=True):
        usd += (until_s - begin_s) * market.usd_per_h(machine.offering, begin_s) / 3600
    missing_s = max(minimum_s - (end_s - from_s), 0.0)
    return usd + missing_s * market.usd_per_h(machine.offering, end_s) / 3600
