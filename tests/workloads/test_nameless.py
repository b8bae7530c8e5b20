"""Torch's stores ask nobody for names, and everybody else still may."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unprivileged import needs_root

_SCRIPT = """
import contextlib, os, socket, sys, threading
from elastic.agent import spawner
from elastic.workloads.nameless import give_up_names

if "fork" in sys.argv:
    spawner.warm_up()
    if child := os.fork():
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
import torch.distributed as dist

service = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
service.bind(("127.0.0.1", 53))
asked = []
def listen():
    for _ in range(100):
        asked.append(service.recv(512))
threading.Thread(target=listen, daemon=True).start()
if "give up" in sys.argv:
    give_up_names()
server = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
dist.TCPStore("127.0.0.1", server.port, None, False, wait_for_workers=False).set("key", "value")
by_stores = len(asked)
with contextlib.suppress(OSError):
    socket.getnameinfo(("10.1.2.3", 80), 0)
print(by_stores, len(asked) - by_stores)
"""
# A machine of its own whose name service is the script's, and answers nothing. It knows no names
# itself: some versions of glibc find an IPv4 address there that is written as one of IPv6.
_ALONE = """
ip link set lo up && mount --bind "$0" /etc/resolv.conf && mount --bind /dev/null /etc/hosts &&
exec "$@"
"""


def questions(folder: Path, *arguments: str) -> tuple[int, int]:
    """How often two stores, and then a script, asked the name service."""
    settings = folder / "resolv.conf"
    settings.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    command = [
        "unshare",
        "--mount",
        "--net",
        "sh",
        "-c",
        _ALONE,
        str(settings),
        sys.executable,
        "-c",
        _SCRIPT,
    ]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    by_stores, by_script = done.stdout.split()
    return int(by_stores), int(by_script)


@pytest.mark.slow
@needs_root
def test_stores_ask_for_no_names_once_they_were_given_up_and_a_script_still_does(
    tmp_path: Path,
) -> None:
    assert questions(tmp_path)[0] >= 1
    assert questions(tmp_path, "give up") == (0, 1)


@needs_root
def test_stores_of_what_the_spawner_forks_ask_for_no_names_either(tmp_path: Path) -> None:
    assert questions(tmp_path, "fork") == (0, 1)
