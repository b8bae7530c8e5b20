from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from elastic.agent.data import Fetched, fetch_data
from elastic.errors import PreparationFailed, StorageForbidden, StorageUnavailable
from tests.agent.data_sources import FakeSource

WHERE = "s3://training/faces"


def fetch(
    source: FakeSource, cache: Path, told: list[str] | None = None, *, patience_s: float = 0.0
) -> Fetched:
    said = [] if told is None else told
    return fetch_data(
        source,
        WHERE,
        cache,
        tell=said.append,
        is_stopping=lambda: False,
        pause=lambda _: None,
        patience_s=patience_s,
    )


def test_all_objects_come_to_one_folder_that_is_named_by_their_list(tmp_path: Path) -> None:
    told: list[str] = []
    source = FakeSource({"a.txt": b"hello", "deep/b.txt": b"world", "deep/": b"", "empty": b""})
    fetched = fetch(source, tmp_path, told)
    assert (fetched.folder / "a.txt").read_bytes() == b"hello"
    assert (fetched.folder / "deep/b.txt").read_bytes() == b"world"
    assert (fetched.folder / "empty").read_bytes() == b""
    assert fetched.digest[:12] in told[0]
    assert "3 files" in told[0]
    assert "are here after" in told[-1]


def test_what_is_there_is_not_fetched_again_and_what_changed_has_another_digest(
    tmp_path: Path,
) -> None:
    source = FakeSource({"a": b"hello"})
    first = fetch(source, tmp_path)
    source.asked.clear()
    assert fetch(source, tmp_path) == first
    assert source.asked == []
    source.etags["a"] = "another"
    assert fetch(source, tmp_path).digest != first.digest


def test_a_fetch_that_was_cut_off_goes_on_where_it_ended(tmp_path: Path) -> None:
    source = FakeSource({"a": b"0123456789"}, breaks_after=1)
    fetched = fetch(source, tmp_path, patience_s=60.0)
    assert (fetched.folder / "a").read_bytes() == b"0123456789"
    assert source.asked == [("a", 0), ("a", 4)]


def test_a_new_agent_goes_on_where_the_last_one_was_killed(tmp_path: Path) -> None:
    source = FakeSource({"a": b"0123456789"}, breaks_after=1)

    class Killed(BaseException):
        pass

    def die(_: float) -> None:
        raise Killed

    with pytest.raises(Killed):
        fetch_data(
            source,
            WHERE,
            tmp_path,
            tell=lambda _: None,
            is_stopping=lambda: False,
            pause=die,
            patience_s=60.0,
        )
    source.asked.clear()
    fetched = fetch(source, tmp_path)
    assert source.asked == [("a", 4)]
    assert (fetched.folder / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize(
    ("objects", "listing", "hint"),
    [
        ({}, [], "found none"),
        ({"../x": b"1"}, [], "names that stay in their folder"),
        ({"/x": b"1"}, [], "names that stay in their folder"),
        ({"x": b"1"}, [StorageForbidden("allow s3:ListBucket")], "allow s3:ListBucket"),
        ({"x": b"1"}, [StorageUnavailable("no route")], "no route"),
    ],
)
def test_data_that_cannot_be_had_says_why(
    objects: dict[str, bytes], listing: list[Exception], hint: str, tmp_path: Path
) -> None:
    source = FakeSource(objects)
    source.listing = listing
    with pytest.raises(PreparationFailed, match=hint):
        fetch(source, tmp_path, patience_s=-1.0)


def test_an_object_that_changes_while_it_is_fetched_is_an_error(tmp_path: Path) -> None:
    source = FakeSource({"a": b"hello"})
    listed = source.items()
    source.etags["a"] = "another"

    class Listed(FakeSource):
        def items(self) -> Sequence[tuple[str, int, str]]:
            return listed

    changed = Listed(source.objects)
    changed.etags = source.etags
    with pytest.raises(PreparationFailed, match="changed while it was fetched"):
        fetch(changed, tmp_path)


def test_nothing_that_comes_for_too_long_is_an_error(tmp_path: Path) -> None:
    class Dead(FakeSource):
        def stream_from(self, name: str, *, etag: str, start: int) -> Iterator[bytes]:
            raise StorageUnavailable("timed out")

    with pytest.raises(PreparationFailed, match="nothing came"):
        fetch(Dead({"a": b"hello"}), tmp_path, patience_s=-1.0)


def test_nodes_of_one_machine_fetch_the_same_data_once(tmp_path: Path) -> None:
    source = FakeSource({name: name.encode() * 50 for name in "abc"})
    with ThreadPoolExecutor(3) as nodes:
        fetched = set(nodes.map(lambda _: fetch(source, tmp_path), range(3)))
    assert len(fetched) == 1
    assert sorted(source.asked) == [("a", 0), ("b", 0), ("c", 0)]


@pytest.mark.parametrize("refuses_at", ["listing", "reading"])
def test_what_a_person_has_to_allow_is_not_asked_for_again(refuses_at: str, tmp_path: Path) -> None:
    class Forbidden(FakeSource):
        def stream_from(self, name: str, *, etag: str, start: int) -> Iterator[bytes]:
            self.asked.append((name, start))
            raise StorageForbidden("allow s3:GetObject")

    source = Forbidden({"a": b"hello"})
    source.listing = [StorageForbidden("allow s3:ListBucket")] if refuses_at == "listing" else []
    with pytest.raises(PreparationFailed, match="data: allow s3"):
        fetch(source, tmp_path, patience_s=60.0)
    assert source.asked == ([] if refuses_at == "listing" else [("a", 0)])
