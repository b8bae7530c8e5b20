"""Moves one generation's files between node and bucket: checkpoints, artifacts and logs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from elastic.agent.files import read_json, write_json
from elastic.agent.logs import log_files
from elastic.agent.marks import add_marks, newest_marks
from elastic.agent.mask import Mask
from elastic.agent.settings import AgentSettings
from elastic.agent.torchrun import saves_file
from elastic.checkpoints import Location, Manifest, Place
from elastic.checkpoints.bring import bring
from elastic.checkpoints.commit import Writer, commit
from elastic.checkpoints.folder import Folder, Growth, Look, Still, links_in
from elastic.checkpoints.index import CheckpointIndex
from elastic.checkpoints.s3 import Bucket
from elastic.model import Mode
from elastic.protocol import Assignment

BASE_FILE = "checkpoint.json"
log = logging.getLogger(__name__)


class GenerationFiles:
    """Works in the caller's thread. Nothing is stored before the folder was filled once.

    A file notes which checkpoint the folder came from. An agent that restarts must not take a
    half-filled folder for the job's newest state.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        settings: AgentSettings,
        client: Any,
        storage: Location,
        mask: Mask | None = None,
    ) -> None:
        self._mask = mask or Mask()
        self.generation, self._stored_iteration = assignment.generation, assignment.stored_iteration
        self._node_id, self._is_in_session = settings.instance_id, assignment.mode is Mode.LIVE
        self._folder = Folder(
            settings.checkpoint_root / assignment.checkpoint_dir,
            staging=settings.work_dir / "staging",
        )
        self._index = CheckpointIndex(
            Bucket(client, storage.below(assignment.checkpoint_dir)), job_id=assignment.job_id
        )
        self._artifacts = Folder(
            settings.artifact_root / assignment.artifact_dir,
            staging=settings.work_dir / "staging-artifacts",
        )
        self._artifact_bucket = Bucket(client, storage.below(assignment.artifact_dir))
        self._log_dir = settings.log_dir
        self._base_file = settings.work_dir / BASE_FILE
        self._saves_file = saves_file(settings, assignment.generation)
        self._carried: Mapping[str, Look] | None = None
        self._carried_links: Mapping[str, str] = {}
        self._last_looks: Mapping[str, Look] = {}
        self._growth = Growth()
        # Files that have only grown between two looks, such as logs.
        self._logs: set[str] = set()
        self._uploaded: Mapping[str, Look] = {}

    @property
    def is_filled(self) -> bool:
        """Whether the folder holds this generation's first state, or a later one."""
        base = read_json(self._base_file)
        return base is not None and base["generation"] == self.generation

    def bring(self, *, tell: Callable[[str], None]) -> Manifest | None:
        """Fills the folder from the newest checkpoint; raises and reports as `bring` does.

        A folder that came from that checkpoint is left as it is: files not committed yet are newer.
        """
        base = read_json(self._base_file)
        present = set()
        if base is not None and base["place"] is not None:
            present = {Place(*base["place"])}
        self._base_file.unlink(missing_ok=True)
        # A session numbers its checkpoints by round, and a newcomer gets its state from the
        # members.
        token = None if self._is_in_session else self.generation
        brought = bring(
            self._index,
            self._folder,
            generation=token,
            present=present,
            stored_iteration=self._stored_iteration,
            tell=tell,
        )
        place = None if brought is None else brought.place
        if place is None or place not in present:
            self._carried = self._folder.looks()
            self._carried_links = links_in(self._folder.path)
        self._note_base(place)
        if brought is not None:
            add_marks(self._saves_file, brought.saves)
            log.info(
                "generation %s goes on from %s", self.generation, place.name if place else "nothing"
            )
        return brought

    def has_come_to_rest(self) -> bool:
        """Whether the folder has changed, but not since the last call.

        Logs may go on growing, where anything else is new.
        """
        looks = self._folder.looks()
        last = self._last_looks
        self._last_looks = looks
        moved = {path for path in {*looks, *last} if looks.get(path) != last.get(path)}
        if not moved:
            # The folder is walked for its links only if the files tell nothing.
            return looks != self._carried or links_in(self._folder.path) != self._carried_links
        grown = {
            path
            for path in moved & looks.keys()
            if self._growth.grown(self._folder.path / path, looks[path]) is not None
        }
        self._logs |= grown
        carried = self._carried or {}
        return moved == grown and any(
            carried.get(path) != look for path, look in looks.items() if path not in self._logs
        )

    def carry(
        self, *, iteration: int | None, session_round: int | None = None, now_s: float
    ) -> bool:
        """Stores the folder as the job's newest checkpoint; False if nothing is new.

        Files that are stored already under another iteration get a new manifest: a script may
        report a checkpoint long after it wrote the files. None keeps the newest one's iteration.
        `session_round` is the round in which it was written: a later round's checkpoint wins, from
        whichever node. Raises what `commit` raises.
        """
        writer = Writer(self.generation if session_round is None else session_round, self._node_id)
        looks = self._folder.looks()
        links = links_in(self._folder.path)
        held = self._folder.hold_still(copied=self._logs)
        try:
            if not held or self._is_newest(held, links, iteration):
                self._carried = looks
                self._carried_links = links
                return False
            manifest = commit(
                self._index,
                held,
                saves=newest_marks(self._saves_file),
                links=links,
                writer=writer,
                iteration=iteration,
                committed_at_s=now_s,
            )
        finally:
            self._folder.let_go()
        self._carried = looks
        self._carried_links = links
        self._note_base(manifest.place)
        log.info("checkpoint %s is stored: %s files", manifest.place.name, len(manifest.files))
        return True

    def carry_artifacts(self) -> None:
        """Stores the artifacts, each file under its own name; raises StorageUnavailable."""
        looks = self._artifacts.looks()
        for path, look in looks.items():
            if self._uploaded.get(path) != look:
                self._artifact_bucket.upload(self._artifacts.path / path, path)
        self._uploaded = looks

    def carry_logs(self) -> None:
        """Stores this generation's complete logs; raises StorageUnavailable.

        elasticd never reads them: they are for people, after the daemon has trimmed its own copy.
        """
        for file in log_files(self._log_dir, [self.generation]):
            self._mask.blank(file.path)
            self._artifact_bucket.upload(file.path, f"logs/{self._node_id}-{file.path.name}")

    def _is_newest(
        self, held: tuple[Still, ...], links: Mapping[str, str], iteration: int | None
    ) -> bool:
        newest = self._index.kept(self._index.places())[:1]
        mine = {(each.path, each.sha256) for each in held}
        return any(
            {(file.path, file.sha256) for file in manifest.files} == mine
            and manifest.links == links
            and iteration in (None, manifest.iteration)
            for manifest in newest
        )

    def _note_base(self, place: Place | None) -> None:
        write_json(self._base_file, {"generation": self.generation, "place": place})
