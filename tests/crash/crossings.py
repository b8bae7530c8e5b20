"""The crash points: around launching, recording and ending, in the order in which an undisturbed
job crosses them."""

from __future__ import annotations

from tests.crash.points import Point

_NAMES = """
launch:within:submit_job:1
launch:after:submit_job:1
launch:within:intend_launch:1
launch:after:intend_launch:1
launch:after:CreateLaunchTemplate:1
launch:after:CreateLaunchTemplateVersion:1
launch:within:note_asked:1
launch:after:note_asked:1
launch:before:CreateFleet:1
launch:after:CreateFleet:1
launch:within:node_launched:1
launch:after:node_launched:1
launch:after:node_launched:2
launch:before:record_decision:1
launch:within:record_decision:1
launch:after:record_decision:1
launch:after:node_joined:1
launch:after:node_joined:2
launch:after:start_generation:1
launch:after:heard:2
move:after:intend_launch:1
move:after:note_asked:1
move:before:CreateFleet:1
move:after:CreateFleet:1
move:after:node_launched:1
move:before:record_decision:1
move:after:record_decision:1
move:after:node_joined:2
move:after:drain_generation:1
move:after:end_generation:1
move:after:start_generation:1
move:after:intend_end:1
move:after:TerminateInstances:1
move:within:node_gone:1
move:after:node_gone:1
end:after:request_stop:1
end:after:end_generation:1
end:before:TerminateInstances:1
end:after:TerminateInstances:1
end:after:TerminateInstances:2
end:after:node_gone:1
end:before:move_job:1
"""

POINTS = tuple(Point.parse(each) for each in _NAMES.split())
