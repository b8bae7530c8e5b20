"""The light world that tracks and backtests share; it lies in `elastic.simulator.light_world`."""

from elastic.simulator.light_world import (
    Policy,
    Spent,
    Task,
    TickMarket,
    TickNode,
    TickWorld,
    WantedGroup,
)

__all__ = ["Policy", "Spent", "Task", "TickMarket", "TickNode", "TickWorld", "WantedGroup"]
