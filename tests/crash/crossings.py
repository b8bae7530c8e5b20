"""The crash points: around launching, recording and ending, in the order in which an undisturbed
job crosses them."""

from __future__ import annotations

from tests.crash.points import Point

_NAMES = """
launch:within:jobs.submit:1
launch:after:jobs.submit:1
launch:within:nodes.intend_launch:1
launch:after:nodes.intend_launch:1
launch:after:CreateLaunchTemplate:1
launch:after:CreateLaunchTemplateVersion:1
launch:within:nodes.note_asked:1
launch:after:nodes.note_asked:1
launch:before:CreateFleet:1
launch:after:CreateFleet:1
launch:within:nodes.launched:1
launch:after:nodes.launched:1
launch:after:nodes.launched:2
launch:before:decisions.record:1
launch:within:decisions.record:1
launch:after:decisions.record:1
launch:after:nodes.joined:1
launch:after:nodes.joined:2
launch:after:generations.start:1
launch:after:heartbeats.take_in:2
move:after:nodes.intend_launch:1
move:after:nodes.note_asked:1
move:before:CreateFleet:1
move:after:CreateFleet:1
move:after:nodes.launched:1
move:before:decisions.record:1
move:after:decisions.record:1
move:after:nodes.joined:2
move:after:generations.drain:1
move:after:generations.end:1
move:after:generations.start:1
move:after:nodes.intend_end:1
move:after:TerminateInstances:1
move:within:nodes.gone:1
move:after:nodes.gone:1
end:after:jobs.request_stop:1
end:after:generations.end:1
end:before:TerminateInstances:1
end:after:TerminateInstances:1
end:after:TerminateInstances:2
end:after:nodes.gone:1
end:before:jobs.move:1
"""

POINTS = tuple(Point.parse(each) for each in _NAMES.split())
