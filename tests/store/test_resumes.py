"""A job that was over goes on: the same job, with nothing left of what had ended it."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from elastic.errors import Conflict, NotFound
from elastic.model import (
    Action,
    AgentState,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    NodeReport,
    Objective,
    Offering,
    Resume,
    Rounds,
    Window,
)
from elastic.store import Event, HeartbeatReport, Store, open_store
from tests.builders import add_price, intend
from tests.store.endings import end_job
from tests.store.rows import HALF, plan, snapshot, window

ENDINGS = [JobPhase.FAILED, JobPhase.CANCELLED, JobPhase.BUDGET_EXHAUSTED]


def checkpoint(store: Store, node: Node, iteration: int | None, *, seq: int = 90) -> None:
    numbers = {} if iteration is None else {"iteration": float(iteration)}
    told = Event(seq, 150.0, "checkpoint", "checkpoint", numbers=numbers)
    store.heartbeats.take_in(
        node.id,
        HeartbeatReport(NodeReport(AgentState.RUNNING, 1), notes=[told], acked_seq=seq),
        now_s=150.0,
    )


def trained(store: Store, node: Node, window: Window) -> None:
    store.heartbeats.take_in(
        node.id, HeartbeatReport(NodeReport(AgentState.RUNNING, 1), windows=[window]), now_s=150.0
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_job_that_did_not_succeed_is_wanted_again_as_the_same_job(
    store: Store, job: Job, node: Node, ending: JobPhase
) -> None:
    for _ in range(3):
        store.jobs.count_failure(job.id)
    store.heartbeats.take_in(
        node.id, HeartbeatReport(NodeReport(AgentState.RUNNING, 1), round=7), now_s=150.0
    )
    end_job(store, job, ending)
    before = store.jobs.get(job.id)
    resumed = store.resumes.resume("first", job.spec, now_s=500.0)
    assert (resumed.id, resumed.phase, resumed.submitted_at_s) == (
        job.id,
        JobPhase.SUBMITTED,
        100.0,
    )
    assert (resumed.finished_at_s, resumed.ending, resumed.message, store.jobs.target(job.id)) == (
        None,
        None,
        None,
        None,
    )
    assert resumed.version > before.version and store.jobs.unfinished() == (resumed,)
    assert store.jobs.count_failure(job.id) == 1, "failures count anew"
    assert store.jobs.rounds(job.id) == Rounds(newest=7, registered=0), "rounds do not"
    assert store.ledger.spent(job.id, 600.0) == pytest.approx(0.36 * 90 / 3600), (
        "the ledger goes on"
    )
    event = store.events.listed(after=None, job_id=job.id)[-1]
    assert event.kind == "job_resumed"
    assert (
        event.text
        == f"job first is resumed at iteration 0; it {ending.predicate}: as the test wants"
    )
    assert store.resumes.of(job.id) == (Resume(200.0, ending, 500.0),)


def test_generations_go_on_so_that_no_fencing_token_comes_again(
    store: Store, job: Job, node: Node
) -> None:
    end_job(store, job)
    store.resumes.resume(job.id, job.spec, now_s=300.0)
    other = intend(store, job.id, HALF, now_s=301.0)
    store.nodes.launched(other.id, "machine-2", launched_at_s=301.0, minimum_s=0.0)
    other = store.nodes.joined(other.id, now_s=305.0)
    assert store.generations.start(job.id, (other,), rdzv_endpoint="e", now_s=306.0).number == 2


def test_new_limits_take_the_place_of_the_old_and_are_told(store: Store) -> None:
    spec = JobSpec("limited", ("train.py",), objective=Objective(budget_usd=1.5))
    job, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=1.0)
    end_job(store, job)
    wanted = replace(spec, objective=Objective(budget_usd=3.0, deadline_s=86_400.0), nodes_max=4)
    assert store.resumes.resume(job.id, wanted, now_s=300.0).spec == wanted
    assert (
        "; 1 to 4 nodes instead of 1 to 1; budget $3.00 instead of $1.50; deadline "
        "1970-01-02T00:00:00Z; it was" in store.events.listed(after=None)[-1].text
    )


def test_iterations_that_no_checkpoint_holds_are_to_be_done_again(
    store: Store, job: Job, node: Node
) -> None:
    checkpoint(store, node, 40)
    trained(store, node, window(node, 1, iteration=57))
    assert store.jobs.get(job.id).iteration == 57
    end_job(store, job, JobPhase.FAILED)
    assert store.resumes.resume(job.id, job.spec, now_s=300.0).iteration == 40


@pytest.mark.parametrize("told", [None, 90])
def test_a_checkpoint_that_names_no_earlier_iteration_takes_none_away(
    store: Store, job: Job, node: Node, told: int | None
) -> None:
    trained(store, node, window(node, 1, iteration=57))
    checkpoint(store, node, told)
    end_job(store, job)
    assert store.resumes.resume(job.id, job.spec, now_s=300.0).iteration == 57


def test_what_is_stored_is_what_the_newest_checkpoint_holds(
    store: Store, job: Job, node: Node
) -> None:
    trained(store, node, window(node, 1, iteration=57))
    assert store.resumes.stored(job.id) is None, "nothing that could be missed"
    checkpoint(store, node, 40)
    assert store.resumes.stored(job.id) == 40
    checkpoint(store, node, None, seq=91)
    assert store.resumes.stored(job.id) == 57, "its script names no iteration"


def test_a_job_that_succeeded_or_goes_on_is_refused(store: Store, job: Job) -> None:
    def refused(match: str) -> None:
        events = store.events.newest_id()
        with pytest.raises(Conflict, match=match):
            store.resumes.resume(job.id, job.spec, now_s=300.0)
        assert store.events.newest_id() == events and store.resumes.of(job.id) == ()

    refused("is submitted; it goes on")
    store.jobs.request_stop(job.id, JobPhase.SUCCEEDED, None, now_s=200.0)
    refused("is draining; it can be resumed once it has ended")
    store.jobs.move(job.id, JobPhase.SUCCEEDED, now_s=201.0)
    refused("succeeded; there is nothing left to do")


def test_a_second_resume_finds_the_first_and_changes_nothing(store: Store, job: Job) -> None:
    end_job(store, job)
    once = store.resumes.resume(job.id, job.spec, now_s=300.0)
    with pytest.raises(Conflict, match="goes on, and there is nothing to resume"):
        store.resumes.resume(job.id, job.spec, now_s=301.0)
    assert store.jobs.get(job.id) == once


def test_a_node_that_may_still_cost_and_write_is_waited_for(
    store: Store, job: Job, node: Node
) -> None:
    store.nodes.intend_end(node.id, reason="the job is ending", now_s=190.0)
    assert store.nodes.get(node.id).phase is NodePhase.TERMINATING
    store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=200.0)
    store.jobs.move(job.id, JobPhase.CANCELLED, now_s=200.0)
    with pytest.raises(Conflict, match=f"has not ended yet, {node.id}"):
        store.resumes.resume(job.id, job.spec, now_s=300.0)


def test_limits_that_are_used_up_are_refused_with_what_to_say_instead(
    store: Store, job: Job, node: Node
) -> None:
    end_job(store, job, JobPhase.BUDGET_EXHAUSTED)  # after 90 s at $0.36 an hour: $0.009
    for budget_usd in (0.005, 0.009):
        with pytest.raises(
            Conflict, match=rf"has spent \$0.009, and its budget is \${budget_usd}: .*--budget"
        ):
            store.resumes.resume(
                job.id, replace(job.spec, objective=Objective(budget_usd=budget_usd)), now_s=300.0
            )
    with pytest.raises(Conflict, match=r"by 1970-01-01T00:05:00Z, which has passed: .*--deadline"):
        store.resumes.resume(
            job.id, replace(job.spec, objective=Objective(deadline_s=300.0)), now_s=300.0
        )
    store.resumes.resume(
        job.id,
        replace(job.spec, objective=Objective(budget_usd=0.01, deadline_s=301.0)),
        now_s=300.0,
    )


def test_of_one_name_one_job_goes_on_and_is_the_one_meant(store: Store, job: Job) -> None:
    end_job(store, job)
    later, _ = store.jobs.submit(job.spec, key=None, request_hash="h", now_s=210.0)
    with pytest.raises(Conflict, match=f"its name is {later.id}'s now"):
        store.resumes.resume(job.id, job.spec, now_s=300.0)
    end_job(store, later, at_s=310.0)
    assert store.jobs.get("first").id == later.id, "the newest, while none goes on"
    store.resumes.resume(job.id, job.spec, now_s=320.0)
    assert store.jobs.get("first").id == job.id


def test_code_is_kept_for_a_month_for_whoever_resumes(store: Store) -> None:
    day_s = 86_400.0
    store.code.put("sum", b"zip", now_s=0.0)
    job, _ = store.jobs.submit(
        JobSpec("sent", ("a.py",), code="sum"), key=None, request_hash="h", now_s=1.0
    )
    end_job(store, job, JobPhase.FAILED, at_s=5 * day_s)
    store.code.put("other", b"", now_s=34 * day_s)
    store.resumes.resume(job.id, job.spec, now_s=34 * day_s)
    end_job(store, job, JobPhase.FAILED, at_s=35 * day_s)
    store.code.put("other", b"", now_s=66 * day_s)
    with pytest.raises(NotFound, match="PUT it to /v1/code/sum first"):
        store.resumes.resume(job.id, job.spec, now_s=67 * day_s)


def test_the_time_between_is_no_pause_of_a_switch_and_its_begin_is_a_change(
    store: Store, job: Job, node: Node
) -> None:
    trained(store, node, window(node, 1, iteration=3, ended_at_s=150.0))
    store.decisions.record(
        snapshot(store, job), plan(Action.START, target=Group.of(HALF)), "fixed", sets_target=True
    )
    end_job(store, job, at_s=400.0)
    store.resumes.resume(job.id, job.spec, now_s=9000.0)
    full = Offering("local.full")
    add_price(store, full, 1.0, valid_from_s=0.0, observed_at_s=0.0, source="test")
    other = intend(store, job.id, full, now_s=9001.0)
    store.nodes.launched(other.id, "machine-2", launched_at_s=9001.0, minimum_s=0.0)
    other = store.nodes.joined(other.id, now_s=9003.0)
    store.generations.start(job.id, (other,), rdzv_endpoint="e", now_s=9004.0)
    late = window(other, 1, iteration=5, generation=2, ended_at_s=9010.0)
    store.heartbeats.take_in(
        other.id, HeartbeatReport(NodeReport(AgentState.RUNNING, 2), windows=[late]), now_s=9010.0
    )
    facts = store.facts.of(job.id, now_s=9011.0)
    assert facts.switches == ()
    assert [(each.at_s, each.code, each.to_group) for each in facts.changes] == [
        (300.0, "measuring", Group.of(HALF)),
        (400.0, "cancelled", None),
    ]


@pytest.mark.parametrize(("when", "phase"), [("within", "cancelled"), ("after", "submitted")])
def test_a_daemon_that_dies_over_it_has_resumed_the_job_or_not(
    url: str, when: str, phase: str
) -> None:
    store = open_store(url)
    job, _ = store.jobs.submit(
        JobSpec("first", ("train.py",)), key=None, request_hash="h", now_s=100.0
    )
    end_job(store, job)
    store.close()
    program = f"""
from tests.crash.points import Point, Watch, WatchedStore
store = WatchedStore({url!r}, Watch(Point("", {when!r}, "resumes.resume")))
spec = store.jobs.get({job.id!r}).spec
store.resumes.resume({job.id!r}, spec, now_s=300.0)
"""
    assert (
        subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    )
    store = open_store(url)
    found = store.jobs.get(job.id)
    assert (found.phase, found.finished_at_s is None) == (phase, phase == "submitted")
    assert len(store.resumes.of(job.id)) == (phase == "submitted")
    store.close()
