"""What a node does where its bucket refuses it: a right may be known a moment later, or needs a
person."""

from __future__ import annotations

from pathlib import Path

import pytest

from elastic.errors import StorageForbidden, StorageUnavailable
from tests.agent.upload_threads import Desk, at_barrier


def test_who_may_not_read_the_bucket_begins_nothing_until_a_person_acts(
    desk: Desk, tmp_path: Path
) -> None:
    desk.generation_files.is_filled = False
    desk.generation_files.failures = [StorageForbidden("allow s3:ListBucket")] * 100
    desk.upload_thread.start()
    for _ in range(2):  # torchrun starts its workers anew
        with pytest.raises(SystemExit, match="then resume the job: allow s3:ListBucket"):
            at_barrier(desk, tmp_path, generation=1)
    desk.upload_thread.finish(1, is_clean=False)
    refusal = desk.whole_verdict().refusal
    assert refusal is not None and refusal.needs_person
    assert set(desk.kinds()) == {"note"}


def test_a_right_that_is_known_a_moment_later_and_an_outage_are_waited_for(
    desk: Desk, tmp_path: Path
) -> None:
    desk.generation_files.failures = [
        StorageForbidden("allow s3:ListBucket"),
        StorageUnavailable("no route"),
    ]
    desk.upload_thread.start()
    at_barrier(desk, tmp_path, generation=1)
    assert desk.generation_files.brought == 1
