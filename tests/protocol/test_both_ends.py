"""What one end sends, the other takes: no message is accepted on one side of the wire and refused
on the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elastic.errors import InvalidInput
from elastic.protocol import (
    MESSAGES,
    SIGNS,
    Assignment,
    Heartbeat,
    HeartbeatReply,
    LogBatch,
    LogsStored,
    Registered,
    Registration,
    fault_of,
    from_json,
    outgoing,
    to_json,
)
from tests.protocol.messages import contents

OUTGOING = sorted(MESSAGES.keys() - SIGNS)
KINDS = (Registration, Registered, Heartbeat, HeartbeatReply, Assignment, LogBatch)


@pytest.mark.parametrize("kind", OUTGOING)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_worker_sends_what_the_agent_keeps_and_drops_what_it_would_refuse(
    kind: str, data: st.DataObject
) -> None:
    row = data.draw(contents(MESSAGES[kind], junk=data.draw(st.booleans()))) | {"kind": kind}
    fault = fault_of(row)
    try:
        outgoing(row)
        refusal = None
    except InvalidInput as error:
        refusal = str(error)
    assert (fault is None) == (refusal is None), f"the worker says {fault}, the agent {refusal}"


@pytest.mark.parametrize("kind", OUTGOING)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_what_fits_the_bounds_goes_through_both_ends(kind: str, data: st.DataObject) -> None:
    row = data.draw(contents(MESSAGES[kind]))
    assert fault_of(row) is None
    assert json.loads(json.dumps(to_json(outgoing(row)))) == to_json(outgoing(row))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_a_message_is_read_as_it_was_sent(kind: type, data: st.DataObject) -> None:
    content = data.draw(contents(kind))
    try:
        message: Any = from_json(kind, content)
    except (
        InvalidInput
    ):  # what two fields say together, as that a notice of an end names its instant
        return
    wire = json.dumps(to_json(message), allow_nan=False)
    assert from_json(kind, json.loads(wire)) == message
    assert from_json(kind, json.loads(wire) | {"of a newer minor": {"more": [1]}}) == message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"acked_seq": "x"}, "found acked_seq: wanted a whole number, got 'x'"),
        ({"token": "secret"}, "found acked_seq: wanted a value, got none"),
    ],
)
def test_what_does_not_fit_is_told_in_words_and_without_what_lies_around_it(
    content: object, said: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        from_json(LogsStored, content)
    assert str(raised.value) == f"wanted LogsStored, {said}"


def test_a_checkpoint_that_an_agent_stored_for_a_silent_script_names_no_iteration() -> None:
    assert fault_of({"kind": "checkpoint", "at_s": 1.0, "seq": 1}) is None
