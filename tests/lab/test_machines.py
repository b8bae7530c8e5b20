"""Instances that boot: as root in namespaces, and as anybody in plain processes."""

from __future__ import annotations

import ctypes
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elastic.clock import SystemClock
from elastic.errors import InvalidInput
from elastic_lab import Lab, has_namespaces
from elastic_lab.namespaces import NamespaceHypervisor, ip
from tests.lab.conftest import StartLab, processes_of
from tests.lab.world import describe, eventually, launch, state, terminate_all

pytestmark = pytest.mark.slow
Client = Callable[..., Any]
TOKEN = """
imds=${AWS_EC2_METADATA_SERVICE_ENDPOINT:-http://169.254.169.254}/latest
token=$(curl -s -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' $imds/api/token)
get() { curl -s -H "X-aws-ec2-metadata-token: $token" $imds/$1; echo; }
"""
needs_root = pytest.mark.skipif(not has_namespaces(), reason="needs root, ip, nsenter and unshare")


@pytest.fixture(params=["processes", pytest.param("namespaces", marks=needs_root)])
def machines(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def script(text: str) -> str:
    return f"#!/bin/bash\n{text}\n"


def told(lab: Lab, instance_id: str, word: str) -> None:
    eventually(lambda: word in lab.log(instance_id), within_s=20.0)


def test_an_instance_runs_its_user_data_as_itself(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    text = 'echo "me $ELASTICD_LAB_INSTANCE"; python3 -c "import elastic; print(elastic.__name__)"; hostname; echo done'
    instance_id = launch(ec2, UserData=script(text))
    told(lab, instance_id, "done")
    shown = describe(ec2, instance_id)
    words = lab.log(instance_id).split()
    assert words[:3] == ["me", instance_id, "elastic"]
    assert ec2.get_console_output(InstanceId=instance_id)["Output"].split() == words
    if machines == "namespaces":
        assert words[3] == shown["PrivateDnsName"].partition(".")[0]
    assert shown["State"]["Name"] == "running"
    terminate_all(ec2)


@pytest.mark.parametrize(("behaviour", "end"), [("terminate", "terminated"), ("stop", "stopped")])
def test_a_machine_that_powers_off_ends_its_instance(
    start_lab: StartLab, client: Client, machines: str, behaviour: str, end: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    text = (
        "setsid sleep 1000 & (setsid nohup sleep 1000 &) & sleep 0.2; shutdown -P now; sleep 1000"
    )
    instance_id = launch(ec2, UserData=script(text), InstanceInitiatedShutdownBehavior=behaviour)
    eventually(lambda: state(ec2, instance_id) == end)
    assert processes_of(*(each.instance_id for each in lab.instances())) == []
    assert describe(ec2, instance_id)["StateReason"]["Code"] == "Client.InstanceInitiatedShutdown"
    terminate_all(ec2)


def test_a_stopped_instance_boots_again_without_its_user_data(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    instance_id = launch(ec2, UserData=script("echo boot"))
    told(lab, instance_id, "boot")
    ec2.stop_instances(InstanceIds=[instance_id])
    eventually(lambda: state(ec2, instance_id) == "stopped")
    ec2.start_instances(InstanceIds=[instance_id])
    eventually(lambda: state(ec2, instance_id) == "running")
    assert lab.log(instance_id).count("boot") == 1
    eventually(lambda: lab.bill().lines[0].billed_s == 120.0)
    terminate_all(ec2)


def test_compressed_user_data_is_unpacked(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    instance_id = launch(ec2, UserData=gzip.compress(script("echo unpacked").encode()))
    told(lab, instance_id, "unpacked")
    terminate_all(ec2)


def test_a_shutdown_can_wait_and_be_called_off(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    text = (
        "shutdown -P +1; sleep 0.3; shutdown -c && echo called off; shutdown -h +5; echo armed "
        "again"
    )
    instance_id = launch(ec2, UserData=script(text))
    told(lab, instance_id, "armed again")
    assert "called off" in lab.log(instance_id)
    assert state(ec2, instance_id) == "running"
    terminate_all(ec2)


def test_terminated_means_that_nothing_runs_any_more(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    text = (
        "trap '' TERM INT HUP; for i in 1 2 3; do (setsid setsid sleep 1000 &) ; done; echo up; "
        "sleep 1000"
    )
    instance_id = launch(ec2, UserData=script(text))
    told(lab, instance_id, "up")
    ec2.terminate_instances(InstanceIds=[instance_id])
    ec2.terminate_instances(InstanceIds=[instance_id])
    eventually(lambda: state(ec2, instance_id) == "terminated")
    assert processes_of(*(each.instance_id for each in lab.instances())) == []


def test_an_instance_that_ends_while_it_boots_leaves_nothing(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    for delay_s in (0.0, 0.02, 0.05, 0.1):
        instance_id = launch(ec2, UserData=script("sleep 1000"))
        time.sleep(delay_s)
        ec2.terminate_instances(InstanceIds=[instance_id])
    eventually(lambda: not lab.running())
    # What was about to start when it was ended is ended once it has.
    eventually(lambda: processes_of(*(each.instance_id for each in lab.instances())) == [])


def test_an_instance_knows_itself(start_lab: StartLab, client: Client, machines: str) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    paths = [
        "meta-data/instance-id",
        "meta-data/placement/availability-zone",
        "meta-data/local-ipv4",
    ]
    paths += ["meta-data/tags/instance/job", "meta-data/instance-life-cycle"]
    text = TOKEN + "\n".join(f"get {path}" for path in paths)
    text += "\ncurl -s -o /dev/null -w '%{http_code}\\n' $imds/meta-data/instance-id"
    text += "\nget dynamic/instance-identity/document"
    instance_id = launch(
        ec2,
        UserData=script(f"{text}; echo done"),
        MetadataOptions={"HttpTokens": "required", "InstanceMetadataTags": "enabled"},
        TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "job", "Value": "j1"}]}],
        InstanceMarketOptions={"MarketType": "spot"},
        SubnetId=lab.subnets["us-east-1b"],
    )
    told(lab, instance_id, "done")
    address = describe(ec2, instance_id)["PrivateIpAddress"]
    lines = lab.log(instance_id).splitlines()
    assert lines[:6] == [instance_id, "us-east-1b", address, "j1", "spot", "401"]
    document = json.loads("\n".join(lines[6:-1]))
    assert (document["instanceId"], document["privateIp"]) == (instance_id, address)
    terminate_all(ec2)


def test_a_spot_instance_hears_of_its_end_before_it_comes(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    lab = start_lab(machines=machines)
    ec2 = client(lab)
    text = TOKEN + (
        "until get meta-data/events/recommendations/rebalance | grep notice; do sleep 0.05; done\n"
        "until get meta-data/spot/instance-action | grep terminate; do sleep 0.05; done; sleep 1000"
    )
    instance_id = launch(ec2, UserData=script(text), InstanceMarketOptions={"MarketType": "spot"})
    eventually(lambda: state(ec2, instance_id) == "running")
    lab.interrupt(instance_id, notice_s=1.0, rebalance_s=0.5)
    eventually(lambda: state(ec2, instance_id) == "terminated")
    log = lab.log(instance_id)
    assert log.index("noticeTime") < log.index('"action": "terminate"')


def test_a_type_gets_its_share_of_a_core(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    slow = [{"node_type": "c5.xlarge", "launch": 2, "cpu_factor": 0.5}]
    lab = start_lab(machines=machines, slow_nodes=slow)
    ec2 = client(lab)
    text = (
        "python3 -c 'import time; a=time.monotonic(); u=time.process_time()\n"
        "while time.monotonic()-a < 3: pass\n"
        'print("share", (time.process_time()-u)/(time.monotonic()-a))\''
    )
    for factor in (1.0, 0.5):
        instance_id = launch(ec2, InstanceType="c5.xlarge", UserData=script(text))
        told(lab, instance_id, "share")
        # A quota is what it may take at most; busy neighbours may leave it less.
        assert 0.1 < float(lab.log(instance_id).split()[1]) / (0.5 * factor) < 1.15
        terminate_all(ec2)


def test_a_type_calculates_as_on_the_processor_that_the_scenario_says(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    price = {"on_demand_usd_per_h": 0.1, "spot_usd_per_h": 0.03}
    types = {"c4.large": {**price, "cpu_capability": "default"}, "c5.large": price}
    lab = start_lab(machines=machines, node_types=types)
    ec2 = client(lab)
    told_as = {}
    for node_type in types:
        instance_id = launch(
            ec2, InstanceType=node_type, UserData=script("echo as ${ATEN_CPU_CAPABILITY:-itself}")
        )
        told(lab, instance_id, "as")
        told_as[node_type] = lab.log(instance_id).strip()
    assert told_as == {"c4.large": "as default", "c5.large": "as itself"}
    terminate_all(ec2)


def test_an_instance_may_end_before_it_boots_and_says_why(
    start_lab: StartLab, client: Client, machines: str
) -> None:
    failing = {
        "node_type": "c5.xlarge",
        "launch": 1,
        "code": "Client.VolumeLimitExceeded",
        "message": "Volume limit",
    }
    lab = start_lab(machines=machines, launch_failures=[failing])
    ec2 = client(lab)
    first, second = (
        launch(ec2, InstanceType="c5.xlarge", UserData=script("echo up; sleep 1000"))
        for _ in range(2)
    )
    eventually(lambda: state(ec2, first) == "terminated")
    eventually(lambda: state(ec2, second) == "running")
    (raw,) = ec2.describe_instances(InstanceIds=[first])["Reservations"][0]["Instances"]
    assert raw["StateReason"]["Code"] == "Client.VolumeLimitExceeded"
    assert lab.log(first) == ""
    terminate_all(ec2)


@needs_root
def test_an_instance_cannot_reach_the_kernels_own_switch(
    start_lab: StartLab, client: Client
) -> None:
    lab = start_lab(machines="namespaces")
    ec2 = client(lab)
    text = (
        "t=/proc/sysrq-trigger; if [ -e $t ] && [ ! -c $t ]; then echo open; else echo closed; fi"
    )
    instance_id = launch(ec2, UserData=script(text))
    told(lab, instance_id, "closed")
    terminate_all(ec2)


@needs_root
def test_nodes_reach_each_other_until_one_is_cut_off(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(machines="namespaces")
    ec2 = client(lab)
    first = launch(
        ec2, UserData=script("cd $HOME; echo hello >index.html; python3 -m http.server 8000")
    )
    address = describe(ec2, first)["PrivateIpAddress"]
    eventually(lambda: state(ec2, first) == "running")
    text = f"""
    until curl -s -m 1 http://{address}:8000/; do sleep 0.1; done
    curl -s $AWS_ENDPOINT_URL/_lab/state | head -c 9; echo
    while curl -s -m 1 -o /dev/null http://{address}:8000/; do sleep 0.1; done; echo lost
    until curl -s -m 1 -o /dev/null http://{address}:8000/; do sleep 0.1; done; echo found"""
    second = launch(ec2, UserData=script(text))
    told(lab, second, '{"name"')
    lab.cut_off(first, is_cut=True)
    told(lab, second, "lost")
    lab.cut_off(first, is_cut=False)
    told(lab, second, "found")
    terminate_all(ec2)


@needs_root
def test_the_labs_own_hardware_address_stays_as_instances_come_and_go(
    start_lab: StartLab, client: Client
) -> None:
    """Nodes remember it: if it changed, they would not reach the daemon for half a minute."""
    lab = start_lab(machines="namespaces")
    ec2 = client(lab)
    instances = [launch(ec2, UserData=script("sleep 1000")) for _ in range(2)]
    (bridge,) = {
        path.parent for path in Path("/sys/class/net").glob("elab*/brif") if owns(path, lab.gateway)
    }
    seen = set()
    eventually(lambda: all(state(ec2, each) == "running" for each in instances))
    seen.add((bridge / "address").read_text())
    ec2.terminate_instances(InstanceIds=instances[1:])
    eventually(lambda: len(lab.running()) == 1)
    seen.add((bridge / "address").read_text())
    terminate_all(ec2)
    eventually(lambda: not lab.running())
    seen.add((bridge / "address").read_text())
    assert len(seen) == 1


@needs_root
def test_a_lab_begins_where_another_left_its_cables(tmp_path: Path) -> None:
    """As one that was killed does, and for a moment one that has just ended."""
    name = "elabtest"
    hypervisor = NamespaceHypervisor(
        name=name, number=45, folder=tmp_path / "lab", clock=SystemClock()
    )
    ip(f"link add {name}v1 type veth peer name {name}x")
    try:
        hypervisor.open()
        assert not Path("/sys/class/net", f"{name}v1").exists()
    finally:
        hypervisor.close()
    assert not list(Path("/sys/class/net").glob(f"{name}*"))


def owns(members: Path, address: str) -> bool:
    said = subprocess.run(
        ["ip", "addr", "show", members.parent.name], capture_output=True, text=True, check=True
    )
    return f" {address}/" in said.stdout


@needs_root
@pytest.mark.parametrize(("hops", "answer"), [(1, "container 000"), (2, "container 200")])
def test_a_container_hears_the_metadata_service_only_within_the_hop_limit(
    start_lab: StartLab, client: Client, hops: int, answer: str
) -> None:
    lab = start_lab(machines="namespaces")
    ec2 = client(lab)
    text = """
    unshare -n sleep 60 & inner=$!; sleep 0.2
    ip link add c0 type veth peer name c1; ip link set c1 netns $inner
    ip addr add 10.99.0.1/24 dev c0; ip link set c0 up
    nsenter -t $inner -n sh -c 'ip addr add 10.99.0.2/24 dev c1; ip link set c1 up; ip route add default via 10.99.0.1
    curl -s -m 2 -o /dev/null -w "container %{http_code}" -X PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" \
        http://169.254.169.254/latest/api/token'
    """
    options = {"HttpTokens": "required", "HttpPutResponseHopLimit": hops}
    instance_id = launch(ec2, UserData=script(text), MetadataOptions=options)
    told(lab, instance_id, "container")
    told(lab, instance_id, answer)
    terminate_all(ec2)


def test_plain_processes_cannot_be_cut_off(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(machines="processes")
    ec2 = client(lab)
    with pytest.raises(InvalidInput, match="root"):
        lab.cut_off(launch(ec2), is_cut=True)
    terminate_all(ec2)


# a minute of waiting: test_bill.py shows it by the clock, each story on the lab by its ledger
@pytest.mark.soak
def test_the_bill_is_what_an_observer_would_have_paid(start_lab: StartLab, client: Client) -> None:
    """Real seconds, more than the minimum of 60, with a price change on the way; all machines are
    billed alike."""
    change = {"after_s": 30, "node_type": "c5.large", "spot_usd_per_h": 0.34}
    lab = start_lab(machines="auto", prices=[change], ebs_usd_per_gib_month=1e-9)
    ec2 = client(lab)
    up_after_s = lab.state().after_s
    instance_id = launch(
        ec2, UserData=script("sleep 1000"), InstanceMarketOptions={"MarketType": "spot"}
    )
    eventually(lambda: state(ec2, instance_id) == "running")
    time.sleep(63)
    ec2.terminate_instances(InstanceIds=[instance_id])
    down_after_s = lab.state().after_s
    eventually(lambda: state(ec2, instance_id) == "terminated")
    address = (down_after_s - up_after_s) * 0.005  # A default subnet gives public addresses.
    expected = ((30 - up_after_s) * 0.034 + (down_after_s - 30) * 0.34 + address) / 3600
    assert lab.bill().usd == pytest.approx(expected, rel=0.01)


def test_a_killed_labs_instances_are_swept_by_the_next_one(
    start_lab: StartLab, client: Client, tmp_path: Path
) -> None:
    process, environment = start_command(tmp_path)
    try:
        instance_id = launch_there(client, environment)
        eventually(lambda: len(processes_of(instance_id)) > 1)
        # A second lab beside it takes a place of its own and leaves the first one's alone.
        start_lab()
        assert len(processes_of(instance_id)) > 1
    finally:
        process.kill()
        process.communicate(timeout=30)
    assert len(processes_of(instance_id)) > 1
    subprocess.run([sys.executable, "-c", SWEEP], check=True, cwd=Path.cwd())
    assert processes_of(instance_id) == []


SWEEP = """
from elastic_lab import parse_scenario, running_lab
from tests.lab.world import FIELDS
with running_lab(parse_scenario(FIELDS)):
    pass
"""


def test_the_command_prints_what_to_export_and_leaves_nothing_behind(
    client: Client, tmp_path: Path
) -> None:
    process, environment = start_command(tmp_path)
    instance_id = launch_there(client, environment)
    eventually(lambda: len(processes_of(instance_id)) > 1)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "the lab has ended" in rest
    assert processes_of(instance_id) == []
    assert set(environment) >= {"AWS_ENDPOINT_URL", "AWS_REGION", "ELASTICD_LAB_GATEWAY"}


def test_a_signal_that_another_thread_was_given_ends_the_lab_too(tmp_path: Path) -> None:
    """The kernel may give a process's signal to any of its threads, and wakes that one alone."""
    process, _ = start_command(tmp_path)
    other = max(int(each.name) for each in Path(f"/proc/{process.pid}/task").iterdir())
    assert other != process.pid
    try:
        assert ctypes.CDLL(None).tgkill(process.pid, other, signal.SIGINT) == 0
        rest, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "the lab has ended" in rest


def start_command(folder: Path) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """Runs `elasticd lab`; gives it and what it said to export."""
    file = folder / "scenario.yaml"
    file.write_text("node_types: {c5.large: {on_demand_usd_per_h: 0.085}}\n")
    command = [sys.executable, "-m", "elastic.cli", "lab", "--scenario", str(file)]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    environment = {}
    for line in process.stdout:
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").strip().partition("=")
            environment[name] = value
        if line.startswith("# bill"):
            break
    return process, environment


def launch_there(client: Client, environment: dict[str, str]) -> str:
    class There:
        endpoint_url = environment["AWS_ENDPOINT_URL"]
        region = environment["AWS_REGION"]

    return launch(client(There()), UserData=script("sleep 1000"))
