"""The script that a machine runs at its first boot, really run by sh; a few programs only say what
they are asked."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from elastic.agent import read_settings
from elastic.authority import Authority, listening_context
from elastic.distribution import own_wheel
from elastic.errors import ProviderError
from elastic.providers.ec2 import DEFAULT_BOOTSTRAP, user_data, wheel_url
from elastic.providers.ec2.user_data import MOST_BYTES, package_source

GIVEN = {
    "daemon_url": "https://10.0.0.1:8471",
    "daemon_certificate": Authority(b"secret").certificate,
    "join_token": "secret'1",
    "checkpoint_root": "/shared",
    "artifact_root": "/shared",
    "env": {"ODD": "a'b\"c\n$HOME `id`"},
}
WHEEL_FILE = f"file:///root/elasticd/{own_wheel().name}#sha256={own_wheel().sha256}"
# In place of the interpreter: the agent is only named, everything else is really run.
_PYTHON = """#!/bin/sh
if [ "$1" = -m ]; then echo "agent $*" >>"$SAID"; {agent}; fi
exec {python} "$@"
"""

Boot = Callable[..., str]
_SWITCH = """#!/bin/sh
echo "$0 $*" | sed "s,.*/,," >>"$SAID"
kill -9 0
"""
# It says what it was asked, and does nothing.
_BROKEN = _SWITCH.replace("kill", "exit 1 # kill")


class _Imds(BaseHTTPRequestHandler):
    """IMDSv2: an address for whoever brings the token that a PUT gives."""

    def do_PUT(self) -> None:
        self._say(b"key" if self.path == "/latest/api/token" else b"")

    def do_GET(self) -> None:
        is_known = self.headers.get("X-aws-ec2-metadata-token") == "key"
        told = {
            "/latest/meta-data/local-ipv4": b"10.0.0.7",
            "/latest/meta-data/instance-id": b"i-1",
        }
        self._say(told.get(self.path, b"") if is_known else b"")

    def _say(self, body: bytes) -> None:
        server = self.server
        assert isinstance(server, _ImdsServer)
        is_refused = server.refusals > 0
        server.refusals -= is_refused
        body = b"" if is_refused else body
        self.send_response(200 if body else 503 if is_refused else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
        pass


class _ImdsServer(HTTPServer):
    refusals = 0
    """So many requests are not answered yet."""


@pytest.fixture
def imds_server() -> Iterator[_ImdsServer]:
    server = _ImdsServer(("127.0.0.1", 0), _Imds)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def imds(imds_server: _ImdsServer) -> str:
    return f"http://127.0.0.1:{imds_server.server_port}"


@pytest.fixture
def boot(tmp_path: Path, imds: str) -> Boot:
    """Runs a script as a machine would, and gives what was said: by the agent, by the power switch.

    `programs` are further ones, or others. It ends with the power, or `until` something else is
    true. One that is hurried counts a second in a hundredth of one; where the power stays, two ways
    to switch it off are tried in a second.
    """

    def run(
        script: bytes,
        *,
        agent: str = "exit 0",
        programs: Mapping[str, str] | None = None,
        path: str = "user-data",
        is_hurried: bool = True,
        until: Callable[[], bool] | None = None,
    ) -> str:
        # A switch that works ends everything. If another way were tried soon after it, that one
        # could be quicker on a busy machine, and end the first before it has said anything.
        pauses = {"sleep 2;": "sleep 0.02;", "sleep 1;": "sleep 0.05;"} if is_hurried else {}
        if until is not None:
            # Not shorter: on a busy machine a way that hangs would speak after the next one.
            pauses["sleep 30"] = "sleep 0.5"
        is_over = until or (lambda: False)
        folder = tmp_path / "bin"
        # All that the script may use: this machine's own switch must stay out of its reach.
        texts = dict.fromkeys(("shutdown", "poweroff", "halt"), _SWITCH)
        texts["python3"] = _PYTHON.format(agent=agent, python=sys.executable)
        for name, text in (texts | dict(programs or {})).items():
            write(folder / name, text)
        # systemd gives cloud-init no HOME.
        environ = {
            "SAID": str(tmp_path / "said"),
            "PATH": f"{folder}:{os.environ['PATH']}",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": imds,
        }
        with (tmp_path / "console").open("wb") as console:
            process = subprocess.Popen(
                [write(tmp_path / path, contained(script, tmp_path, pauses))],
                env=environ,
                start_new_session=True,
                stdout=console,
                stderr=console,
            )
            try:
                ends_s = time.monotonic() + 30
                while process.poll() is None and not is_over():
                    assert time.monotonic() < ends_s
                    time.sleep(0.02)
                while not (said := read(tmp_path / "said")) or (
                    "shutdown" not in said and not is_over()
                ):
                    assert time.monotonic() < ends_s
                    time.sleep(0.02)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return read(tmp_path / "said")

    return run


def contained(script: bytes, folder: Path, pauses: Mapping[str, str]) -> str:
    """The script with folders of its own for what it would write to, or read, of the machine
    itself, and with other pauses."""
    text = script.decode()
    places = ("/var/lib/cloud", "/proc/sysrq-trigger", "/proc/1/comm", "/sys/class/dmi/id")
    own = {"/root": str(folder), **{name: f"{folder}{name}" for name in places}}
    for old, new in (own | dict(pauses)).items():
        assert old in text
        text = text.replace(old, new)
    return text


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def is_running(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_it_writes_the_agents_settings_runs_it_and_ends_the_machine_with_it(
    boot: Boot, tmp_path: Path
) -> None:
    said = boot(user_data(GIVEN, bootstrap="true", lease_s=600))
    assert said.splitlines() == ["agent -m elastic.agent --config agent.json", "shutdown -h now"]
    folder = tmp_path / "elasticd"
    settings = read_settings(folder / "agent.json")
    assert (settings.instance_id, settings.advertise_host, settings.join_token) == (
        "i-1",
        "10.0.0.7",
        "secret'1",
    )
    assert settings.env == GIVEN["env"]
    assert not settings.may_install, "the lab's machines share this one"
    assert settings.work_dir == folder / "work"
    assert settings.setup is not None
    assert 0 <= settings.setup.elapsed_s < 60
    assert settings.setup.received_bytes >= 0
    assert not (folder / "given.json").exists()
    assert (folder.stat().st_mode & 0o077, (folder / "agent.json").stat().st_mode & 0o077) == (0, 0)
    assert "secret" not in (tmp_path / "console").read_text()


def test_the_agent_and_its_job_have_a_home_folder_though_cloud_init_has_none(
    boot: Boot, tmp_path: Path
) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=600)
    assert f"home {tmp_path}\n" in boot(script, agent='echo "home $HOME" >>"$SAID"')


def test_a_metadata_service_that_is_not_ready_is_asked_again(
    boot: Boot, imds_server: _ImdsServer, tmp_path: Path
) -> None:
    imds_server.refusals = 1
    assert boot(user_data(GIVEN, bootstrap="true", lease_s=600)).startswith("agent")
    assert imds_server.refusals == 0
    assert read_settings(tmp_path / "elasticd/agent.json").instance_id == "i-1"


def test_a_bootstrap_that_fails_ends_the_machine_and_starts_no_agent(boot: Boot) -> None:
    assert boot(user_data(GIVEN, bootstrap="false", lease_s=600)) == "shutdown -h now\n"


@pytest.mark.parametrize(
    ("answer", "is_run"),
    [
        ("echo 'GPU 0: Tesla T4 (UUID: GPU-1)'", True),
        ("echo 'No devices were found'", False),
        ("exit 9", False),
    ],
)
def test_a_machine_of_ec2_whose_gpus_have_no_driver_ends_and_says_so(
    boot: Boot, tmp_path: Path, answer: str, is_run: bool
) -> None:
    write(tmp_path / "proc/sysrq-trigger", "")
    write(tmp_path / "sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
    said = boot(
        user_data(GIVEN, bootstrap="true", has_nvidia=True, lease_s=600),
        programs={"nvidia-smi": f"#!/bin/sh\n{answer}\n"},
        path="var/lib/cloud/instance/scripts/part-001",
    )
    assert ("agent" in said) == is_run
    assert ("ec2.ami_parameter_gpu" in read(tmp_path / "console")) != is_run


def test_the_agent_of_a_machine_of_ec2_may_install_there(boot: Boot, tmp_path: Path) -> None:
    write(tmp_path / "proc/sysrq-trigger", "")
    write(tmp_path / "sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
    script = user_data(GIVEN, bootstrap="true", lease_s=600)
    assert "agent" in boot(script, path="var/lib/cloud/instance/scripts/part-001")
    assert read_settings(tmp_path / "elasticd/agent.json").may_install


def test_a_machine_of_the_lab_runs_the_agent_without_the_gpus_of_its_type(boot: Boot) -> None:
    script = user_data(GIVEN, bootstrap="true", has_nvidia=True, lease_s=600)
    assert boot(script, programs={"nvidia-smi": "#!/bin/sh\nexit 9\n"}).startswith("agent")


def test_an_agent_that_dies_ends_the_machine(boot: Boot) -> None:
    said = boot(user_data(GIVEN, bootstrap="true", lease_s=600), agent="kill -9 $$")
    assert said.endswith("shutdown -h now\n")


def test_a_machine_whose_timer_is_broken_ends(boot: Boot, tmp_path: Path) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=600)
    said = boot(script, agent="pkill -g 0 -x sleep; sleep 20", is_hurried=False)
    assert said.endswith("shutdown -h now\n")
    assert "powering off: the timer ended" in (tmp_path / "console").read_text()


@pytest.mark.parametrize("victim", ["$(cut -d' ' -f1 timers)", "$(cut -d' ' -f2 timers)", "$PPID"])
def test_a_machine_whose_timer_or_script_is_killed_ends(
    boot: Boot, tmp_path: Path, victim: str
) -> None:
    said = boot(
        user_data(GIVEN, bootstrap="true", lease_s=600), agent=f"kill -9 {victim}; sleep 20"
    )
    assert said.endswith("shutdown -h now\n")
    assert "a timer or the script was killed" in (tmp_path / "console").read_text()


@pytest.mark.parametrize("number", [1, 2])
def test_a_timer_that_is_stopped_leaves_another(boot: Boot, tmp_path: Path, number: int) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=10)
    assert boot(script, agent=f"kill -STOP $(cut -d' ' -f{number} timers); sleep 20").endswith(
        "shutdown -h now\n"
    )
    assert "the lease is over" in (tmp_path / "console").read_text()


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_system_that_has_come_to_its_last_program_waits_for_nobody(
    boot: Boot, tmp_path: Path, shell: str
) -> None:
    write(init := tmp_path / "proc/1/comm", "systemd\n")
    timers = tmp_path / "elasticd/timers"
    boot(
        user_data(GIVEN, bootstrap="true", lease_s=600).replace(
            b"#!/bin/sh", f"#!/bin/{shell}".encode(), 1
        ),
        agent=f"echo systemd-shutdow >{init}; kill -TERM 0",
        until=lambda: (
            timers.exists() and not any(is_running(int(pid)) for pid in timers.read_text().split())
        ),
    )
    assert read(tmp_path / "said") == "agent -m elastic.agent --config agent.json\n"


def test_a_timer_that_is_told_to_end_by_anything_else_powers_off_and_goes_on_with_it(
    boot: Boot, tmp_path: Path
) -> None:
    write(tmp_path / "proc/1/comm", "systemd\n")
    boot(
        user_data(GIVEN, bootstrap="true", lease_s=600),
        agent="while :; do kill -TERM $(cat timers); sleep 0.1; done",
        programs=dict.fromkeys(("shutdown", "poweroff", "halt"), _BROKEN),
        until=lambda: read(tmp_path / "said").count("shutdown") >= 20,
    )
    assert "powering off: a timer was told to end" in (tmp_path / "console").read_text()


def test_a_sync_that_hangs_and_cannot_be_ended_holds_nothing_up(boot: Boot) -> None:
    deaf = "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n"
    script = user_data(GIVEN, bootstrap="false", lease_s=600)
    assert boot(script, programs={"sync": deaf}) == "shutdown -h now\n"


@pytest.mark.parametrize("end", ["exit 1", "while :; do sleep 1; done"])
def test_a_shutdown_that_fails_or_hangs_is_tried_again_and_then_the_hard_ways(
    boot: Boot, tmp_path: Path, end: str
) -> None:
    dead = _SWITCH.replace("kill", f"{end} # kill")
    trigger = tmp_path / "proc/sysrq-trigger"
    write(trigger, "")
    write(tmp_path / "sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
    said = boot(
        user_data(GIVEN, bootstrap="false", lease_s=600),
        programs=dict.fromkeys(("shutdown", "poweroff", "halt"), dead),
        path="var/lib/cloud/instance/scripts/part-001",
        until=lambda: (
            trigger.read_text() == "o\n" and read(tmp_path / "said").count("poweroff -ff") >= 2
        ),
    ).splitlines()
    first_round = ["shutdown -h now", "poweroff ", "halt -p", "shutdown -h now", "poweroff -ff"]
    assert [said[index] for index in range(5)] == first_round
    assert said.count("shutdown -h now") >= 4


@pytest.mark.parametrize(
    ("path", "vendor"), [("user-data", "Amazon EC2\n"), ("var/lib/cloud/part-001", "Debian\n")]
)
def test_a_kernel_that_may_be_others_is_never_told_to_power_off(
    boot: Boot, tmp_path: Path, path: str, vendor: str
) -> None:
    write(trigger := tmp_path / "proc/sysrq-trigger", "")
    write(tmp_path / "sys/class/dmi/id/sys_vendor", vendor)
    boot(
        user_data(GIVEN, bootstrap="false", lease_s=600),
        programs=dict.fromkeys(("shutdown", "poweroff", "halt"), _BROKEN),
        path=path,
        until=lambda: read(tmp_path / "said").count("shutdown") >= 8,
    )
    assert trigger.read_text() == ""


def test_a_machine_that_boots_again_powers_off_and_one_of_its_image_does_not(
    boot: Boot, tmp_path: Path
) -> None:
    write(tag := tmp_path / "sys/class/dmi/id/board_asset_tag", "i-1\n")
    script = user_data(GIVEN, bootstrap="true", lease_s=600)
    boot(script, path="var/lib/cloud/instance/scripts/part-001")
    again = tmp_path / "var/lib/cloud/scripts/per-boot/elasticd"
    assert again.stat().st_mode & 0o777 == 0o700
    (tmp_path / "said").unlink()
    environ = {
        "SAID": str(tmp_path / "said"),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
    }
    tag.write_text("i-2\n")
    subprocess.run([again], env=environ, check=True, timeout=10)
    tag.write_text("i-1\n")
    process = subprocess.Popen(
        [again],
        env=environ,
        start_new_session=True,
    )
    assert process.wait(10) == -signal.SIGKILL
    assert (tmp_path / "said").read_text() == "shutdown -h now\n"


def test_what_cloud_init_does_not_run_leaves_nothing_for_a_later_boot(
    boot: Boot, tmp_path: Path
) -> None:
    (tmp_path / "var/lib/cloud/scripts/per-boot").mkdir(parents=True)
    boot(user_data(GIVEN, bootstrap="true", lease_s=600))
    assert list((tmp_path / "var/lib/cloud/scripts/per-boot").iterdir()) == []


def test_a_bootstrap_may_take_longer_than_a_lease(boot: Boot) -> None:
    script = user_data(GIVEN, bootstrap="sleep 2.5", lease_s=10, boot_s=3000)
    assert boot(script) == "agent -m elastic.agent --config agent.json\nshutdown -h now\n"


def test_after_the_first_lease_a_lease_counts_whatever_the_boot_might_have_taken(
    boot: Boot, tmp_path: Path
) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=10, boot_s=3000)
    assert boot(script, agent="echo 1 >work/lease.json; sleep 60").endswith("shutdown -h now\n")
    assert "the lease is over" in (tmp_path / "console").read_text()


@pytest.mark.slow
def test_the_machine_ends_when_nothing_renews_the_lease_though_the_agent_hangs(boot: Boot) -> None:
    script = user_data(GIVEN, bootstrap="true", lease_s=-26.0)  # and 30 s of grace: 4 s
    began = time.monotonic()
    agent = "for n in 1 2 3 4 5 6; do echo $n >work/lease.json; sleep 1; done; sleep 60"
    said = boot(script, agent=agent, is_hurried=False)
    assert said.endswith("shutdown -h now\n")
    assert 8 < time.monotonic() - began < 30


def bootstrapped(
    tmp_path: Path, *, python3: str, installer: str, packages: str = "", brings: str = "new"
) -> list[str]:
    """What the usual bootstrap asks for on a machine with this `python3`, where `installer` brings
    another."""
    programs, said, ours = tmp_path / "programs", tmp_path / "said", tmp_path / "opt"
    write(ours / "bin" / "pip", _SAY.format(said=said))
    write(ours / "bin" / "uv", _SAY.format(said=said))
    write(programs / "python3", _OLD_PYTHON if python3 == "old" else _NEW_PYTHON.format(said=said))
    for each in (installer, "apt-get"):
        write(programs / each, _SAY.format(said=said) + f"cp {tmp_path}/python3.11 {programs}\n")
    write(
        tmp_path / "python3.11", _OLD_PYTHON if brings == "old" else _NEW_PYTHON.format(said=said)
    )
    for each in ("cp", "sed", "sh", "basename"):
        (programs / each).symlink_to(shutil.which(each) or "")
    wheel = wheel_url(own_wheel(), daemon_url="https://[::1]:8471")
    lines = user_data(GIVEN, bootstrap=None, wheel=wheel, packages=packages, lease_s=600).decode()
    assert DEFAULT_BOOTSTRAP.strip() in lines
    usual = lines[lines.index(_FETCHED) + len(_FETCHED) : lines.index('python3 - "$dir"')]
    script = usual.replace("/opt/elasticd", str(ours))
    environ = {"PATH": str(programs), "ELASTICD_WHEEL": WHEEL_FILE}
    subprocess.run(
        ["/bin/sh", "-euc", script], check=True, env=environ, stderr=subprocess.PIPE, text=True
    )
    return said.read_text().replace(str(ours), "/opt/elasticd").splitlines()


# How the lines end that fetch the wheel.
_FETCHED = 'the daemon did not give it elasticd"; fi\nfi\n'
_SAY = """#!/bin/sh
echo "$(basename "$0") $* TMPDIR=$TMPDIR $UV_TORCH_BACKEND$UV_DEFAULT_INDEX" >>{said}
"""
_OLD_PYTHON = "#!/bin/sh\nexit 1\n"
_NEW_PYTHON = """#!/bin/sh
case $1 in -c) exit 0 ;; esac
echo "$(basename "$0") $*" >>{said}
"""


def test_a_node_installs_by_uv_what_its_daemon_serves_and_torch_for_its_own_processor(
    tmp_path: Path,
) -> None:
    """torch is unpacked on the disk, no copy of it is kept, and the daemon's wheel is named with
    its sum."""
    found = bootstrapped(
        tmp_path, python3="new", installer="dnf", packages=package_source(None, has_gpu=False)
    )
    assert found == [
        "python3 -m venv /opt/elasticd",
        "pip install --quiet --no-cache-dir uv TMPDIR= cpu",
        f"uv pip install --quiet --no-cache --python /opt/elasticd elasticd[train] @ {WHEEL_FILE} "
        "TMPDIR=/var/tmp cpu",
    ]


@pytest.mark.parametrize(
    ("installer", "asked"),
    [("dnf", ["dnf install"]), ("apt-get", ["apt-get update", "apt-get install"])],
)
def test_a_node_with_an_old_python_gets_a_newer_one_from_its_own_distribution(
    tmp_path: Path, installer: str, asked: list[str]
) -> None:
    found = bootstrapped(tmp_path, python3="old", installer=installer)
    assert [" ".join(each.split()[:2]) for each in found[: len(asked)]] == asked
    assert found[len(asked)] == "python3.11 -m venv /opt/elasticd"


def test_a_node_without_a_python_that_is_new_enough_says_what_it_wanted(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as told:
        bootstrapped(tmp_path, python3="old", installer="apt-get", brings="old")
    assert told.value.stderr == (
        "elasticd: wanted Python 3.11 or newer with venv, found none; set ec2.bootstrap\n"
    )


def test_an_index_of_ones_own_is_used_in_place_of_all_others(tmp_path: Path) -> None:
    line = package_source("http://10.0.0.9:3141/simple", has_gpu=True)
    *_, uv = bootstrapped(tmp_path, python3="new", installer="dnf", packages=line)
    assert uv.endswith(" http://10.0.0.9:3141/simple")
    assert "PIP_TRUSTED_HOST=10.0.0.9:3141" in line
    assert "TRUSTED" not in package_source("https://me:secret@index.example/simple", has_gpu=True)


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


class _Wheels(BaseHTTPRequestHandler):
    """Has one wheel."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(own_wheel().content)

    def log_message(self, *_: object) -> None:
        pass


def fetched(
    folder: Path, *, shows: Authority, is_standby: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs the lines that fetch the wheel, from a server with a certificate of that authority.

    A standby's address is not the first that nodes are given, and nothing is at that one.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Wheels)
    context = listening_context(shows.issue(["elsewhere"]))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        urls = [f"https://127.0.0.1:{server.server_port}"]
        if is_standby:
            urls.insert(0, "https://127.0.0.1:1")
        given = {**GIVEN, "daemon_url": urls[0], "other_urls": urls[1:]}
        wheel = wheel_url(own_wheel(), daemon_url=urls[0])
        lines = user_data(given, bootstrap="true", wheel=wheel, lease_s=600).decode()
        (folder / "given.json").write_text(json.dumps(given))
        script = lines[lines.index("ELASTICD_WHEEL=") : lines.index(_FETCHED) + len(_FETCHED)]
        head = f'dir={folder}; power_off() {{ echo "$1" >&2; exit 1; }}; sleep() {{ :; }}\n'
        return subprocess.run(
            ["/bin/sh", "-euc", head + script + '\necho "$ELASTICD_WHEEL"'],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("is_standby", [False, True])
def test_a_machine_fetches_elasticd_from_its_daemon_alone(is_standby: bool, tmp_path: Path) -> None:
    done = fetched(tmp_path, shows=Authority(b"secret"), is_standby=is_standby)
    assert done.stdout.strip() == (
        f"file://{tmp_path}/{own_wheel().name}#sha256={own_wheel().sha256}"
    )
    assert (tmp_path / own_wheel().name).read_bytes() == own_wheel().content


def test_a_machine_installs_nothing_that_another_daemon_sends(tmp_path: Path) -> None:
    done = fetched(tmp_path, shows=Authority(b"another secret"))
    assert done.returncode == 1
    assert "the daemon did not give it elasticd" in done.stderr
    assert not (tmp_path / own_wheel().name).exists()
