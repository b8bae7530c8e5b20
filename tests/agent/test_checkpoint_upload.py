"""When the upload thread says that something is stored, and what it does while S3 is out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.checkpoint_upload import SAVING_PRIOR_S
from elastic.agent.uploader import StartRefusal, Uploaders
from elastic.errors import CheckpointDamaged, StorageUnavailable, Superseded
from elastic.model import Mode
from elastic.worker.startup_barrier import wait_at_startup_barrier
from tests.agent.assignments import ONE
from tests.agent.upload_threads import PATIENCE_S, Desk, at_barrier


def test_a_checkpoint_is_told_of_only_once_it_is_stored(desk: Desk) -> None:
    assert desk.checkpoint(20)
    assert desk.said == []
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.verdict() == (True, "")
    assert (desk.kinds(), desk.generation_files.carried) == (["checkpoint"], [20])


def test_one_that_nobody_told_of_is_told_as_its_manifest_says(desk: Desk) -> None:
    desk.checkpoint(20)
    desk.upload_thread.start()
    assert desk.generation_files.stored.wait(PATIENCE_S)
    desk.upload_thread.finish(1, is_clean=True)  # it left something more
    assert desk.verdict() == (True, "")
    assert desk.generation_files.carried == [20, 20]
    assert {message["iteration"] for message in desk.said} == {20}


def test_how_long_storing_takes_is_believed_then_measured(desk: Desk) -> None:
    assert desk.upload_thread.saving_s == SAVING_PRIOR_S
    desk.checkpoint(20)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.verdict() == (True, "")
    assert desk.upload_thread.saving_s != SAVING_PRIOR_S
    assert Uploaders().saving_s is None


def test_an_outage_is_said_once_and_outlasted(desk: Desk) -> None:
    desk.generation_files.failures = [
        StorageUnavailable("no route"),
        StorageUnavailable("no route"),
    ]
    desk.checkpoint(20)
    desk.upload_thread.start()
    assert desk.generation_files.stored.wait(PATIENCE_S)
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.verdict() == (True, "")
    assert desk.kinds() == ["note", "checkpoint"]


def test_an_ending_that_is_out_of_patience_is_not_durable(desk: Desk) -> None:
    desk.generation_files.failures = [StorageUnavailable("no route")] * 100
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    verdict = desk.upload_thread.verdict(1, patience_s=0.0)
    assert verdict is not None
    assert not verdict.is_durable
    assert desk.upload_thread.verdict(1, patience_s=PATIENCE_S) == verdict


def test_a_superseded_generation_stores_no_more(desk: Desk) -> None:
    desk.generation_files.failures = [Superseded("generation 2 has committed")]
    desk.checkpoint(20)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == (False, "generation 2 has committed")
    assert "checkpoint" not in desk.kinds()
    assert desk.upload_thread.fill(1) is not None


def test_a_failed_generation_stores_what_was_told_of_and_nothing_else(desk: Desk) -> None:
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.verdict() == (True, "")
    assert desk.generation_files.carried == []


def test_nothing_leaves_a_folder_that_was_never_filled(desk: Desk) -> None:
    desk.generation_files.is_filled = False
    desk.checkpoint(20)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    desk.verdict()
    assert (desk.generation_files.carried, desk.said) == ([], [])


def test_a_folder_that_was_never_filled_is_not_waited_for(desk: Desk) -> None:
    """S3 does not answer: there is a log to be stored, and nothing that was trained."""
    desk.generation_files.is_filled = False
    desk.generation_files.failures = [StorageUnavailable("no such bucket")] * 100
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == (True, "")


def test_what_was_told_of_is_waited_for_also_where_the_folder_was_to_be_filled_again(
    desk: Desk,
) -> None:
    """torchrun has started the workers anew while S3 does not answer."""
    desk.generation_files.is_filled = False
    desk.generation_files.failures = [StorageUnavailable("no route")] * 100
    desk.checkpoint(20)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.upload_thread.verdict(1, patience_s=PATIENCE_S) is None


def test_a_node_without_the_first_rank_stores_nothing(desk: Desk) -> None:
    desk.upload_thread.begin(replace(ONE, nnodes_max=2))
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == (True, "")
    assert desk.generation_files.carried == []


@pytest.fixture
def session(desk: Desk) -> Desk:
    """The same desk for workers in a session, which serve generation 3 by now."""
    desk.upload_thread.begin(replace(ONE, mode=Mode.LIVE))
    desk.upload_thread.serve(3)
    return desk


def in_round(number: int, iteration: int) -> dict[str, Any]:
    return {
        "kind": "checkpoint",
        "generation": 3,
        "rank": 0,
        "round": number,
        "iteration": iteration,
        "elapsed_s": 0.1,
    }


def test_in_a_session_a_checkpoint_is_its_round_s_whichever_generation_it_came_in(
    session: Desk,
) -> None:
    assert session.upload_thread.hears(in_round(7, 20))
    session.upload_thread.start()
    session.upload_thread.finish(1, is_clean=False)
    assert session.verdict() == (True, "")
    assert (session.kinds(), session.generation_files.carried, session.generation_files.rounds) == (
        ["checkpoint"],
        [20],
        [7],
    )


def test_in_a_session_a_later_round_s_checkpoint_takes_nothing_away(session: Desk) -> None:
    session.generation_files.failures = [Superseded("generation 8 has committed")]
    session.upload_thread.hears(in_round(7, 20))
    session.upload_thread.start()
    session.upload_thread.finish(1, is_clean=True)
    assert session.verdict() == (True, "")
    assert (session.said, session.generation_files.carried) == ([], [])


def test_in_a_session_who_is_first_again_stores_again(session: Desk) -> None:
    session.generation_files.failures = [Superseded("generation 8 has committed")]
    session.upload_thread.hears(in_round(7, 20))
    session.upload_thread.hears(in_round(9, 60))
    session.upload_thread.start()
    session.upload_thread.hears(in_round(9, 80))
    session.upload_thread.finish(1, is_clean=True)
    assert session.verdict() == (True, "")
    assert set(session.generation_files.rounds) <= {9}


def test_in_a_session_nobody_is_first_before_it_says_so(session: Desk) -> None:
    session.upload_thread.start()
    session.upload_thread.finish(1, is_clean=True)
    assert session.verdict() == (True, "")
    assert session.generation_files.carried == []


@pytest.mark.parametrize("kind", ["note", "checkpoint"])
def test_in_a_session_a_newcomer_that_is_not_in_yet_stores_nothing(
    session: Desk, kind: str
) -> None:
    """It holds an older checkpoint, which would take the place of what the members store after
    it."""
    session.upload_thread.start()
    session.upload_thread.hears({"kind": kind, "generation": 3, "rank": 0, "iteration": 20})
    session.upload_thread.finish(1, is_clean=True)
    assert session.verdict() == (True, "")
    assert (session.said, session.generation_files.carried) == ([], [])


def test_a_checkpoint_of_another_generation_is_not_told_of(desk: Desk) -> None:
    assert desk.checkpoint(20, generation=7)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=False)
    desk.verdict()
    assert desk.said == []


def test_a_worker_passes_the_barrier_when_the_folder_is_filled(desk: Desk, tmp_path: Path) -> None:
    desk.upload_thread.start()
    at_barrier(desk, tmp_path, generation=1)
    assert desk.generation_files.brought == 1


def test_a_worker_is_refused_where_no_checkpoint_can_be_used(desk: Desk, tmp_path: Path) -> None:
    desk.generation_files.failures = [CheckpointDamaged("none of 1 can be used")]
    desk.upload_thread.start()
    with pytest.raises(SystemExit, match="none of 1 can be used"):
        at_barrier(desk, tmp_path, generation=1)


def test_a_refusal_is_what_its_generation_ended_by_and_not_asked_for_again(
    desk: Desk, tmp_path: Path
) -> None:
    desk.generation_files.failures = [CheckpointDamaged("none of 1 can be used")]
    desk.upload_thread.start()
    for _ in range(2):  # torchrun starts its workers anew
        with pytest.raises(SystemExit, match="none of 1 can be used"):
            at_barrier(desk, tmp_path, generation=1)
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.whole_verdict().refusal == StartRefusal("none of 1 can be used", needs_person=True)


def test_a_checkpoint_that_is_refused_is_told_of_once(desk: Desk, tmp_path: Path) -> None:
    desk.generation_files.refused = ("the newest is torn",)
    desk.upload_thread.start()
    for _ in range(2):
        at_barrier(desk, tmp_path, generation=1)
    assert [message["text"] for message in desk.said] == ["the newest is torn"]
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.whole_verdict().refusal is None


def test_a_worker_of_another_generation_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.upload_thread.start()
    with pytest.raises(SystemExit, match="generation 2 is not what this node runs"):
        at_barrier(desk, tmp_path, generation=2)


def test_a_worker_does_not_begin_without_an_agent(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no agent answered"):
        wait_at_startup_barrier(
            {"ELASTICD_BARRIER": str(tmp_path / "none"), "ELASTICD_GENERATION": "1"}, timeout_s=0.0
        )


def test_a_script_whose_folder_is_shared_passes_no_barrier() -> None:
    wait_at_startup_barrier({"ELASTICD_BARRIER": ""})
