"""A backup holds all that a daemon needs, and is laid out whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from elastic.errors import Conflict, ElasticError, InvalidInput, NotFound, StoreUnavailable
from elastic.model import JobSpec
from elastic.store import Store, back_up, inspect_store, open_store, restore
from tests.builders import add_price
from tests.postgres import PostgresServer
from tests.store.past_databases import dump

NOW_S = 1_700_000_000.0


def secrets_in(folder: Path) -> dict[str, Path]:
    return {"secret": folder / "secret", "token": folder / "token"}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A data folder with a job, a secret and a token."""
    folder = tmp_path / "here"
    folder.mkdir()
    store = open_store(url_in(folder))
    store.jobs.submit(JobSpec("first", ("train.py",)), key=None, request_hash="h", now_s=NOW_S)
    store.close()
    for name, path in secrets_in(folder).items():
        path.write_text(f"the {name}")
        path.chmod(0o600)
    return folder


def url_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'elasticd.db'}"


def test_a_backup_is_restored_in_another_folder(here: Path, tmp_path: Path) -> None:
    there, file = tmp_path / "there", tmp_path / "backup.tar"
    made = back_up(url_in(here), secrets_in(here), file, now_s=NOW_S)
    assert set(made.sizes) == {"database", "secret", "token"}
    assert made.made_at == "2023-11-14T22:13:20Z"
    restored = restore(file, url_in(there), secrets_in(there))
    assert restored.sizes == made.sizes
    assert dump(there / "elasticd.db") == dump(here / "elasticd.db")
    assert {path.name: (path.read_text(), mode(path)) for path in secrets_in(there).values()} == {
        "secret": ("the secret", 0o600),
        "token": ("the token", 0o600),
    }
    assert sorted(each.name for each in there.iterdir()) == ["elasticd.db", "secret", "token"]
    assert mode(there / "elasticd.db") == 0o600 and mode(there) == 0o700


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_its_owner_reads_a_backup(here: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    back_up(url_in(here), secrets_in(here), file, now_s=NOW_S)
    assert mode(file) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["backup.tar", "here"]


def test_what_is_written_last_is_in_a_backup_while_the_store_is_open(
    here: Path, tmp_path: Path
) -> None:
    store = open_store(url_in(here))
    store.jobs.submit(JobSpec("second", ("train.py",)), key=None, request_hash="h", now_s=NOW_S)
    back_up(url_in(here), secrets_in(here), tmp_path / "backup.tar", now_s=NOW_S)
    store.jobs.submit(JobSpec("third", ("train.py",)), key=None, request_hash="h", now_s=NOW_S)
    store.close()
    restore(tmp_path / "backup.tar", url_in(tmp_path / "there"), secrets_in(tmp_path / "there"))
    restored = open_store(url_in(tmp_path / "there"))
    assert [job.spec.name for job in restored.jobs.listed()] == ["second", "first"]
    restored.close()


@pytest.mark.parametrize("name", ["elasticd.db", "elasticd.db-wal", "secret", "token"])
def test_a_restore_overwrites_nothing(here: Path, tmp_path: Path, name: str) -> None:
    there, file = tmp_path / "there", tmp_path / "backup.tar"
    back_up(url_in(here), secrets_in(here), file, now_s=NOW_S)
    there.mkdir()
    (there / name).write_text("mine")
    with pytest.raises(Conflict, match=f"{name} is there, and a restore overwrites nothing"):
        restore(file, url_in(there), secrets_in(there))
    assert [(each.name, each.read_text()) for each in there.iterdir()] == [(name, "mine")]


def test_a_lost_database_alone_is_restored_beside_the_secret_that_is_there(
    here: Path, tmp_path: Path
) -> None:
    back_up(url_in(here), secrets_in(here), tmp_path / "backup.tar", now_s=NOW_S)
    before = dump(here / "elasticd.db")
    (here / "elasticd.db").unlink()
    restore(tmp_path / "backup.tar", url_in(here), secrets_in(here))
    assert dump(here / "elasticd.db") == before


def test_a_backup_overwrites_no_file(here: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    file.write_text("another")
    with pytest.raises(Conflict, match="is there already"):
        back_up(url_in(here), secrets_in(here), file, now_s=NOW_S)
    assert file.read_text() == "another"


def test_there_is_no_backup_without_a_database(tmp_path: Path) -> None:
    with pytest.raises(
        NotFound, match="wanted the daemon's database, found no such file: run this as"
    ):
        back_up(url_in(tmp_path), secrets_in(tmp_path), tmp_path / "backup.tar", now_s=NOW_S)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_gives_no_backup(here: Path, tmp_path: Path) -> None:
    damage(here / "elasticd.db")
    _refuse(here, tmp_path, "is damaged .*elasticd db restore")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"no database at all" * 100, "elasticd.db is damaged .*elasticd db restore"),
        (b"", "elasticd.db is empty, and a backup of it would be, too.*elasticd db restore"),
    ],
    ids=["another file", "empty"],
)
def test_what_is_no_database_gives_no_backup(
    here: Path, tmp_path: Path, content: bytes, told: str
) -> None:
    (here / "elasticd.db").write_bytes(content)
    _refuse(here, tmp_path, told)


def test_a_database_that_was_cut_off_gives_no_backup(here: Path, tmp_path: Path) -> None:
    os.truncate(here / "elasticd.db", (here / "elasticd.db").stat().st_size // 2)
    _refuse(here, tmp_path, "elasticd.db is damaged .*elasticd db restore")


def _refuse(here: Path, folder: Path, told: str) -> None:
    with pytest.raises(ElasticError, match=told):
        back_up(url_in(here), secrets_in(here), folder / "backup.tar", now_s=NOW_S)
    assert [each.name for each in folder.iterdir()] == ["here"]


def damage(path: Path) -> None:
    """Overwrites what lies between the first page and the last."""
    content = bytearray(path.read_bytes())
    content[4096:-4096] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)


def test_a_damaged_database_is_named_with_the_way_out(here: Path) -> None:
    damage(here / "elasticd.db")
    with pytest.raises(StoreUnavailable, match=r"elasticd\.db is damaged .*elasticd db restore"):
        open_store(url_in(here))
    (here / "elasticd.db").write_bytes(b"no database at all, but long enough to be one" * 100)
    with pytest.raises(StoreUnavailable, match=r"elasticd\.db is damaged .*elasticd db restore"):
        open_store(url_in(here))


@pytest.mark.parametrize("name", ["database", "secret", "manifest.json"])
def test_a_damaged_backup_is_refused_and_leaves_nothing(
    here: Path, tmp_path: Path, name: str
) -> None:
    there, file = tmp_path / "there", tmp_path / "backup.tar"
    back_up(url_in(here), secrets_in(here), file, now_s=NOW_S)
    content = bytearray(file.read_bytes())
    with tarfile.open(file) as archive:
        at = archive.getmember(name).offset_data + 3
    content[at] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="damaged"):
        restore(file, url_in(there), secrets_in(there))
    assert not there.exists() or list(there.iterdir()) == []


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    with pytest.raises(NotFound):
        restore(file, url_in(tmp_path), secrets_in(tmp_path))
    file.write_text("photos")
    with pytest.raises(InvalidInput, match="no backup of elasticd"):
        restore(file, url_in(tmp_path), secrets_in(tmp_path))
    with tarfile.open(file, "w") as archive:
        archive.addfile(tarfile.TarInfo("../secret"), BytesIO(b""))
    with pytest.raises(InvalidInput, match="no backup of elasticd"):
        restore(file, url_in(tmp_path), secrets_in(tmp_path))


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ({"format": 1, "files": {"database": 3}}, "manifest's elasticd: wanted a value, got none"),
        (
            {"format": 1, "elasticd": "0", "made_at": "", "kind": "sqlite", "files": []},
            "manifest's files: wanted a map, got []",
        ),
        (
            {"format": 1, "elasticd": "0", "made_at": "", "kind": "sqlite", "files": {}},
            "holds no database",
        ),
        ({"format": 2, "elasticd": "9.1"}, "made by elasticd 9.1, in a format"),
        ([], "list indices"),
    ],
)
def test_a_manifest_of_another_shape_is_refused(tmp_path: Path, manifest: object, why: str) -> None:
    file = tmp_path / "backup.tar"
    text = json.dumps(manifest).encode()
    entry = tarfile.TarInfo("manifest.json")
    entry.size = len(text)
    with tarfile.open(file, "w") as archive:
        archive.addfile(entry, BytesIO(text))
    with pytest.raises(InvalidInput, match=re.escape(why)):
        restore(file, url_in(tmp_path), secrets_in(tmp_path))


def test_a_database_of_postgresql_is_backed_up_and_restored(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url, file = postgres.empty_database(), tmp_path / "backup.tar"
    store = open_store(url)
    store.jobs.submit(JobSpec("first", ("train.py",)), key=None, request_hash="h", now_s=NOW_S)
    store.close()
    (tmp_path / "secret").write_text("the secret")
    back_up(url, secrets_in(tmp_path), file, now_s=NOW_S)
    with pytest.raises(Conflict, match="restore into an empty database"):
        restore(file, url, secrets_in(tmp_path))
    restore(file, postgres.empty_database(), secrets_in(tmp_path / "there"))
    assert (tmp_path / "there" / "secret").read_text() == "the secret"
    restored = open_store(url)
    assert [job.spec.name for job in restored.jobs.listed()] == ["first"]
    restored.close()
    assert inspect_store(url).differences == inspect_store(url).faults == ()


def test_a_restore_says_that_the_server_has_no_such_database(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    file, url = tmp_path / "backup.tar", postgres.empty_database()
    open_store(url).close()
    back_up(url, secrets_in(tmp_path), file, now_s=NOW_S)
    with pytest.raises(StoreUnavailable, match='database "absent" does not exist'):
        restore(file, url.replace("/postgres?", "/absent?"), secrets_in(tmp_path / "there"))


def test_a_backup_of_a_database_of_postgresql_alone_is_restored(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    file, url = tmp_path / "backup.tar", postgres.empty_database()
    open_store(url).close()
    # As on a machine from which no daemon runs: its data folder has neither secret nor token.
    made = back_up(url, secrets_in(tmp_path / "none"), file, now_s=NOW_S)
    assert set(made.sizes) == {"database"}
    there = postgres.empty_database()
    restore(file, there, secrets_in(tmp_path / "there"))
    assert inspect_store(there).is_migrated


def test_without_the_servers_programs_a_backup_says_what_to_do(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ElasticError, match=r"pg_dump is not on the path: install PostgreSQL's"):
        back_up(postgres.url, secrets_in(tmp_path), tmp_path / "backup.tar", now_s=NOW_S)


def test_a_ledger_that_does_not_follow_from_prices_is_named(url: str, store: Store) -> None:
    from sqlalchemy import text

    from elastic.store.engine import plain_engine
    from tests.builders import intend
    from tests.store.conftest import HALF

    job, _ = store.jobs.submit(JobSpec("a", ("t.py",)), key=None, request_hash="h", now_s=NOW_S)
    add_price(store, HALF, 0.36, valid_from_s=0.0, observed_at_s=0.0, source="test")
    node = intend(store, job.id, HALF, now_s=NOW_S)
    store.nodes.launched(node.id, "machine-1", launched_at_s=NOW_S, minimum_s=60.0)
    add_price(store, HALF, 0.72, valid_from_s=NOW_S + 60, observed_at_s=NOW_S, source="test")
    assert inspect_store(url).faults == ()
    engine = plain_engine(url)
    for change, found in (
        ("UPDATE ledger SET usd_per_h = 0.1 WHERE id = 1", "the USD/h of row 1 is 0.1, not 0.36"),
        ("DELETE FROM ledger WHERE id = 2", "give 2 ledger rows, 1 are there"),
    ):
        with engine.begin() as connection:
            connection.execute(text(change))
        (fault,) = inspect_store(url).faults
        assert node.id in fault and found in fault
    engine.dispose()
