"""A member's connections to the others, which tell who is alive, who is dead and who hangs."""

from elastic.workloads.session.links.hang_detector import HangDetector
from elastic.workloads.session.links.links import Links, Status

__all__ = ["HangDetector", "Links", "Status"]
