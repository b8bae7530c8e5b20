"""What is committed is whole, whatever dies, whoever else writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from elastic.checkpoints import CheckpointIndex, Location, Place, bring
from elastic.checkpoints.s3 import Bucket, check_bucket
from elastic.errors import CheckpointDamaged, StorageUnavailable, Superseded
from tests.checkpoints.bucket import Killed, Wire, objects
from tests.checkpoints.conftest import Machine


def manifests(bucket: Bucket) -> list[str]:
    return bucket.names("manifests/")


def restored(
    tmp_path: Path, bucket: Bucket, *, generation: int = 9, tell: Callable[[str], None] = print
) -> dict[str, str]:
    """What a node with an empty disk gets."""
    fresh = Machine(tmp_path, bucket, node_id="fresh")
    bring(fresh.index, fresh.folder, generation=generation, tell=tell)
    return fresh.read()


def test_an_empty_bucket_brings_nothing(machine: Machine) -> None:
    assert bring(machine.index, machine.folder, generation=1) is None


def test_what_is_committed_is_brought_to_an_empty_disk(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    machine.write(a="1", b="2")
    (machine.folder.path / "half.partial").write_text("torn")
    (machine.folder.path / ".arriving").write_text("torn")
    (machine.folder.path / ".metadata").write_text(
        "an index that torch.distributed.checkpoint cannot do without"
    )
    manifest = machine.commit(iteration=7)
    assert (manifest.place.name, manifest.iteration) == ("manifests/g000001-000001.json", 7)
    found = restored(tmp_path, bucket)
    assert found.pop(".metadata").startswith("an index")
    assert found == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    "node_id", ["i-0abc", "slurm-4711_2", "node-1f2e@desk-a", "node-1f2e@me@10.0.0.7:2222"]
)
def test_every_provider_s_names_of_machines_may_be_part_of_a_name(
    bucket: Bucket, tmp_path: Path, node_id: str
) -> None:
    machine = Machine(tmp_path / "one", bucket, node_id=node_id)
    machine.write(a="1")
    machine.commit()
    assert restored(tmp_path, bucket) == {"a": "1"}


def test_two_commits_are_kept_and_data_is_sent_once(
    machine: Machine, bucket: Bucket, wire: Wire
) -> None:
    for number in range(4):
        machine.write(fixed="large", step=str(number))
        machine.commit()
    assert manifests(bucket) == ["manifests/g000001-000003.json", "manifests/g000001-000004.json"]
    assert len(bucket.names("data/")) == 3
    assert wire.asked["PutObject"] == 4 + 5


def test_a_folder_that_holds_it_already_is_not_sent_it_again(machine: Machine, wire: Wire) -> None:
    machine.write(a="1")
    machine.commit()
    bring(machine.index, machine.folder, generation=1)
    assert wire.asked["HeadObject"] == 0


def test_a_folder_is_made_equal_to_what_was_committed(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    machine.write(a="1")
    machine.commit()
    other = Machine(tmp_path, bucket, node_id="n2")
    other.write(a="other", stale="x")
    bring(other.index, other.folder, generation=1)
    assert other.read() == {"a": "1"}


def test_a_present_checkpoint_leaves_the_folder_alone(machine: Machine) -> None:
    machine.write(a="1")
    place = machine.commit().place
    machine.write(a="ahead")
    bring(machine.index, machine.folder, generation=1, present={place})
    assert machine.read() == {"a": "ahead"}


@pytest.mark.parametrize("operation", ["ListObjectsV2", "PutObject", "GetObject", "DeleteObjects"])
@pytest.mark.parametrize("passed", [0, 1, 2, 3])
def test_a_death_at_any_request_leaves_a_whole_checkpoint(
    machine: Machine, bucket: Bucket, wire: Wire, tmp_path: Path, operation: str, passed: int
) -> None:
    for number in range(2):
        machine.write(a=f"a{number}", b=f"b{number}")
        machine.commit()
    machine.write(a="a2", b="b2")
    wire.dies_before = {operation: passed}
    try:
        machine.commit()
        was_told = True
    except Killed:
        was_told = False
    wire.dies_before = {}
    found = restored(tmp_path, bucket)
    assert found in ({"a": "a1", "b": "b1"}, {"a": "a2", "b": "b2"})
    assert found["a"] == "a2" or not was_told
    # The next writer removes what the dead one left.
    machine.write(a="a3", b="b3")
    machine.commit()
    assert len(manifests(bucket)) == 2
    assert len(bucket.names("data/")) == 4


def test_an_older_generation_cannot_hide_a_newer_one(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    newer = Machine(tmp_path, bucket, node_id="n2")
    newer.write(a="newer")
    newer.commit(generation=2)
    machine.write(a="older")
    with pytest.raises(Superseded):
        machine.commit(generation=1)
    with pytest.raises(Superseded):
        bring(machine.index, machine.folder, generation=1)
    assert restored(tmp_path, bucket) == {"a": "newer"}


def test_an_older_generation_that_commits_late_is_told_so(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    newer = Machine(tmp_path, bucket, node_id="n2")
    newer.write(a="newer")
    machine.write(a="older")
    interrupt = machine.index.bucket.create

    def create(name: str, content: bytes) -> bool:
        newer.commit(generation=2)
        return interrupt(name, content)

    machine.index.bucket.create = create  # type: ignore[method-assign]
    with pytest.raises(Superseded):
        machine.commit(generation=1)
    machine.index.bucket.create = interrupt  # type: ignore[method-assign]
    assert restored(tmp_path, bucket) == {"a": "newer"}


def test_a_number_that_is_taken_makes_the_writer_look_again(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    other = Machine(tmp_path, bucket, node_id="n2")
    places = machine.index.places

    def places_before_the_other() -> list[Place]:
        machine.index.places = places  # type: ignore[method-assign]
        seen = places()
        other.write(a="other")
        other.commit()
        return seen

    machine.write(a="mine")
    machine.index.places = places_before_the_other  # type: ignore[method-assign]
    assert machine.commit().sequence == 2
    assert restored(tmp_path, bucket) == {"a": "mine"}


def test_a_commit_whose_answer_was_lost_counts_once(machine: Machine, bucket: Bucket) -> None:
    create = machine.index.bucket.create

    def repeated(name: str, content: bytes) -> bool:
        create(name, content)
        return create(name, content)

    machine.index.bucket.create = repeated  # type: ignore[method-assign]
    machine.write(a="1")
    machine.commit()
    assert manifests(bucket) == ["manifests/g000001-000001.json"]


def test_data_that_vanished_is_sent_again(machine: Machine, bucket: Bucket, tmp_path: Path) -> None:
    machine.write(a="1")
    manifest = machine.commit()
    bucket.delete([manifest.files[0].name])
    machine.write(b="2")
    machine.commit()
    assert restored(tmp_path, bucket) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("torn", ["manifest", "data", "foreign", "missing"])
def test_a_torn_or_foreign_checkpoint_is_refused_and_the_previous_used(
    machine: Machine, bucket: Bucket, tmp_path: Path, torn: str
) -> None:
    machine.write(a="1")
    machine.commit(iteration=35)
    machine.write(a="2")
    newest = machine.commit()
    damage(bucket, tmp_path, torn, manifest=newest.place.name, data=newest.files[0].name)
    told: list[str] = []
    assert restored(tmp_path, bucket, tell=told.append) == {"a": "1"}
    refused = (
        f"the checkpoint {newest.place.name} is refused; manifests/g000001-000001.json of "
        "iteration 35 is used"
    )
    assert [each.startswith(refused) for each in told] == [True]


def test_starting_anew_is_refused_where_every_checkpoint_is_damaged(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    machine.write(a="1")
    newest = machine.commit()
    damage(bucket, tmp_path, "data", manifest=newest.place.name, data=newest.files[0].name)
    told: list[str] = []
    with pytest.raises(
        CheckpointDamaged, match="none of 1 can be used; restore the bucket's files"
    ):
        restored(tmp_path, bucket, tell=told.append)
    refused = f"the checkpoint {newest.place.name} is refused: a: wanted SHA-256"
    assert [each.startswith(refused) for each in told] == [True]


def test_starting_anew_is_refused_where_what_was_stored_is_gone(
    machine: Machine, bucket: Bucket
) -> None:
    machine.write(a="1")
    place = machine.commit(iteration=76).place
    bucket.delete(objects(bucket))
    with pytest.raises(
        CheckpointDamaged,
        match=r"wanted the checkpoint of iteration 76 .*, found none; restore",
    ):
        bring(machine.index, machine.folder, generation=2, stored_iteration=76)
    assert (
        bring(machine.index, machine.folder, generation=2, present={place}, stored_iteration=76)
        is None
    )
    assert machine.read() == {"a": "1"}, "this node holds it still"


def test_that_a_newer_one_was_stored_and_is_gone_is_told(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    for iteration in (40, 60):
        machine.write(a=str(iteration))
        last = machine.commit(iteration=iteration)
    told: list[str] = []
    fresh = Machine(tmp_path, bucket, node_id="fresh")
    bring(fresh.index, fresh.folder, generation=2, stored_iteration=60, tell=told.append)
    assert (fresh.read(), told) == ({"a": "60"}, [])
    bucket.delete([last.place.name])
    bring(fresh.index, fresh.folder, generation=2, stored_iteration=60, tell=told.append)
    assert fresh.read() == {"a": "40"}
    assert told == [
        "the checkpoint of iteration 60 that was stored is gone; manifests/g000001-000001.json of "
        "iteration 40 is used"
    ]


def test_another_jobs_checkpoint_is_refused(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    for content in ("mine", "another's"):
        machine.write(a=content)
        name = machine.commit().place.name
    text = bucket.read(name).decode()
    bucket.delete([name])
    bucket.create(name, text.replace('"job_id": "job"', '"job_id": "job-2"').encode())
    told: list[str] = []
    assert restored(tmp_path, bucket, tell=told.append) == {"a": "mine"}
    (why,) = told
    assert why.endswith(f"is used instead: {name}: wanted a checkpoint of job, found one of job-2")


def test_a_manifest_leads_nowhere_but_into_the_folder(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    machine.write(a="1")
    name = machine.commit().place.name
    text = bucket.read(name).decode()
    bucket.delete([name])
    bucket.create(name, text.replace('"path": "a"', '"path": "../../a"').encode())
    with pytest.raises(CheckpointDamaged):
        restored(tmp_path, bucket)


def test_a_bucket_that_is_not_there_is_said_to_be_so(machine: Machine, bucket: Bucket) -> None:
    machine.write(a="1")
    bucket.location = Location("no-such-bucket", bucket.location.prefix)
    machine.index = CheckpointIndex(bucket, job_id="job")
    with pytest.raises(StorageUnavailable, match="NoSuchBucket"):
        machine.commit()


def test_the_proof_leaves_nothing_behind(bucket: Bucket) -> None:
    check_bucket(bucket)
    assert objects(bucket) == []


def damage(bucket: Bucket, tmp_path: Path, torn: str, *, manifest: str, data: str) -> None:
    (tmp_path / "torn").write_bytes(b"{")
    match torn:
        case "manifest":
            bucket.upload(tmp_path / "torn", manifest)
        case "data":
            bucket.upload(tmp_path / "torn", data)
        case "missing":
            bucket.delete([data])
        case _:
            (tmp_path / "torn").write_bytes(
                bucket.read(manifest).replace(b'"sequence": 2', b'"sequence": 5')
            )
            bucket.upload(tmp_path / "torn", manifest)


def test_links_within_the_folder_are_links_again_on_another_node(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    here = machine.folder.path
    for step in ("step-1", "step-2"):
        (here / step).mkdir()
        (here / step / "model.pt").write_text(step)
    (here / "latest").symlink_to("step-2")
    (here / "best.pt").symlink_to(here / "step-1/model.pt")
    (here / "out").symlink_to(tmp_path)
    (here / "round").symlink_to("round")
    machine.commit_with_links()
    fresh = Machine(tmp_path, bucket, node_id="fresh")
    bring(fresh.index, fresh.folder, generation=9)
    there = fresh.folder.path
    assert (there / "latest/model.pt").read_text() == "step-2"
    assert (there / "best.pt").resolve() == there.resolve() / "step-1/model.pt"
    assert sorted(each.name for each in there.iterdir()) == [
        "best.pt",
        "latest",
        "step-1",
        "step-2",
    ]


def test_a_link_of_an_older_state_is_gone_before_files_come(
    machine: Machine, bucket: Bucket, tmp_path: Path
) -> None:
    here = machine.folder.path
    (here / "latest").mkdir()
    (here / "latest/model.pt").write_text("new")
    machine.commit_with_links()
    other = Machine(tmp_path, bucket, node_id="other")
    (other.folder.path / "old").mkdir()
    (other.folder.path / "old/model.pt").write_text("old")
    (other.folder.path / "latest").symlink_to("old")
    bring(other.index, other.folder, generation=9)
    assert not (other.folder.path / "latest").is_symlink()
    assert other.read() == {"latest/model.pt": "new"}


@pytest.mark.parametrize("to", ["../../secret", "/etc", "in/../../../secret"])
def test_a_manifests_link_leads_nowhere_out_of_the_folder(
    machine: Machine, bucket: Bucket, tmp_path: Path, to: str
) -> None:
    (tmp_path / "secret").mkdir()
    machine.write(a="1")
    machine.commit_with_links({"leak": to, "in": "."})
    fresh = Machine(tmp_path, bucket, node_id="fresh")
    bring(fresh.index, fresh.folder, generation=9)
    assert not (fresh.folder.path / "leak").is_symlink()
