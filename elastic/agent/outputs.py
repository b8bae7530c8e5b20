"""Begins a generation's working folder from one state on all nodes, and stores its outputs."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from elastic.agent.files import read_json, write_json
from elastic.agent.marks import add_marks, newest_marks
from elastic.agent.settings import AgentSettings
from elastic.agent.torchrun import saves_file
from elastic.agent.uploader import FOLDER_LOOK_S
from elastic.checkpoints.bring import bring, fill
from elastic.checkpoints.commit import Writer, commit
from elastic.checkpoints.folder import Look
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.manifest import File, Manifest, Place
from elastic.checkpoints.objects import Objects
from elastic.checkpoints.working import UNSEEN, WorkingFolder
from elastic.errors import NotFound
from elastic.figures import size
from elastic.model import Mode
from elastic.protocol import Assignment

BASE_FILE = "outputs.json"
MEMORY_FILE = "working-folder.json"
# The most bytes that are stored without being named. A default must not fill disks, nor delay a
# drain for minutes.
MOST_BYTES = 5 << 30
# Each file is an object: a bucket takes some 100 a second. A manifest of so many has 4 MiB, the
# largest that is read.
MOST_FILES = 10_000
_BEGINNINGS = "beginnings/"
_LARGEST_NAMED = 3
# Files that changed since the last look wait, and the clocks of nodes may differ.
_UNDERWAY_S = 3 * FOLDER_LOOK_S
log = logging.getLogger(__name__)


class TooMuch(Exception):
    """The working folder holds more than is stored."""


@dataclass(frozen=True, slots=True)
class Base:
    """Which state the folder came from; `is_writer` if this node's first rank wrote since."""

    generation: int
    place: Place | None
    is_writer: bool


class OutputUploader:
    """Works in the caller's thread; a file notes what it did last, for an agent that restarts.

    `digests` are those of files that earlier generations read. A start must not wait until 5 GiB
    are read again.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        settings: AgentSettings,
        objects: Objects,
        digests: dict[Look, str] | None = None,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
    ) -> None:
        self._generation = assignment.generation
        self._most_bytes = most_bytes if assignment.outputs is None else None
        self._most_files = most_files
        self._is_in_session = assignment.mode is Mode.LIVE
        self._node_id = settings.instance_id
        self._objects = objects
        self._index = CheckpointIndex(objects, job_id=assignment.job_id)
        self._folder = WorkingFolder(
            settings.code_dir,
            memory=settings.work_dir / MEMORY_FILE,
            code=settings.code_archive,
            staging=settings.work_dir / "staging-outputs",
            globs=assignment.outputs,
            digests=digests,
        )
        self._base_file = settings.work_dir / BASE_FILE
        self._saves_file = saves_file(settings, assignment.generation)
        self._carried: Mapping[str, Look] | None = None
        self._carried_links: Mapping[str, str] = {}
        self._carried_saves: Mapping[str, int] = {}
        self._seen = UNSEEN
        self._laid: Mapping[str, Look] = {}
        self._first_seen_s: dict[str, float] = {}

    @property
    def is_writer(self) -> bool:
        """Whether the first rank of this generation writes in this node's folder."""
        base = self._base()
        return base is not None and base.generation == self._generation and base.is_writer

    @property
    def unprintable(self) -> tuple[str, ...]:
        """The files that the last `carry` left here because of their names alone."""
        return self._seen.unprintable

    def lead(self, *, now_s: float, tell: Callable[[str], None]) -> None:
        """Settles the state to begin with: this node's own if it is ahead, else the newest."""
        base = self._base()
        newest = next(iter(self._index.places()), None)
        if base is not None and base.is_writer and base.place == newest:
            self._note(newest, is_writer=True)
            # In a session the others have continued; only this node's worker begins again.
            if self._is_in_session:
                return
            self.carry(is_still=True, now_s=now_s)
            newest = self._place()
            # A file that was half written when its worker ended returns to its version before.
            self._lay(newest)
        else:
            token = None if self._is_in_session else self._generation
            self._base_file.unlink(missing_ok=True)
            brought = bring(self._index, self._folder, generation=token, tell=tell)
            newest = None if brought is None else brought.place
            if brought is None:
                self._lay(None)
            else:
                add_marks(self._saves_file, brought.saves)
            log.info(
                "generation %s works on from %s",
                self._generation,
                newest.name if newest else "nothing",
            )
        # In a session only the first rank itself reports that it is here.
        self._note(newest, is_writer=not self._is_in_session)
        self._laid = self._folder.see().files

    def announce(self, meeting: str) -> None:
        """Announces this group's first state to its other nodes; removes older announcements."""
        name = _beginning(self._generation, meeting)
        self._objects.delete(self._objects.names(_BEGINNINGS))
        self._objects.create(name, json.dumps({"place": self._place()}).encode())

    def follow(self, meeting: str) -> bool:
        """Fills the folder as the first rank's node announced; False without an announcement."""
        try:
            said = json.loads(self._objects.read(_beginning(self._generation, meeting)))
        except NotFound:
            return False
        place = None
        if said["place"] is not None:
            place = Place(*said["place"])
            add_marks(self._saves_file, self._index.manifest(place).saves)
        self._lay(place)
        self._note(place, is_writer=False)
        return True

    def join(self, session_round: int) -> None:
        """Notes that the first rank of this session round is here."""
        base = self._base()
        if base is not None and not base.is_writer:
            log.info("round %s: the first rank writes here", session_round)
            self._note(base.place, is_writer=True)

    def carry(self, *, is_still: bool, session_round: int | None = None, now_s: float) -> bool:
        """Stores what is new; False if nothing is.

        `is_still` says that no worker can write any more.

        Raises TooMuch, and what `commit` raises.
        """
        before = self._seen
        now = self._folder.see()
        self._seen = now
        self._check(now.files)
        # What is saved outside of this folder is known by its marks alone.
        saves = newest_marks(self._saves_file)
        if (now.files, now.links, saves) == (
            self._carried,
            self._carried_links,
            self._carried_saves,
        ):
            return False
        newest = self._newest()
        previous: dict[str, File] = {}
        stored_saves: Mapping[str, int] = {}
        stored_links: Mapping[str, str] = {}
        if newest is not None:
            previous = {file.path: file for file in newest.files}
            stored_saves = newest.saves
            stored_links = newest.links
        mine = set(now.files)
        if self._is_in_session:  # others may have been the first rank since this folder was filled
            mine = {path for path, look in now.files.items() if self._laid.get(path) != look}
        try:
            held = self._folder.hold_still(
                mine, now, before=None if is_still else before, previous=previous
            )
            kept = list(held.kept)
            if self._is_in_session:
                # Files that this node has not changed stay as they were stored.
                kept += [file for path, file in previous.items() if path not in mine]
            found = _stored(kept) | {(each.path, each.sha256) for each in held.files}
            links = now.stored_links(
                {*(now.files.keys() - mine), *(each.path for each in held.files)}, stored_links
            )
            # Marks alone wait for a file that is being written: they may be its own.
            has_new_marks = held.is_whole and not saves.items() <= stored_saves.items()
            if has_new_marks or links != stored_links or found != _stored(previous.values()):
                manifest = commit(
                    self._index,
                    held.files,
                    kept=kept,
                    saves=saves,
                    links=links,
                    writer=Writer(
                        self._generation if session_round is None else session_round, self._node_id
                    ),
                    iteration=None,
                    committed_at_s=now_s,
                )
                self._note(manifest.place, is_writer=True)
                log.info(
                    "%s files of the working folder are stored: %s",
                    len(manifest.files),
                    manifest.place.name,
                )
                is_new = True
            else:
                is_new = False
        finally:
            self._folder.let_go()
        if held.is_whole:
            self._carried = now.files
            self._carried_links = now.links
            self._carried_saves = saves
        return is_new

    def check(self) -> None:
        """Checks whether all can be stored, cheaply if so; raises TooMuch."""
        files, size_bytes = self._folder.weigh()
        if files > self._most_files or (
            self._most_bytes is not None and size_bytes > self._most_bytes
        ):
            self._check(self._folder.see().files)

    def only_here(self, *, now_s: float) -> tuple[str, ...]:
        """Files that only this node holds: its ranks wrote them, and no node stores them.

        A file first seen shortly before the newest state was stored, or later, may still be stored.
        """
        # Forgets files that are gone: a file that comes back is seen for the first time.
        self._first_seen_s = {
            path: self._first_seen_s.get(path, now_s) for path in self._folder.see().files
        }
        newest = self._newest()
        if newest is None:
            return ()
        home = {each.path for each in newest.files}
        until_s = newest.committed_at_s - _UNDERWAY_S
        return tuple(
            sorted(
                path
                for path, at_s in self._first_seen_s.items()
                if path not in home and at_s < until_s
            )
        )

    def _check(self, looks: Mapping[str, Look]) -> None:
        size_bytes = sum(look.size_bytes for look in looks.values())
        advice = (
            "name the files to store (`outputs:` in the job's file, `elasticd job resume JOB "
            "--outputs GLOB`), or let the script write the others outside of its working folder"
        )
        if self._most_bytes is not None and size_bytes > self._most_bytes:
            largest = sorted(looks, key=lambda path: looks[path].size_bytes, reverse=True)[
                :_LARGEST_NAMED
            ]
            named = ", ".join(f"{path} ({size(looks[path].size_bytes)})" for path in largest)
            raise TooMuch(
                f"the job's working folder holds {size(size_bytes)} of new files, the largest "
                f"{named}; at most {size(self._most_bytes)} are stored: {advice}"
            )
        if len(looks) > self._most_files:
            raise TooMuch(
                f"the job's working folder holds {len(looks):,} new files; at most "
                f"{self._most_files:,} are stored: {advice}"
            )

    def _newest(self) -> Manifest | None:
        """The newest stored state."""
        return next(iter(self._index.kept(self._index.places())), None)

    def _lay(self, place: Place | None) -> None:
        # An agent that restarts must not take a half-filled folder for the newest state.
        self._base_file.unlink(missing_ok=True)
        if place is None:
            self._folder.keep_only(())
        else:
            fill(self._index, self._folder, self._index.manifest(place))
        self._carried = None

    def _place(self) -> Place | None:
        base = self._base()
        return None if base is None else base.place

    def _base(self) -> Base | None:
        fields = read_json(self._base_file)
        if fields is None:
            return None
        place = None
        if fields["place"] is not None:
            place = Place(*fields["place"])
        return Base(int(fields["generation"]), place, bool(fields["is_writer"]))

    def _note(self, place: Place | None, *, is_writer: bool) -> None:
        write_json(
            self._base_file,
            {"generation": self._generation, "place": place, "is_writer": is_writer},
        )


def _beginning(generation: int, meeting: str) -> str:
    return f"{_BEGINNINGS}g{generation:06d}-{meeting.replace(':', '-').replace('/', '-')}.json"


def _stored(files: Iterable[File]) -> set[tuple[str, str]]:
    return {(each.path, each.sha256) for each in files}
