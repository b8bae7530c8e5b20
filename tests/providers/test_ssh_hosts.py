"""What hosts there are, what they are found to be, and what a host itself says; without any ssh."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from elastic.clock import ManualClock
from elastic.config import Settings, SshHost, SshSettings
from elastic.errors import CapacityUnavailable, InvalidInput
from elastic.model import Offering, Precision
from elastic.providers import LaunchRequest, Trouble
from elastic.providers.keeping import REST_LOOK_S, packages, refuse
from elastic.providers.keeping.address import NotPossible
from elastic.providers.ssh import (
    Access,
    Cluster,
    Host,
    NodeTerms,
    SshProvider,
    parse_hostfile,
    parse_hosts_yaml,
    read_hosts,
)
from elastic.providers.ssh.attendant import Attendant, own_part
from elastic.providers.ssh.bundle import bundle, command, first_line
from elastic.providers.ssh.connection import HostRefused
from elastic.providers.ssh.memory import HostMemory, Memories
from elastic.providers.ssh.node_types import (
    NOMINAL_USD_PER_H,
    node_type,
    price_of,
    types_of,
    unlike,
)
from elastic.providers.ssh.survey import Checks, survey

FACTS: dict[str, Any] = {
    "cores": 8,
    "physical_cores": 4,
    "memory_gib": 31.2,
    "gpus": ["NVIDIA GeForce RTX 3090"] * 2,
    "bf16": False,
}


def settings_of(folder: Path, text: str) -> SshSettings:
    path = folder / "hosts"
    path.write_text(text)
    return SshSettings(hosts_file=path)


def test_a_hosts_file_says_type_and_price_and_the_settings_say_the_rest(tmp_path: Path) -> None:
    text = "hosts:\n  a: {type: desk, usd_per_h: 0.1, slots: 2}\n  b:\n"
    settings = settings_of(tmp_path, text).model_copy(
        update={"usd_per_h": 0.5, "python": "/opt/python", "hosts": (SshHost(name="c"),)}
    )
    assert read_hosts(settings) == (
        Host("c", 0.5, python="/opt/python"),
        Host("a", 0.1, "desk", 2, python="/opt/python"),
        Host("b", 0.5, python="/opt/python"),
    )


@pytest.mark.parametrize("text", ["- a\n- b\n", "hosts: [a, b]\n", "hosts:\n- name: a\n- b\n"])
def test_a_list_of_hosts_is_a_hosts_file(tmp_path: Path, text: str) -> None:
    assert [each.name for each in read_hosts(settings_of(tmp_path, text))] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "a slots=4\nb slots=2 max-slots=8\n",
        "a:4\nb:2 # mine\n",
        "# all\n\na slots=4\nb:2",
        "a slots = 4\nb slots= 2\n",
    ],
)
def test_an_mpi_hostfile_is_understood_in_each_of_its_forms(tmp_path: Path, text: str) -> None:
    found = read_hosts(settings_of(tmp_path, text))
    assert [(each.name, each.slots, each.usd_per_h) for each in found] == [("a", 4, 0), ("b", 2, 0)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "wanted hosts, got none"),
        ("hosts:\n  a: {tpye: desk}\n", "host a: no field 'tpye'; did you mean 'type'"),
        ("hosts:\n  a: {type: A100}\n", "host a: type: wanted a name of a-z, .* got 'A100'"),
        ("hosts:\n  a:2222: {}\n", "ssh takes no port after a name; name the host a, and"),
        ("hosts:\n  a: {usd_per_h: -1}\n", "greater than or equal to 0"),
        ("hosts: 3\n", "wanted `hosts:`"),
        ("a slots=0\n", "line 1: wanted `HOST slots=N`"),
        ("-oProxyCommand=evil slots=1\n", "line 1: wanted `HOST slots=N`"),
        ("hosts:\n- a\n- a\n", "host a: named twice"),
        (
            "hosts:\n  a: {type: t, usd_per_h: 1}\n  b: {type: t, usd_per_h: 2}\n",
            "one type has one price",
        ),
    ],
)
def test_what_is_wrong_with_a_hosts_file_is_said(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read_hosts(settings_of(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"ssh\.hosts_file: .*none: wanted a hosts file, found no such file: write one",
    ):
        read_hosts(SshSettings(hosts_file=tmp_path / "none"))


def test_a_hosts_file_of_any_editor_is_read_or_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("hosts: {a: {}}", encoding="utf-8-sig")
    settings = SshSettings(hosts_file=tmp_path / "hosts")
    assert [each.name for each in read_hosts(settings)] == ["a"]
    (tmp_path / "hosts").write_bytes(b"# B\xfcro\nhosts: {a: {}}")
    with pytest.raises(InvalidInput, match="wanted a hosts file, found what is no text in UTF-8"):
        read_hosts(settings)


def test_the_same_host_on_two_lines_has_the_sum_of_its_slots() -> None:
    assert parse_hostfile("a slots=2\nb\na slots=1\n") == (
        SshHost(name="a", slots=3),
        SshHost(name="b"),
    )
    assert parse_hosts_yaml(["a"]) == (SshHost(name="a"),)


def test_a_type_is_what_was_found_and_slots_bound_it() -> None:
    desk = HostMemory(Host("desk", 0.0, slots=1), FACTS)
    found = node_type("desk", [desk])
    assert (found.cpu, found.cores, found.memory_gib) == (1, 1, 31.2)
    assert (found.gpu_count, found.gpu_model) == (1, "NVIDIA GeForce RTX 3090")
    assert Precision.BF16 in found.precisions
    assert types_of([desk]) == {"desk": "1cpu-31gib-1xrtx-3090"}


def test_hosts_of_one_type_count_as_the_smallest_and_that_is_said() -> None:
    small = HostMemory(Host("a", 0.0, "desk"), {**FACTS, "cores": 4, "gpus": []})
    large = HostMemory(Host("b", 0.0, "desk"), FACTS)
    found = node_type("desk", [small, large])
    assert (found.cpu, found.gpu_count, found.gpu_model) == (4, 0, None)
    assert unlike("desk", [small, large]).startswith("type desk: a has 4 cores, b has 8 cores and")
    assert unlike("desk", [large, large]) == ""


def test_hosts_without_a_type_share_one_only_at_one_price() -> None:
    hosts = [Host("a", 0.1), Host("b", 0.1), Host("c.lan", 0.2)]
    same = [HostMemory(each, {**FACTS, "gpus": []}) for each in hosts]
    assert types_of(same[:2]) == {"a": "8cpu-31gib", "b": "8cpu-31gib"}
    assert set(types_of(same).values()) == {"8cpu-31gib-a", "8cpu-31gib-b", "8cpu-31gib-c-lan"}
    assert types_of([HostMemory(hosts[0])]) == {}, "a host that never answered is of no type yet"


def test_a_host_that_is_free_of_charge_has_the_least_price() -> None:
    assert price_of(Host("a", 0.0)) == NOMINAL_USD_PER_H
    assert price_of(Host("a", 0.3)) == 0.3


def test_what_is_remembered_survives_a_restart_and_a_damaged_file_is_no_memory(
    tmp_path: Path,
) -> None:
    node = {"node_id": "node-1", "state": "running", "token": "t"}
    memory = HostMemory(Host("a", 0.1), FACTS, (node,), ending=("node-1",), disk_free_bytes=7)
    Memories(tmp_path).read()
    Memories(tmp_path).write(memory)
    assert Memories(tmp_path).read() == {"a": memory}
    (path,) = tmp_path.glob("*.json")
    path.write_text("{")
    assert Memories(tmp_path).read() == {}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "host: wanted an address of this machine that nodes reach"),
        ({"host": "10.0.0.5"}, "checkpoint_root: wanted a place"),
        ({"host": "0.0.0.0", "checkpoint_root": "/nfs"}, "host: wanted an address"),
    ],
)
def test_settings_with_which_no_node_could_work_are_refused(more: dict[str, str], why: str) -> None:
    settings = Settings(provider="ssh").model_copy(update=more)
    with pytest.raises(InvalidInput, match=why):
        refuse(settings, url="http://127.0.0.1:8470")


def test_an_address_of_its_own_or_a_list_of_urls_is_enough() -> None:
    refuse(Settings(host="10.0.0.5", checkpoint_root="/nfs"), url="http://10.0.0.5:8470")
    urls = ("https://desk:8471",)
    refuse(Settings(daemon_urls=urls, checkpoint_root="/nfs"), url="http://127.0.0.1:8470")


def test_an_index_of_ones_own_is_used_in_place_of_all_others() -> None:
    assert packages(None) == {"UV_TORCH_BACKEND": "auto"}
    assert packages("http://user:word@index.example:8000/simple") == {
        "PIP_INDEX_URL": "http://user:word@index.example:8000/simple",
        "UV_DEFAULT_INDEX": "http://user:word@index.example:8000/simple",
        "PIP_TRUSTED_HOST": "index.example:8000",
    }


def test_what_hosts_run_is_small_and_needs_the_standard_library_alone(tmp_path: Path) -> None:
    packed = bundle()
    assert len(packed.content) < 24_000
    names = zipfile.ZipFile(BytesIO(packed.content)).namelist()
    assert "elastic/providers/ssh/attendant.py" in names
    path = tmp_path / packed.name
    path.write_bytes(packed.content)
    # -S: no package that is installed here can be imported.
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(path), "wrong"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "wanted elasticd-keeper and a node's folder\n"


def test_a_host_answers_over_any_pipe_and_ends_with_it(tmp_path: Path) -> None:
    lines = [first_line(str(tmp_path / "files")), json.dumps({"do": "facts"})]
    done = subprocess.run(
        ["sh", "-c", command(sys.executable)],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    ready, facts = map(json.loads, done.stdout.splitlines())
    assert ready["program"] == str(tmp_path / "files" / bundle().name)
    assert facts["cores"] >= 1 and facts["memory_gib"] > 0


def test_a_host_without_python_says_what_to_install() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", command(None)],
        input="",
        env={"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 127
    assert "wanted Python 3.11 or newer, found none" in done.stderr or "not found" in done.stderr


def attendant(folder: Path) -> Attendant:
    (folder / "proc").mkdir(exist_ok=True)
    (folder / "files" / "nodes").mkdir(parents=True, exist_ok=True)
    return Attendant(folder / "files", proc=folder / "proc")


def lead_to(machine: Attendant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has this machine answer for all hosts, without any ssh."""

    def ask_each(
        _links: object, requests: dict[str, Any], *, timeout_s: float = 0.0
    ) -> dict[str, Any]:
        answers = {host: machine.answer(request) for host, request in requests.items()}
        return {
            host: HostRefused(f"{host}: {each['refused']}") if "refused" in each else each
            for host, each in answers.items()
        }

    monkeypatch.setattr("elastic.providers.ssh.connection.HostLinks.ask_each", ask_each)


def provider_of(
    folder: Path, clock: ManualClock, *hosts: Host, shared: Path = Path("/checkpoints")
) -> SshProvider:
    return SshProvider(
        hosts,
        access=Access(),
        cluster=Cluster("ours", "here"),
        folder=folder / "memory",
        terms=NodeTerms(str(shared), str(shared)),
        clock=clock,
        least_free_bytes=0,
    )


def test_each_machine_has_its_own_part_of_a_home_folder_that_machines_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def part_of(machine: str) -> Path:
        monkeypatch.setattr("socket.gethostname", lambda: machine)
        return own_part(tmp_path)

    own = {each: part_of(each) for each in ("desk-a", "desk-b", "desk-c")}
    assert own == {
        "desk-a": tmp_path,
        "desk-b": tmp_path / "machines/desk-b",
        "desk-c": tmp_path / "machines/desk-c",
    }
    assert [part_of(each) for each in own] == list(own.values())


def test_a_quota_that_is_used_up_is_no_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_it(path: Path, content: bytes) -> int:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    machine = attendant(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", refuse_it)
    told = machine.answer({"do": "put", "path": "wheels/w", "content": ""})
    why = "your quota there is used up; make room, or set another `folder` in [ssh]"
    assert told == {"refused": f"{tmp_path / 'files'}: {why}"}


def test_a_machine_that_is_named_twice_is_one_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = attendant(tmp_path)

    lead_to(machine, monkeypatch)
    hosts = [Host(name, 0.05, "desk") for name in ("desk", "10.0.0.7")]
    provider = provider_of(tmp_path, ManualClock(1000.0), *hosts)
    assert provider.instances() == ()
    why = "it is the same machine as desk; take one of them out of your hosts"
    assert provider.troubles()[Trouble.HOSTS].endswith(f": 10.0.0.7: {why}")
    (blocked,) = provider.blocks.listed(now_s=1000.0)
    assert blocked.nodes == 2
    first, second = survey(hosts, Access(), now_s=1000.0)
    assert (first.state, second.state, second.troubles[0]) == ("free", "unfit", why)


def test_gpus_are_those_that_nvidia_smi_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA RTX A4000'; echo 'NVIDIA RTX A4000'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert attendant(tmp_path).answer({"do": "facts"})["gpus"] == ["NVIDIA RTX A4000"] * 2
    program.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'; exit 9\n")
    facts = attendant(tmp_path).answer({"do": "facts"})
    assert (facts["gpus"], facts["wrong"]) == ([], "")


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        (
            "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18",
            "nvidia-smi fails: Failed to initialize NVML: Driver/library version mismatch; restart "
            "the host",
        ),
        ("exec sleep 60", "nvidia-smi hangs; restart the host"),
    ],
)
def test_a_host_whose_gpus_cannot_be_asked_is_not_used_until_they_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, wrong: str
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.attendant.ANSWER_TIMEOUT_S", 0.3)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    machine = attendant(tmp_path)
    # The kernel's driver has one.
    (tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0").mkdir(parents=True)
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA RTX A4000'\n")
    program.chmod(0o755)
    clock = ManualClock(1000.0)
    lead_to(machine, monkeypatch)
    host = Host("desk", 0.05, "desk")
    assert [each.gpu_count for each in provider_of(tmp_path, clock, host).node_types()] == [1]

    program.write_text(f"#!/bin/sh\n{script}\n")
    provider = provider_of(tmp_path, clock, host)
    for _ in range(2):
        provider.instances()
        assert provider.troubles()[Trouble.HOSTS].endswith(f": desk: {wrong}")
        assert [each.gpu_count for each in provider.node_types()] == [1]
        (blocked,) = provider.blocks.listed(now_s=clock.now_s())
        assert blocked.nodes == 1
    (report,) = survey([host], Access(), now_s=1000.0)
    assert (report.state, report.troubles) == ("unfit", (wrong,))

    program.write_text("#!/bin/sh\necho 'NVIDIA RTX A4000'\n")
    clock.advance(REST_LOOK_S)
    provider.instances()
    assert provider.troubles() == {}


def test_a_container_engine_that_hangs_keeps_no_host_from_being_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.providers.ssh.attendant.CONNECT_TIMEOUT_S", 0.1)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for engine in ("docker", "podman"):
        (tmp_path / engine).write_text("#!/bin/sh\nexec sleep 60\n")
        (tmp_path / engine).chmod(0o755)
    facts = attendant(tmp_path).answer({"do": "facts"})
    assert facts["cores"] >= 1
    assert "timed out after 0.1 seconds; podman: " in facts["engine"]


@pytest.mark.parametrize(
    ("has_image", "engine", "asked"),
    [
        (True, "docker 28.2.2", "b"),
        (True, "none (no docker)", "ab"),
        (False, "docker 28.2.2", "ab"),
    ],
)
def test_a_job_in_an_image_is_started_on_hosts_that_have_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_image: bool, engine: str, asked: str
) -> None:
    machine = attendant(tmp_path)
    engines = {"a": "none (docker: no daemon)", "b": engine}

    def ask_each(
        _links: object, requests: dict[str, Any], *, timeout_s: float = 0.0
    ) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for host, request in requests.items():
            answers[host] = machine.answer(request)
            match request["do"]:
                case "look":
                    answers[host]["machine"] = [host]
                case "facts":
                    answers[host]["engine"] = engines[host]
                case "launch":
                    answers[host] = HostRefused(f"{host}: was asked")
        return answers

    monkeypatch.setattr("elastic.providers.ssh.connection.HostLinks.ask_each", ask_each)
    hosts = [Host(name, 0.05, "desk", python="python3") for name in "ab"]
    provider = provider_of(tmp_path, ManualClock(1000.0), *hosts)
    wanted = LaunchRequest(
        "token",
        ("node-1",),
        "job-1",
        Offering("desk"),
        "https://10.0.0.5:8471",
        "secret",
        has_image=has_image,
    )
    with pytest.raises(CapacityUnavailable) as refused:
        provider.launch(wanted)
    assert re.findall(r"(\w): was asked", str(refused.value)) == list(asked)
    lacks = "a: the job's image wants a container engine, found none (docker: no daemon)"
    assert (lacks in str(refused.value)) == (asked == "b")


def test_a_host_that_does_not_say_what_it_is_is_listed_with_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = attendant(tmp_path)
    answer = machine.answer
    monkeypatch.setattr(
        machine,
        "answer",
        lambda asked: {"refused": "no memory"} if asked["do"] == "facts" else answer(asked),
    )
    lead_to(machine, monkeypatch)
    (report,) = survey([Host("desk", 0.05, "desk")], Access(), now_s=1000.0)
    assert (report.state, report.troubles) == ("unfit", ("no memory",))


def test_the_node_of_another_account_keeps_a_host_from_being_used(tmp_path: Path) -> None:
    host = attendant(tmp_path)
    look = {"do": "look", "cluster": "ours", "now_s": 1.0}
    assert host.answer(look)["claim"] is None
    keeper = tmp_path / "proc" / "77"
    keeper.mkdir()
    words = ("python3", "host.pyz", "elasticd-keeper", "/home/ada/.elasticd/nodes/node-5", "")
    (keeper / "cmdline").write_bytes("\0".join(words).encode())
    claim = host.answer(look)["claim"]
    assert claim["node_id"] == "node-5"
    assert claim["place"].endswith("of this host, files in /home/ada/.elasticd")


def test_a_launch_that_died_before_it_started_anything_claims_no_host(tmp_path: Path) -> None:
    host = attendant(tmp_path)
    claim = {"cluster": "gone", "place": "there", "node_id": "node-1", "launched_at_s": 0.0}
    path = tmp_path / "files" / "claim.json"
    path.write_text(json.dumps(claim))
    assert host.answer({"do": "look", "cluster": "ours", "now_s": 1.0})["claim"] is None
    assert not path.exists()


def test_a_damaged_record_is_said_and_nothing_is_called_free(tmp_path: Path) -> None:
    host = attendant(tmp_path)
    (tmp_path / "files" / "claim.json").write_text("{half")
    answer = host.answer({"do": "look", "cluster": "ours", "now_s": 1.0})
    assert answer["refused"].startswith(f"a record below {tmp_path / 'files'} is damaged")


def test_an_id_that_is_no_name_of_a_folder_reaches_no_file(tmp_path: Path) -> None:
    answer = attendant(tmp_path).answer({"do": "tail", "node_id": "../../etc"})
    assert answer == {
        "refused": "'../../etc': a node's id is wanted as 1 to 100 of A-Z a-z 0-9 _ -"
    }
    assert issubclass(NotPossible, Exception)


def test_a_check_says_what_is_missing_and_what_to_do(tmp_path: Path) -> None:
    asked = {
        "do": "check",
        "python": None,
        "imports": "import os",
        "daemon_url": "http://127.0.0.1:1",
        "marker": str(tmp_path / "shared" / "marker"),
    }
    findings = attendant(tmp_path).answer(asked)["findings"]
    assert [what for what, _ in findings] == [
        "the daemon at 127.0.0.1:1 cannot be reached from here: [Errno 111] Connection refused",
        f"{tmp_path / 'shared'} is not the daemon's folder of checkpoints",
    ]
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "marker").touch()
    assert len(attendant(tmp_path).answer(asked)["findings"]) == 1
    assert [each.name for each in (tmp_path / "shared").iterdir()] == ["marker"]


def test_a_host_is_not_used_until_it_sees_the_daemons_folder_of_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = attendant(tmp_path)
    answer = machine.answer
    shared = tmp_path / "shared"
    (shared / "daemon").mkdir(parents=True)
    mounted = tmp_path / "mounted"

    def elsewhere(asked: dict[str, Any]) -> dict[str, Any]:
        if "marker" in asked:
            assert asked["marker"] == str(shared / "daemon")
            asked = {**asked, "marker": str(mounted / "daemon")}
        return answer(asked)

    monkeypatch.setattr(machine, "answer", elsewhere)
    lead_to(machine, monkeypatch)
    clock = ManualClock(1000.0)
    provider = provider_of(tmp_path, clock, Host("desk", 0.05, "desk"), shared=shared)
    assert provider.instances() == ()
    assert f"{mounted} is not the daemon's folder" in provider.troubles()[Trouble.HOSTS]
    (mounted / "daemon").mkdir(parents=True)
    clock.advance(REST_LOOK_S)
    provider.instances()
    assert provider.troubles() == {}
    assert [each.name for each in provider.node_types()] == ["desk"]
    assert [each.name for each in mounted.iterdir()] == ["daemon"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo \"ModuleNotFoundError: No module named 'elastic'\" >&2; exit 1", "named 'elastic'"),
        (None, "No such file or directory"),
    ],
)
def test_a_check_tries_the_python_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, why: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if script is not None:
        (tmp_path / "python").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "python").chmod(0o755)
    lead_to(attendant(tmp_path), monkeypatch)
    checks = Checks("http://127.0.0.1:1", None)
    host = Host("desk", 0.05, "desk", python="~/python")
    (report,) = survey([host], Access(), checks=checks, now_s=1000.0)
    assert why in report.troubles[0]


def test_a_python_in_the_home_folder_is_found_by_the_shell(tmp_path: Path) -> None:
    (tmp_path / "my python").symlink_to(sys.executable)
    done = subprocess.run(
        ["/bin/sh", "-c", command("~/my python")],
        input=first_line(str(tmp_path / "files")) + "\n",
        env={"PATH": "/nowhere", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_check_finds_a_shared_folder_that_takes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_it(path: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    (tmp_path / "marker").touch()
    monkeypatch.setattr(Path, "touch", refuse_it)
    asked = {"do": "check", "python": None, "daemon_url": "http://127.0.0.1:1"}
    asked["imports"] = "import os"
    asked["marker"] = str(tmp_path / "marker")
    (_, (what, advice)) = attendant(tmp_path).answer(asked)["findings"]
    assert what == f"{tmp_path} cannot be read and written here: Read-only file system"
    assert "root_squash" in advice
