"""Outputs of a job, brought home as an agent does it."""

from __future__ import annotations

import os
from pathlib import Path

from elastic.checkpoints import CheckpointIndex, Folder, FolderObjects, Writer, commit
from tests.api.world import START_S, World


def carry_home(
    world: World, job_id: str, folder: Path, *, generation: int = 1, **files: str
) -> None:
    working = folder / f"node-{generation}"
    for name, text in files.items():
        path = working / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (START_S - 60, START_S - 60))
    held = Folder(working, staging=folder / "staging").hold_still()
    index = CheckpointIndex(
        FolderObjects(world.context.settings.job_folder / job_id / "outputs"), job_id=job_id
    )
    commit(index, held, writer=Writer(generation, "n1"), iteration=None, committed_at_s=START_S)
