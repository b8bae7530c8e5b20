"""Stands for AWS's session-manager-plugin in a lab: enters an instance, as the plugin would.

It is called with the plugin's own arguments and writes the lines that the plugin writes. It runs as
a program, by its path: the standard library alone, since a lab's moto takes seconds to import.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

VERSION = "1.2.764.0"
_INTERACTIVE = "AWS-StartInteractiveCommand"


def main(arguments: list[str]) -> int:
    """Runs the session's command in the instance. As in the plugin, its exit code is lost."""
    if arguments == ["--version"]:
        sys.stdout.write(f"{VERSION}\n")
        return 0
    # The name of a variable that holds the response, or the response itself.
    response = json.loads(os.environ.get(arguments[0], arguments[0]))
    request = json.loads(arguments[4])
    place = urlsplit(response["StreamUrl"])
    pid = int(place.netloc)
    command = ["/bin/sh", "-c", request["Parameters"]["command"][0]]
    if place.path == "/namespaces":
        spaces = ["--mount", "--uts", "--ipc", "--net", "--pid"]
        command = ["nsenter", "--target", str(pid), *spaces, "--", *command]
    _say(f"\nStarting session with SessionId: {response['SessionId']}\n")
    stdin: int | None = subprocess.DEVNULL
    if request["DocumentName"] == _INTERACTIVE:
        stdin = None
    subprocess.run(command, env=_environment_of(pid), cwd="/", stdin=stdin, check=False)
    _say(f"\n\nExiting session with sessionId: {response['SessionId']}.\n\n")
    return 0


def _say(text: str) -> None:
    # Before the command writes to the same place.
    sys.stdout.write(text)
    sys.stdout.flush()


def _environment_of(pid: int) -> dict[str, str]:
    """The environment of everything on the instance, and the person's kind of terminal."""
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    found = dict(each.partition("=")[::2] for each in entries if "=" in each)
    return found | {"TERM": os.environ.get("TERM", "dumb")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
