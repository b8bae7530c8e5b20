"""The light world that tracks and backtests share; it lies in `elastic.simulator.light_world`."""

from elastic.simulator.light_world import Machine, Market, Policy, Spent, Task, Wish, World

__all__ = ["Machine", "Market", "Policy", "Spent", "Task", "Wish", "World"]
