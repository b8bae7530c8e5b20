"""The program that runs on hosts, packed from this elasticd's own files."""

from __future__ import annotations

import json
import shlex
from base64 import b64encode
from functools import cache

from elastic.distribution import pythons
from elastic.model import for_any_shell
from elastic.providers.keeping import PackedProgram, pack

# Runs before the bundle is there. Its first line on stdin says what to do.
_LOADER = """\
import base64, json, os, pathlib, sys
told = json.loads(sys.stdin.readline())
root = pathlib.Path.home() / pathlib.Path(told["folder"]).expanduser()
bundle = root / told["name"]
try:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not bundle.exists():
        partial = root / f"{bundle.name}.{os.getpid()}.new"
        try:
            partial.write_bytes(base64.b64decode(told["content"]))
            partial.replace(bundle)
        finally:
            partial.unlink(missing_ok=True)
except OSError as error:
    print(json.dumps({"refused": f"{root}: {error.strerror}"}), flush=True)
    sys.exit(1)
print(json.dumps({"program": str(bundle), "root": str(root)}), flush=True)
sys.path.insert(0, str(bundle))
from elastic.providers.ssh.attendant import serve
serve(root)
"""

_FIND_PYTHON = """\
for python in {candidates}; do
  if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exec "$python" -I -c {loader}
  fi
done
echo "wanted Python 3.11 or newer, found none; install it there, or name one with python:" >&2
exit 127
"""


@cache
def bundle() -> PackedProgram:
    """The program that this elasticd runs on hosts."""
    return pack(
        "host",
        ["engines.py", "providers/ssh/attendant.py"],
        main="elastic.providers.keeping.keeper",
    )


def first_line(folder: str) -> str:
    """What the loader reads."""
    content = b64encode(bundle().content).decode()
    return json.dumps({"folder": folder, "name": bundle().name, "content": content})


def command(python: str | None) -> str:
    """The command line that starts the loader. Nothing in it is secret."""
    script = _FIND_PYTHON.format(candidates=pythons(python), loader=shlex.quote(_LOADER))
    return for_any_shell(script)
