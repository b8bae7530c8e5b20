"""A daemon whose database was lost: it holds the machines, says so, and goes on with the jobs when
it is told to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.checkpoints import FolderObjects
from elastic.errors import Conflict, NotFound
from elastic.model import Job, JobPhase, NodePhase
from elastic.pricing import Quote
from elastic.providers import InstanceState
from elastic.reconciler import Adoption, AlarmKind, JobRecords
from tests.reconciler.virtual import LEASE_S, SMALL, Prices, VirtualCluster, small_forever

SECRET = b"of-both-daemons"
CODE = "c0de" * 16


class Daemon:
    """A virtual cluster's daemon that keeps records in a folder."""

    def __init__(self, folder: Path, *, secret: bytes = SECRET) -> None:
        self.cluster = VirtualCluster(folder, small_forever, has_leases=True)
        self.objects = FolderObjects(folder / "records")
        self.begin(secret)

    def begin(self, secret: bytes) -> None:
        cluster = self.cluster
        machines = cluster.reconciler.machines
        self.records = JobRecords(cluster.store, lambda: self.objects, secret)
        self.adoption = Adoption(cluster.store, machines, self.records, wake=lambda: None)
        cluster.reconciler.alarms.held = lambda now_s: self.adoption.alarm(now_s=now_s)

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            self.cluster.run(1)
            is_lost = bool(self.cluster.reconciler.machines.held)
            self.records.keep(is_lost=is_lost, now_s=self.now_s)

    def wait(self, seconds: int) -> None:
        """The same, ten seconds at a time."""
        for _ in range(seconds // 10):
            self.run(1)
            self.cluster.clock.advance(9.0)

    def lose_database(self, *, secret: bytes = SECRET) -> None:
        """Starts another daemon, which finds no database where the first had one."""
        self.cluster.store.close()
        for path in self.cluster.folder.glob("elasticd.db*"):
            path.unlink()
        self.cluster.restart()
        # As `elasticd serve --take-over` does: the lost one's lease is good for ten minutes.
        self.cluster.leader_lease.acquire(takes_over=True)
        self.begin(secret)

    def train(self, *, name: str = "job", seconds: int = 30, **spec: object) -> Job:
        store = self.cluster.store
        store.code.put(CODE, b"the code", now_s=self.now_s)
        job = self.cluster.submit(name=name, code=CODE, **spec)
        self.run(seconds)
        assert len(self.living()) == 1
        return job

    def living(self) -> list[str]:
        machines = self.cluster.cloud.machines()
        return [each.provider_id for each in machines if each.state is not InstanceState.GONE]

    def alarms(self) -> list[str]:
        current = self.cluster.reconciler.alarms.current(now_s=self.now_s)
        return [each.text for each in current if each.kind is AlarmKind.HELD]

    @property
    def now_s(self) -> float:
        return self.cluster.clock.now_s()


@pytest.fixture
def daemon(tmp_path: Path) -> Daemon:
    return Daemon(tmp_path)


def test_machines_of_a_lost_database_are_held_and_named(daemon: Daemon) -> None:
    daemon.train()
    before = daemon.living()
    daemon.lose_database()
    daemon.run(120)
    assert daemon.living() == before, "none is ended, and none bought"
    (text,) = daemon.alarms()
    assert "1 job (job), whose 1 machine it holds" in text
    assert "1970-01-01T00:27:10Z" in text, "when it began to hold it, and a lease"
    assert "elasticd adopt" in text


def test_without_an_answer_the_machines_end_with_their_leases_and_the_job_stays_on_record(
    daemon: Daemon,
) -> None:
    job = daemon.train()
    daemon.lose_database()
    daemon.wait(int(LEASE_S) + 20)
    assert daemon.living() == []
    daemon.adoption.adopt(job.id, now_s=daemon.now_s)
    daemon.run(30)
    adopted = daemon.cluster.store.jobs.get("job")
    assert adopted.id == job.id and len(daemon.living()) == 1


def test_a_job_that_is_adopted_goes_on_with_its_machine_its_code_and_its_generation(
    daemon: Daemon,
) -> None:
    job = daemon.train()
    cluster = daemon.cluster
    before = daemon.living()
    (node,) = cluster.store.nodes.listed(job.id)
    done = daemon.cluster.done[job.id]
    daemon.lose_database()
    daemon.run(60)
    daemon.adoption.adopt("job", now_s=daemon.now_s)
    daemon.run(60)
    assert daemon.living() == before
    assert cluster.store.code.get(CODE) == b"the code"
    (same,) = cluster.store.nodes.listed(job.id)
    assert (same.id, same.phase) == (node.id, NodePhase.JOINED)
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None and (generation.number, generation.ended_at_s) == (1, None)
    assert cluster.store.jobs.get(job.id).iteration >= done + 59
    assert daemon.alarms() == []
    (period,) = cluster.store.ledger.of_job(job.id)
    assert period.from_s == node.launched_at_s, "the machine is charged from its launch"
    assert daemon.adoption.held(now_s=daemon.now_s) == ()


def test_what_the_ledger_lacks_is_told_and_counts_against_the_budget(daemon: Daemon) -> None:
    job = daemon.train(seconds=30)
    cluster = daemon.cluster
    daemon.wait(570)
    daemon.cluster.cloud.reclaim(daemon.living()[0])
    daemon.run(60)
    cost_usd = cluster.store.ledger.spent(job.id, daemon.now_s)
    (living,) = cluster.store.nodes.listed(job.id)
    assert living.launched_at_s is not None
    earlier_usd = cost_usd - 0.36 * (daemon.now_s - living.launched_at_s) / 3600
    daemon.lose_database()
    daemon.run(5)
    (held,) = daemon.adoption.held(now_s=daemon.now_s)
    assert held.gap_usd == pytest.approx((earlier_usd, earlier_usd))
    daemon.adoption.adopt("job", now_s=daemon.now_s)
    assert cluster.store.ledger.spent(job.id, daemon.now_s) == pytest.approx(
        cost_usd + 0.36 * 5 / 3600
    )


def test_an_adopted_machine_is_charged_at_each_price_that_it_has_had(daemon: Daemon) -> None:
    cluster = daemon.cluster
    dearer = Quote(SMALL, 0.72, daemon.now_s + 300.0, "told")
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.36, 0.0, "told"), dearer)
    job = daemon.train()
    daemon.wait(570)
    cost_usd = cluster.store.ledger.spent(job.id, daemon.now_s)
    daemon.lose_database()
    daemon.run(5)
    daemon.adoption.adopt("job", now_s=daemon.now_s)
    periods = cluster.store.ledger.of_job(job.id)
    assert [each.usd_per_h for each in periods][:2] == [0.36, 0.72]
    spent_usd = cluster.store.ledger.spent(job.id, daemon.now_s)
    assert spent_usd == pytest.approx(cost_usd, abs=0.72 * 10 / 3600)


def test_what_machines_cost_that_ended_meanwhile_is_told_at_each_of_their_prices(
    daemon: Daemon,
) -> None:
    cluster = daemon.cluster
    dearer = Quote(SMALL, 0.72, daemon.now_s + 300.0, "told")
    cluster.reconciler.prices = Prices(Quote(SMALL, 0.36, 0.0, "told"), dearer)
    job = daemon.train()
    daemon.wait(570)
    cost_usd = cluster.store.ledger.spent(job.id, daemon.now_s)
    daemon.records.keep(is_lost=False, now_s=daemon.now_s)
    daemon.lose_database()
    cluster.cloud.reclaim(daemon.living()[0])
    daemon.run(5)
    (held,) = daemon.adoption.held(now_s=daemon.now_s)
    least_usd, most_usd = held.gap_usd or (0.0, 0.0)
    assert least_usd - 0.001 <= cost_usd <= most_usd
    # It is written again every few minutes only.
    assert most_usd - least_usd < 0.72 * 400 / 3600


def test_a_machine_that_ended_before_the_record_was_written_costs_at_least_what_it_was_heard_for(
    daemon: Daemon,
) -> None:
    cluster = daemon.cluster
    job = daemon.train()
    daemon.wait(570)
    cost_usd = cluster.store.ledger.spent(job.id, daemon.now_s)
    cluster.cloud.reclaim(daemon.living()[0])
    cluster.clock.advance(40.0)
    daemon.records.keep(is_lost=False, now_s=daemon.now_s)
    daemon.lose_database()
    daemon.run(20)
    (held,) = daemon.adoption.held(now_s=daemon.now_s)
    least_usd, most_usd = held.gap_usd or (0.0, 0.0)
    assert cost_usd - 0.36 * 20 / 3600 <= least_usd <= cost_usd
    assert most_usd == pytest.approx(cost_usd + 0.36 * 60 / 3600, abs=0.36 * 2 / 3600)


def test_what_is_unknown_stays_unknown_when_the_database_is_lost_again(daemon: Daemon) -> None:
    cluster = daemon.cluster
    daemon.train()
    daemon.wait(570)
    gaps = []
    for _ in range(2):
        daemon.lose_database()
        for machine in daemon.living():
            cluster.cloud.reclaim(machine)
        daemon.run(30)
        (held,) = daemon.adoption.held(now_s=daemon.now_s)
        least_usd, most_usd = held.gap_usd or (0.0, 0.0)
        gaps.append(most_usd - least_usd)
        daemon.adoption.adopt("job", now_s=daemon.now_s)
        daemon.run(30)
    assert gaps[0] > 0.36 * 30 / 3600
    assert gaps[1] > gaps[0] + 0.36 * 29 / 3600


def test_machines_that_know_another_secret_cannot_be_taken_over_but_their_job_can_be(
    daemon: Daemon,
) -> None:
    job = daemon.train()
    daemon.lose_database(secret=b"another")
    daemon.cluster.agents_are_silent = True
    daemon.run(5)
    with pytest.raises(Conflict, match="save and end by themselves by 1970-01-01T00:27:10Z"):
        daemon.adoption.adopt("job", now_s=daemon.now_s)
    daemon.wait(int(LEASE_S) + 20)
    assert daemon.living() == []
    daemon.adoption.adopt("job", now_s=daemon.now_s)
    daemon.cluster.agents_are_silent = False
    daemon.run(30)
    assert len(daemon.living()) == 1
    assert daemon.cluster.store.jobs.get(job.id).phase.is_final is False


def test_a_job_whose_secrets_another_secret_opens_cannot_be_adopted(daemon: Daemon) -> None:
    daemon.train(env={"KEY": "sealed", "LR": "1"}, secrets=("KEY",))
    daemon.lose_database(secret=b"another")
    daemon.cluster.agents_are_silent = True
    daemon.wait(int(LEASE_S) + 20)
    assert daemon.living() == []
    with pytest.raises(Conflict, match=r"its secrets \(KEY\) were sealed with another secret"):
        daemon.adoption.adopt("job", now_s=daemon.now_s)
    daemon.adoption.end("job", now_s=daemon.now_s)
    assert daemon.objects.names("jobs/") == []


def test_a_job_that_nobody_wants_is_ended_and_asked_about_no_more(daemon: Daemon) -> None:
    daemon.train()
    daemon.lose_database()
    daemon.run(5)
    daemon.adoption.end("job", now_s=daemon.now_s)
    daemon.run(10)
    assert daemon.living() == [] and daemon.alarms() == []
    assert daemon.objects.names("jobs/") == []
    with pytest.raises(NotFound, match="no job 'job' is held"):
        daemon.adoption.adopt("job", now_s=daemon.now_s)


def test_an_id_wins_over_a_job_that_is_named_like_it(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = daemon.train()
    daemon.lose_database()
    daemon.run(5)
    (held,) = daemon.adoption.held(now_s=daemon.now_s)
    assert held.record is not None
    record = replace(held.record, job={**held.record.job, "name": job.id})
    namesake = replace(held, job_id="job-0", record=record)
    monkeypatch.setattr(Adoption, "held", lambda *_, **__: (namesake, held))
    assert daemon.adoption.end(job.id, now_s=daemon.now_s) == job.id


def test_machines_without_a_record_can_only_be_ended(daemon: Daemon) -> None:
    job = daemon.train()
    daemon.objects.delete(daemon.objects.names(""))
    daemon.lose_database()
    daemon.run(5)
    with pytest.raises(Conflict, match="nothing is on record of it"):
        daemon.adoption.adopt(job.id, now_s=daemon.now_s)
    daemon.adoption.end(job.id, now_s=daemon.now_s)
    daemon.run(10)
    assert daemon.living() == []


def test_a_held_machine_that_outlives_its_lease_is_ended_after_another(daemon: Daemon) -> None:
    daemon.train()
    daemon.lose_database()
    daemon.cluster.has_leases = False
    daemon.wait(2 * int(LEASE_S) - 10)
    assert len(daemon.living()) == 1
    daemon.wait(40)
    assert daemon.living() == []


def test_a_record_goes_when_its_job_is_over(daemon: Daemon) -> None:
    job = daemon.train()
    assert set(daemon.objects.names("")) == {f"jobs/{job.id}.json", f"code/{CODE}"}
    daemon.cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=daemon.now_s)
    daemon.run(30)
    assert daemon.objects.names("") == []
