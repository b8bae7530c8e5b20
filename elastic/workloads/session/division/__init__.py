"""How each turn is divided over the ranks, by the time that each takes for a sample."""

from elastic.workloads.session.division.division import Division
from elastic.workloads.session.division.shares import Pace, fits, slice_of
from elastic.workloads.session.division.stopwatch import GpuStopwatch, Stopwatch

__all__ = ["Division", "GpuStopwatch", "Pace", "Stopwatch", "fits", "slice_of"]
