"""The daemon's own reconciler, policy and store over a virtual cluster on a virtual clock."""

from elastic.simulator.availability_file import Availability, read_availability
from elastic.simulator.backtest import Backtest, backtest
from elastic.simulator.market import (
    SimulatedMarket,
    SimulatedPool,
    is_undescribed,
    market_of,
    read_node_types,
)
from elastic.simulator.program import Program, Speeds, read_speeds
from elastic.simulator.recorded import recorded
from elastic.simulator.simulation import (
    BEGINS_S,
    Simulation,
    SimulationSettings,
    bill_usd,
    lay_out,
    simulated,
)
from elastic.simulator.yardsticks import yardsticks

__all__ = [
    "BEGINS_S",
    "Availability",
    "Backtest",
    "Program",
    "SimulatedMarket",
    "SimulatedPool",
    "Simulation",
    "SimulationSettings",
    "Speeds",
    "backtest",
    "bill_usd",
    "is_undescribed",
    "lay_out",
    "market_of",
    "read_availability",
    "read_node_types",
    "read_speeds",
    "recorded",
    "simulated",
    "yardsticks",
]
