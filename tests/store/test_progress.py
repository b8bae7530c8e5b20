"""Progress is what survived: what is done again counts as redone."""

from __future__ import annotations

import pytest

from elastic.model import (
    MOST_SAVES,
    AgentState,
    Batch,
    Beginning,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodeReport,
    Save,
    warnings_of,
)
from elastic.store import HeartbeatReport, Store
from tests.builders import intend
from tests.store.endings import end_job
from tests.store.rows import HALF, window


def next_generation(store: Store, job: Job, node: Node) -> int:
    return store.generations.start(job.id, (node,), rdzv_endpoint="e", now_s=150.0).number


def saved(store: Store, node: Node, *saves: Save, seq: int = 50) -> None:
    said = {seq + number: each for number, each in enumerate(saves)}
    store.heartbeats.take_in(
        node.id,
        HeartbeatReport(NodeReport(AgentState.RUNNING, 1), saves=said, acked_seq=max(said)),
        now_s=150.0,
    )


def begins(
    store: Store,
    node: Node,
    *,
    at: int = 0,
    read_from: str = "",
    stops_when_asked: bool = False,
    seq: int = 40,
) -> None:
    beginning = Beginning(at, read_from, stops_when_asked, Batch.WORKER)
    said = HeartbeatReport(
        NodeReport(AgentState.RUNNING, 1), beginnings={seq: beginning}, acked_seq=seq
    )
    store.heartbeats.take_in(node.id, said, now_s=150.0)


def told(store: Store, job: Job, kind: str) -> list[str]:
    return [each.text for each in store.events.listed(job_id=job.id) if each.kind == kind]


def test_a_script_that_began_at_0_after_a_restart_is_at_0(
    store: Store, job: Job, node: Node
) -> None:
    store.measurements.append(
        node.id, [window(node, 1, iteration=2), window(node, 2, iteration=533, iterations=531)]
    )
    number = next_generation(store, job, node)
    store.measurements.append(node.id, [window(node, 3, iteration=2, generation=number)])
    now = store.jobs.get(job.id)
    assert (now.iteration, now.redone, now.restarts_at_zero) == (2, 533, True)
    assert told(store, job, "redone") == [
        "the script begins at iteration 0; iterations to be done again: 533"
    ]


def test_a_script_that_goes_on_where_it_saved_loses_only_what_came_after(
    store: Store, job: Job, node: Node
) -> None:
    saved(store, node, Save("a-1", 40))
    store.measurements.append(node.id, [window(node, 1, iteration=57, iterations=57)])
    number = next_generation(store, job, node)
    store.measurements.append(node.id, [window(node, 2, iteration=42, generation=number)])
    now = store.jobs.get(job.id)
    assert (now.iteration, now.redone, now.kept_iteration, now.restarts_at_zero) == (
        42,
        17,
        40,
        False,
    )


def test_workers_that_torchrun_starts_again_do_not_add_up(
    store: Store, job: Job, node: Node
) -> None:
    for seq in (1, 3, 5):
        store.measurements.append(
            node.id,
            [window(node, seq, iteration=2), window(node, seq + 1, iteration=30, iterations=28)],
        )
    now = store.jobs.get(job.id)
    assert (now.iteration, now.redone) == (30, 60)


def test_windows_that_follow_one_another_lose_nothing(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(node.id, [window(node, 1, iteration=2), window(node, 2, iteration=4)])
    number = next_generation(store, job, node)
    store.measurements.append(node.id, [window(node, 3, iteration=6, generation=number)])
    assert (store.jobs.get(job.id).iteration, store.jobs.get(job.id).redone) == (6, 0)


def test_saves_come_back_to_every_node_and_only_the_newest_are_kept(
    store: Store, job: Job, node: Node
) -> None:
    saved(store, node, *(Save(f"{number:x}-0", number) for number in range(MOST_SAVES + 5)))
    saved(store, node, Save("f-0", 99), seq=500)
    found = store.progress.saves(job.id)
    assert len(found) == MOST_SAVES
    assert (list(found.items())[-1], found["6-0"]) == (("f-0", 99), 6)
    assert store.jobs.get(job.id).kept_iteration == 99


def test_samples_that_are_saved_after_a_checkpoint_do_not_make_it_forgotten(
    store: Store, job: Job, node: Node
) -> None:
    """Or the job would seem to begin at 0 on its next node, where its script reads it."""
    checkpoints = [Save(f"{1 << 28:x}-{number:08x}", number) for number in range(100)]
    samples = [Save(f"8000-{number:08x}", 100) for number in range(400)]
    saved(store, node, *checkpoints, *samples)
    found = store.progress.saves(job.id)
    assert len(found) == MOST_SAVES
    assert [found.get(each.mark) for each in checkpoints[-3:]] == [97, 98, 99]
    assert list(found.items())[-1] == (samples[-1].mark, 100)


def test_a_script_that_saved_nothing_and_is_not_asked_is_restarted_by_a_move(
    store: Store, job: Job, node: Node
) -> None:
    assert warnings_of(store.jobs.get(job.id), now_s=9e9) == ()
    begins(store, node)
    store.measurements.append(node.id, [window(node, 1, iteration=40, iterations=40)])
    now = store.jobs.get(job.id)
    assert (now.is_restarted_by_a_move, now.redo_iterations) == (True, 40)
    assert warnings_of(now, now_s=job.submitted_at_s + 60.0) == (), "it has only just begun"
    told = "a move or a loss restarts this job: it has saved nothing yet"
    assert warnings_of(now, now_s=job.submitted_at_s + 600.0) == (told,)
    saved(store, node, Save("a-1", 30))
    now = store.jobs.get(job.id)
    assert (now.redo_iterations, warnings_of(now, now_s=9e9)) == (10, ())


def test_a_script_that_saves_when_it_is_asked_to_stop_loses_nothing_by_a_move(
    store: Store, job: Job, node: Node
) -> None:
    begins(store, node, stops_when_asked=True)
    store.measurements.append(node.id, [window(node, 1, iteration=40, iterations=40)])
    assert store.jobs.get(job.id).redo_iterations == 0


def test_a_script_that_does_not_read_back_what_it_saves_is_restarted_by_a_move(
    store: Store, job: Job, node: Node
) -> None:
    begins(store, node, stops_when_asked=True)
    saved(store, node, Save("a-1", 40))
    store.measurements.append(node.id, [window(node, 1, iteration=50, iterations=50)])
    number = next_generation(store, job, node)
    store.measurements.append(
        node.id, [window(node, 2, iteration=20, iterations=20, generation=number)]
    )
    saved(store, node, Save("a-2", 20), seq=80)
    now = store.jobs.get(job.id)
    assert (now.redo_iterations, now.restarts_at_zero) == (20, True)
    assert "has not read back what it saved" in warnings_of(now, now_s=job.submitted_at_s)[0]
    assert (
        warnings_of(now, now_s=job.submitted_at_s)[1]
        == "50 iterations were lost to restarts and had to be done again"
    )


def restarted_at_0(store: Store, job: Job, node: Node) -> int:
    """Loses 40 iterations of a script that has saved nothing yet; the generation that begins at
    0."""
    store.measurements.append(node.id, [window(node, 1, iteration=40, iterations=40)])
    number = next_generation(store, job, node)
    store.measurements.append(
        node.id, [window(node, 2, iteration=20, iterations=20, generation=number)]
    )
    return number


def test_a_script_that_saves_only_at_its_end_still_begins_at_0_as_far_as_is_known(
    store: Store, job: Job, node: Node
) -> None:
    number = restarted_at_0(store, job, node)
    saved(store, node, Save("a-1", 50))
    store.measurements.append(
        node.id, [window(node, 3, iteration=50, iterations=30, generation=number)]
    )
    now = store.jobs.get(job.id)
    assert (now.kept_iteration, now.restarts_at_zero) == (50, True)


def test_a_script_that_trains_on_beyond_its_first_save_may_read_it_back_the_next_time(
    store: Store, job: Job, node: Node
) -> None:
    number = restarted_at_0(store, job, node)
    saved(store, node, Save("a-1", 30))
    assert store.jobs.get(job.id).restarts_at_zero
    store.measurements.append(
        node.id, [window(node, 3, iteration=50, iterations=30, generation=number)]
    )
    assert not store.jobs.get(job.id).restarts_at_zero
    number = next_generation(store, job, node)
    store.measurements.append(
        node.id, [window(node, 4, iteration=5, iterations=5, generation=number)]
    )
    saved(store, node, Save("a-2", 30), seq=90)
    store.measurements.append(
        node.id, [window(node, 5, iteration=60, iterations=55, generation=number)]
    )
    assert store.jobs.get(job.id).restarts_at_zero, "there was a save, and it did not read it"


def test_a_restart_that_goes_on_above_0_settles_it(store: Store, job: Job, node: Node) -> None:
    restarted_at_0(store, job, node)
    saved(store, node, Save("a-1", 20))
    number = next_generation(store, job, node)
    store.measurements.append(
        node.id, [window(node, 4, iteration=25, iterations=5, generation=number)]
    )
    assert not store.jobs.get(job.id).restarts_at_zero


def test_the_next_job_with_the_same_code_is_known_to_begin_at_0(store: Store) -> None:
    for sha256 in ("plain", "mended"):
        store.code.put(sha256, b"", now_s=0.0)
    first = submitted(store, "plain")
    node = intend(store, first.id, HALF, now_s=100.0)
    store.generations.start(first.id, (node,), rdzv_endpoint="e", now_s=101.0)
    restarted_at_0(store, first, node)
    store.jobs.move(first.id, JobPhase.FAILED, now_s=200.0)
    second = submitted(store, "plain")
    assert second.restarts_at_zero
    store.jobs.move(second.id, JobPhase.FAILED, now_s=200.0)
    assert not submitted(store, "mended").restarts_at_zero


def submitted(store: Store, code: str) -> Job:
    spec = JobSpec("plain", ("train.py",), code=code)
    return store.jobs.submit(spec, key=None, request_hash="h", now_s=100.0)[0]


def test_the_file_that_told_where_a_script_goes_on_is_told(
    store: Store, job: Job, node: Node
) -> None:
    begins(store, node, read_from="snapshot.pt")
    assert told(store, job, "begins") == [
        "the script goes on at iteration 0: it has read snapshot.pt"
    ]
    assert store.jobs.get(job.id).batch is Batch.WORKER


def test_turns_that_were_saved_and_never_told_count_once_a_script_begins_behind_them(
    store: Store, job: Job, node: Node
) -> None:
    store.measurements.append(node.id, [window(node, 1, iteration=57, iterations=57)])
    begins(store, node, at=90, read_from="snapshot.pt")
    now = store.jobs.get(job.id)
    assert (now.iteration, now.redone) == (90, 0)


def test_a_save_that_was_never_told_is_known_once_the_script_has_read_it(
    store: Store, job: Job, node: Node
) -> None:
    begins(store, node, at=0)
    begins(store, node, at=90, read_from="model.bin", seq=41)
    store.measurements.append(node.id, [window(node, 1, iteration=100, iterations=10)])
    now = store.jobs.get(job.id)
    assert (now.kept_iteration, now.redo_iterations, now.is_restarted_by_a_move) == (90, 10, False)
    begins(store, node, at=30, read_from="older.bin", seq=42)
    assert store.jobs.get(job.id).kept_iteration == 90


def test_where_a_script_begins_is_told_before_what_it_has_to_do_again(
    store: Store, job: Job, node: Node
) -> None:
    saved(store, node, Save("a-1", 40))
    store.measurements.append(node.id, [window(node, 1, iteration=57, iterations=57)])
    number = next_generation(store, job, node)
    first = window(node, 2, iteration=42, generation=number)
    beginning = Beginning(40, "snapshot.pt", False, Batch.WORKER, at_s=first.ended_at_s - 0.5)
    said = HeartbeatReport(
        NodeReport(AgentState.RUNNING, generation=number),
        windows=[first],
        beginnings={60: beginning},
        acked_seq=60,
    )
    store.heartbeats.take_in(node.id, said, now_s=first.ended_at_s + 1.0)
    events = [
        (each.kind, each.at_s)
        for each in store.events.listed(job_id=job.id)
        if each.kind in ("begins", "redone")
    ]
    assert events == [("begins", first.ended_at_s - 0.5), ("redone", first.ended_at_s)]


@pytest.mark.parametrize(
    ("saves", "goes_on_at", "said"),
    [
        ((), 0, "is resumed at iteration 0, of 533, for its script has saved nothing"),
        ((Save("a-1", 500),), 500, ""),
    ],
)
def test_a_job_is_resumed_where_its_script_will_begin(
    store: Store, job: Job, node: Node, saves: tuple[Save, ...], goes_on_at: int, said: str
) -> None:
    if saves:
        saved(store, node, *saves)
    begins(store, node)
    store.measurements.append(node.id, [window(node, 1, iteration=533, iterations=533)])
    end_job(store, job, JobPhase.CANCELLED)
    resumed = store.resumes.resume(job.id, job.spec, now_s=300.0)
    assert (resumed.iteration, resumed.redone) == (goes_on_at, 533 - goes_on_at)
    assert said in store.events.listed(after=None, job_id=job.id)[-1].text


def test_another_job_s_saves_are_its_own(store: Store, job: Job, node: Node) -> None:
    saved(store, node, Save("a-1", 40))
    assert intend(store, job.id, HALF, now_s=1.0).job_id == job.id
    assert dict(store.progress.saves(job.id)) == {"a-1": 40}


def test_what_is_left_of_a_group_does_not_measure_the_group(
    store: Store, job: Job, node: Node
) -> None:
    other = intend(store, job.id, HALF, now_s=101.0)
    number = store.generations.start(job.id, (node, other), rdzv_endpoint="e", now_s=150.0).number
    alone = window(node, 1, iteration=2, generation=number)
    both = window(node, 2, iteration=6, iterations=4, generation=number, world_size=2)
    store.measurements.append(node.id, [alone, both])
    assert [
        [each.iterations for each in series.samples]
        for series in store.measurements.recent_series(job.id)
    ] == [[4]]
    assert store.jobs.get(job.id).iteration == 6
