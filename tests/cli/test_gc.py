import json
import os
import time
from typing import Any

import pytest

from elastic.cli.gc import duration_s
from elastic.clock import ManualClock
from elastic.errors import InvalidInput
from tests.cli.commands import Run, runner
from tests.providers import ec2_world
from tests.providers.contract import buy, request
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_places import HERE
from tests.providers.ec2_world import REGION, provider_of

served, endpoint, ec2, clock = ec2_world.served, ec2_world.endpoint, ec2_world.ec2, ec2_world.clock

OURS = ("--cluster", "tested", "--region", REGION)


@pytest.fixture
def elasticd(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)
    return runner(capsys)


@pytest.fixture
def hour_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reaper looks an hour after the purchases: how old they are is EC2's word, which no test
    can set."""
    monkeypatch.setattr("elastic.cli.gc.SystemClock", lambda: ManualClock(time.time() + 3600.0))


def _keep_alive(ec2: Any, provider_id: str) -> None:
    tag = {"Key": "elasticd:attended", "Value": f"{time.time() + 3600:.0f}"}
    ec2.create_tags(Resources=[provider_id], Tags=[tag])


def _states(ec2: Any) -> dict[str, str]:
    pages = ec2.describe_instances()["Reservations"]
    return {
        each["InstanceId"]: each["State"]["Name"] for page in pages for each in page["Instances"]
    }


def test_a_machine_that_was_just_bought_is_kept_alive(elasticd: Run) -> None:
    launched = buy(provider_of(), request(1, HERE))
    (row,) = json.loads(elasticd("gc", *OURS, "-o", "json").out)
    assert (row["provider_id"], row["node_id"], row["verdict"]) == (
        launched.provider_id,
        "node-1",
        "kept alive",
    )


@pytest.mark.usefixtures("hour_on")
def test_without_terminate_nothing_is_ended(elasticd: Run, ec2: Any) -> None:
    launched = buy(provider_of(), request(1, HERE))
    done = elasticd("gc", *OURS, "--older-than", "0s")
    assert (done.status, "abandoned" in done.out) == (0, True)
    assert _states(ec2) == {launched.provider_id: "running"}


@pytest.mark.usefixtures("hour_on")
def test_what_no_daemon_stands_for_is_ended_and_nothing_else(
    elasticd: Run, ec2: Any, endpoint: Endpoint
) -> None:
    kept, abandoned = (buy(provider_of(), request(number, HERE)).provider_id for number in (1, 2))
    other = buy(
        provider_of(ec2_world.PLAIN.model_copy(update={"cluster": "another"})), request(3, HERE)
    ).provider_id
    _keep_alive(ec2, kept)
    done = elasticd("gc", *OURS, "--older-than", "15m", "--terminate", "--yes")
    assert done.status == 0
    assert abandoned in done.err
    assert _states(ec2) == {kept: "running", abandoned: "terminated", other: "running"}
    assert elasticd("gc", *OURS, "--older-than", "2h", "--terminate", "--yes").err == ""


@pytest.mark.usefixtures("hour_on")
def test_a_machine_that_may_not_be_ended_keeps_no_other_alive(elasticd: Run, ec2: Any) -> None:
    protected, abandoned = (
        buy(provider_of(), request(number, HERE)).provider_id for number in (1, 2)
    )
    ec2.modify_instance_attribute(InstanceId=protected, DisableApiTermination={"Value": True})
    done = elasticd("gc", *OURS, "--terminate", "--yes")
    assert _states(ec2) == {protected: "running", abandoned: "terminated"}
    assert done.status == 1
    assert f"terminating {protected} (ec2:TerminateInstances): refused" in done.err
    assert f"asked for the end of {abandoned};" in done.err
    assert f"could not end {protected}," in done.err
    ec2.modify_instance_attribute(InstanceId=protected, DisableApiTermination={"Value": False})
    assert elasticd("gc", *OURS, "--terminate", "--yes").status == 0


@pytest.mark.usefixtures("hour_on")
def test_where_each_end_is_throttled_each_is_told(
    elasticd: Run, ec2: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [buy(provider_of(), request(number, HERE)).provider_id for number in (1, 2)]
    endpoint.forbid("TerminateInstances", "RequestLimitExceeded")
    # Between the client's own attempts.
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    done = elasticd("gc", *OURS, "--terminate", "--yes")
    endpoint.always.clear()
    assert (done.status, "asked for the end" in done.err) == (1, False)
    assert all(
        f"terminating {each} (ec2:TerminateInstances): throttled" in done.err for each in ids
    )
    assert set(_states(ec2).values()) == {"running"}


@pytest.mark.usefixtures("hour_on")
def test_where_nobody_can_be_asked_nothing_is_ended_and_that_is_said(
    elasticd: Run, ec2: Any
) -> None:
    buy(provider_of(), request(1, HERE))
    done = elasticd("gc", *OURS, "--terminate")
    assert (done.status, "say --yes" in done.err) == (2, True)
    assert set(_states(ec2).values()) == {"running"}


@pytest.mark.usefixtures("hour_on")
@pytest.mark.parametrize("text", ["0s", "1m", "14m"])
def test_none_is_ended_that_may_have_been_marked_since_the_last_look(
    elasticd: Run, ec2: Any, text: str
) -> None:
    launched = buy(provider_of(), request(1, HERE))
    done = elasticd("gc", *OURS, "--older-than", text, "--terminate", "--yes")
    assert (done.status, "wanted at least 15m with --terminate" in done.err) == (2, True)
    assert _states(ec2) == {launched.provider_id: "running"}
    assert "abandoned" in elasticd("gc", *OURS, "--older-than", text).out


@pytest.mark.parametrize("text", ["", "30", "m", "-1h", "1w"])
def test_a_time_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="wanted a time such as 30m"):
        duration_s(text)
