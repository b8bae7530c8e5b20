"""What nodes on machines of one's own share: their files, the program that keeps one, its zip."""

from elastic.providers.keeping.packed import PackedProgram, pack
from elastic.providers.keeping.process import ProcessId, find_family, is_alive, kill, reap
from elastic.providers.keeping.records import (
    LEAST_FREE_BYTES,
    NodeFiles,
    disk_is_full,
    last_line,
    make_once,
)
from elastic.providers.keeping.refusals import refuse
from elastic.providers.keeping.spawn import boot_id, start_ticks, write_whole
from elastic.providers.keeping.terms import ANSWER_S, REST_LOOK_S, Cluster, NodeTerms, packages

__all__ = [
    "ANSWER_S",
    "LEAST_FREE_BYTES",
    "REST_LOOK_S",
    "Cluster",
    "NodeFiles",
    "NodeTerms",
    "PackedProgram",
    "ProcessId",
    "boot_id",
    "disk_is_full",
    "find_family",
    "is_alive",
    "kill",
    "last_line",
    "make_once",
    "pack",
    "packages",
    "reap",
    "refuse",
    "start_ticks",
    "write_whole",
]
