"""The script that a machine runs at its first boot, really run by sh; a few programs only say what they are asked."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from elastic.agent.settings import read_settings
from elastic.distribution import own_wheel
from elastic.errors import ProviderError
from elastic.providers.ec2.user_data import DEFAULT_BOOTSTRAP, MOST_BYTES, user_data, wheel_url

GIVEN = {
    "daemon_url": "http://10.0.0.1:8470",
    "join_token": "secret'1",
    "checkpoint_root": "/shared",
    "artifact_root": "/shared",
    "env": {"ODD": "a'b\"c\n$HOME `id`"},
}
# In place of the interpreter: the agent is only named, everything else is really run.
_PYTHON = """#!/bin/sh
if [ "$1" = -m ]; then echo "agent $*" >>"$HOME/said"; {agent}; fi
exec {python} "$@"
"""

Boot = Callable[..., str]


class _Imds(BaseHTTPRequestHandler):
    """IMDSv2: an address for whoever brings the token that a PUT gives."""

    def do_PUT(self) -> None:
        self._say(b"key" if self.path == "/latest/api/token" else b"")

    def do_GET(self) -> None:
        is_known = self.headers.get("X-aws-ec2-metadata-token") == "key"
        told = {"/latest/meta-data/local-ipv4": b"10.0.0.7", "/latest/meta-data/instance-id": b"i-1"}
        self._say(told.get(self.path, b"") if is_known else b"")

    def _say(self, body: bytes) -> None:
        self.send_response(200 if body else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
        pass


@pytest.fixture
def imds() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Imds)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def boot(tmp_path: Path, imds: str) -> Boot:
    """Runs a script as a machine would, and gives what was said: by the agent, by the power switch."""

    def run(script: bytes, *, agent: str = "exit 0") -> str:
        programs = tmp_path / "bin"
        programs.mkdir()
        switch = f'#!/bin/sh\necho "$0 $*" | sed "s,.*/,," >>"$HOME/said"\nkill -9 -"$(cat "{tmp_path}/group")"\n'
        # All that the script may use: this machine's own switch must stay out of its reach.
        texts = dict.fromkeys(("shutdown", "poweroff", "halt"), switch)
        texts["python3"] = _PYTHON.format(agent=agent, python=sys.executable)
        for name, text in texts.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        path = tmp_path / "user-data"
        path.write_bytes(script)
        environ = {
            "HOME": str(tmp_path),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": imds,
        }
        with (tmp_path / "console").open("wb") as console:
            process = subprocess.Popen(
                ["sh", path], env=environ, start_new_session=True, stdout=console, stderr=console
            )
            (tmp_path / "group").write_text(str(process.pid))
            try:
                process.wait(30)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return (tmp_path / "said").read_text()

    return run


def test_it_writes_the_agents_settings_runs_it_and_ends_the_machine_with_it(boot: Boot, tmp_path: Path) -> None:
    said = boot(user_data(GIVEN, bootstrap="true", lease_s=600))
    assert said.splitlines() == ["agent -m elastic.agent --config agent.json", "shutdown -h now"]
    folder = tmp_path / "elasticd"
    settings = read_settings(folder / "agent.json")
    assert (settings.instance_id, settings.advertise_host, settings.join_token) == ("i-1", "10.0.0.7", "secret'1")
    assert settings.env == GIVEN["env"]
    assert settings.work_dir == folder / "work"
    assert not (folder / "given.json").exists()
    assert (folder.stat().st_mode & 0o077, (folder / "agent.json").stat().st_mode & 0o077) == (0, 0)
    assert "secret" not in (tmp_path / "console").read_text()


def test_a_bootstrap_that_fails_ends_the_machine_and_starts_no_agent(boot: Boot) -> None:
    assert boot(user_data(GIVEN, bootstrap="false", lease_s=600)) == "shutdown -h now\n"


def test_an_agent_that_dies_ends_the_machine(boot: Boot) -> None:
    said = boot(user_data(GIVEN, bootstrap="true", lease_s=600), agent="kill -9 $$")
    assert said.endswith("shutdown -h now\n")


def test_a_machine_whose_timer_is_broken_ends(boot: Boot, tmp_path: Path) -> None:
    said = boot(user_data(GIVEN, bootstrap="true", lease_s=600), agent="pkill -g 0 -x sleep; sleep 20")
    assert said.endswith("shutdown -h now\n")
    assert "powering off: the timer ended" in (tmp_path / "console").read_text()


@pytest.mark.slow
def test_the_machine_ends_when_nothing_renews_the_lease_though_the_agent_hangs(boot: Boot) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=-26.0)  # and 30 s of grace: 4 s
    began = time.monotonic()
    said = boot(script, agent="for n in 1 2 3 4 5 6; do echo $n >work/lease.json; sleep 1; done; sleep 60")
    assert said.endswith("shutdown -h now\n")
    assert 8 < time.monotonic() - began < 30


def test_without_lines_of_ones_own_a_node_has_pip_check_what_it_gets_from_its_daemon(tmp_path: Path) -> None:
    """torch is unpacked on the disk, and no copy of it is kept."""
    said, pip = tmp_path / "said", tmp_path / "pip"
    pip.write_text(f'#!/bin/sh\nfor word in "$TMPDIR" "$@"; do echo "$word"; done >"{said}"\n')
    pip.chmod(0o755)
    wheel = wheel_url(own_wheel(), daemon_url="http://[::1]:8470")
    script = user_data(GIVEN, bootstrap=None, wheel=wheel, lease_s=600).decode()
    assert DEFAULT_BOOTSTRAP.strip() in script
    line = "\n".join(
        each for each in script.splitlines() if "pip install" in each or each.startswith("ELASTICD_WHEEL=")
    )
    subprocess.run(["sh", "-euc", line.replace("/opt/elasticd/bin/pip", str(pip))], check=True)
    there = f"http://[::1]:8470/v1/wheels/{own_wheel().sha256}/{own_wheel().name}#sha256={own_wheel().sha256}"
    asked = ["/var/tmp", "install", "--quiet", "--no-cache-dir", f"elasticd[train] @ {there}"]
    assert said.read_text().splitlines() == asked


def test_a_script_that_is_too_long_is_compressed_and_always_alike() -> None:
    long = {**GIVEN, "env": {"LONG": "x" * 20_000}}
    packed, again = (user_data(long, bootstrap="true", lease_s=600) for _ in range(2))
    assert packed == again
    assert len(packed) <= MOST_BYTES
    assert gzip.decompress(packed).startswith(b"#!/bin/sh\n")


def test_a_script_that_stays_too_long_is_refused() -> None:
    noise = os.urandom(30_000).hex()
    with pytest.raises(ProviderError, match="wanted at most 16384 bytes"):
        user_data({**GIVEN, "env": {"LONG": noise}}, bootstrap="true", lease_s=600)
