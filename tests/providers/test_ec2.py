import base64
import json
import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Requirements, Ec2Settings
from elastic.errors import (
    CapacityUnavailable,
    Forbidden,
    InvalidInput,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
)
from elastic.model import Capacity, Obstacle, Offering, Precision
from elastic.providers import InstanceState, Provider, Trouble
from elastic.providers.ec2 import (
    DEFAULT_BOOTSTRAP,
    Ec2Provider,
    Paths,
    connect,
    read_machines,
    wheel_url,
)
from elastic.providers.ec2.account import Scope, policy
from elastic.providers.ec2.advisor import advisor_buckets
from tests.providers import ec2_world
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.ec2_endpoint import Endpoint, Scripted
from tests.providers.ec2_places import HERE
from tests.providers.ec2_world import PLAIN, REGION, WholeSeconds, provider_of

served, endpoint, ec2, clock = ec2_world.served, ec2_world.endpoint, ec2_world.ec2, ec2_world.clock

pytestmark = pytest.mark.usefixtures("endpoint")

DAY_S = 24 * 3600.0
SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1b")


class TestEc2Provider(ProviderContract):
    """moto boots and ends machines at once, and makes two of one ClientToken: the provider must see
    to that itself."""

    @pytest.fixture
    def world(self, endpoint: Endpoint, ec2: Any) -> World:
        return World(
            connect=provider_of,
            clock=WholeSeconds(),
            pass_time=lambda: None,
            destroy=lambda provider_id: ec2.terminate_instances(InstanceIds=[provider_id]),
            limit=lambda _, most: endpoint.bound(most),
            # moto's own doing: in whole seconds, so it shows where a second has passed
            dates_ends_anew=True,
        )


def _described(ec2: Any, provider_id: str) -> dict[str, Any]:
    found: dict[str, Any] = ec2.describe_instances(InstanceIds=[provider_id])["Reservations"][0][
        "Instances"
    ][0]
    return found


def _tags(raw: dict[str, Any]) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in raw["Tags"]}


def _user_data(sent: dict[str, str]) -> str:
    return base64.b64decode(sent["LaunchTemplateData.UserData"]).decode()


def test_a_machine_bears_its_cluster_job_node_and_intent_and_so_does_its_disk(ec2: Any) -> None:
    launched = buy(provider_of(), request(1, HERE))
    wanted = {
        "elasticd:cluster": "tested",
        "elasticd:job": "job-1",
        "elasticd:node": "node-1",
        "elasticd:intent": "token-1",
        "Name": "elasticd node-1",
    }
    machine = _described(ec2, launched.provider_id)
    assert _tags(machine) == wanted
    (disk,) = ec2.describe_volumes(
        VolumeIds=[machine["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]]
    )["Volumes"]
    assert _tags(disk) == wanted


TAGS = {"CostCenter": "4711", "Name": "vision"}


@pytest.mark.parametrize("is_fleet_permitted", [True, False])
def test_all_that_a_launch_makes_bears_the_settings_tags(
    endpoint: Endpoint, ec2: Any, is_fleet_permitted: bool
) -> None:
    """An organization may deny each of these calls without them."""
    if not is_fleet_permitted:
        endpoint.forbid("CreateFleet")
    launched = buy(provider_of(PLAIN.model_copy(update={"tags": TAGS})), request(1, HERE))
    machine = _described(ec2, launched.provider_id)
    assert _tags(machine).items() >= TAGS.items()
    assert _tags(machine)["elasticd:cluster"] == "tested"
    (disk,) = ec2.describe_volumes(
        VolumeIds=[machine["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]]
    )["Volumes"]
    assert _tags(disk) == _tags(machine)
    (group,) = ec2.describe_security_groups(
        Filters=[{"Name": "group-name", "Values": ["elasticd-tested"]}]
    )["SecurityGroups"]
    assert _tags(group) == {**TAGS, "elasticd:cluster": "tested"}
    (template,) = ec2.describe_launch_templates()["LaunchTemplates"]
    assert _tags(template).items() >= {**TAGS, "elasticd:job": "job-1"}.items()
    (fleet,) = endpoint.sent("CreateFleet")
    assert _given(fleet, "") == {"fleet": TAGS}
    if is_fleet_permitted:
        (sent,) = endpoint.sent("CreateLaunchTemplateVersion")
        given = _given(sent, "LaunchTemplateData.")
    else:
        (sent,) = endpoint.sent("RunInstances")
        given = _given(sent, "")
    assert given["network-interface"] == TAGS
    assert set(given) == {"instance", "volume", "network-interface"}


def test_without_tags_in_the_settings_a_policy_of_before_them_suffices(endpoint: Endpoint) -> None:
    buy(provider_of(), request(1, HERE))
    (fleet,) = endpoint.sent("CreateFleet")
    (sent,) = endpoint.sent("CreateLaunchTemplateVersion")
    assert _given(fleet, "") == {}
    assert set(_given(sent, "LaunchTemplateData.")) == {"instance", "volume"}


def _given(sent: dict[str, str], place: str) -> dict[str, dict[str, str]]:
    """The tags that a call names, by the kind of resource."""
    given: dict[str, dict[str, str]] = {}
    for name, value in sent.items():
        if found := re.fullmatch(rf"({place}TagSpecification\.\d+\.)(Tag\.\d+\.)Key", name):
            kind = sent[f"{found[1]}ResourceType"]
            given.setdefault(kind, {})[value] = sent[f"{found[1]}{found[2]}Value"]
    return given


def test_a_launch_asks_for_a_hardened_machine(endpoint: Endpoint, ec2: Any) -> None:
    buy(provider_of(), request(1, HERE))
    (sent,) = endpoint.sent("CreateLaunchTemplate")
    data = {name.removeprefix("LaunchTemplateData."): value for name, value in sent.items()}
    assert data["MetadataOptions.HttpTokens"] == "required"
    assert data["MetadataOptions.HttpPutResponseHopLimit"] == "1"
    assert data["InstanceInitiatedShutdownBehavior"] == "terminate"
    assert data["MaintenanceOptions.AutoRecovery"] == "disabled"
    assert data["ImageId"].startswith("ami-")
    assert {
        name: data[f"BlockDeviceMapping.1.Ebs.{name}"]
        for name in ("VolumeType", "Encrypted", "VolumeSize")
    } == {
        "VolumeType": "gp3",
        "Encrypted": "true",
        "VolumeSize": "37",  # moto's image needs 15
    }
    assert data["BlockDeviceMapping.1.Ebs.DeleteOnTermination"] == "true"
    (group,) = ec2.describe_security_groups(GroupIds=[data["SecurityGroupId.1"]])["SecurityGroups"]
    (rule,) = group["IpPermissions"]
    assert [pair["GroupId"] for pair in rule["UserIdGroupPairs"]] == [group["GroupId"]]
    assert rule["IpRanges"] == []
    assert _tags(group) == {"elasticd:cluster": "tested"}


def test_one_instant_fleet_buys_one_type_in_one_zone_under_the_intents_token(
    endpoint: Endpoint,
) -> None:
    provider = provider_of()
    buy(provider, request(1, HERE))
    spot = buy(provider, request(2, SPOT))
    first, second = endpoint.sent("CreateFleet")
    assert (first["Type"], first["ClientToken"]) == ("instant", "token-1")
    assert first["TargetCapacitySpecification.TotalTargetCapacity"] == "1"
    assert first["LaunchTemplateConfigs.1.Overrides.1.InstanceType"] == "c5.large"
    assert "SpotOptions.AllocationStrategy" not in first
    assert second["TargetCapacitySpecification.DefaultTargetCapacityType"] == "spot"
    assert second["SpotOptions.AllocationStrategy"] == "price-capacity-optimized"
    assert spot.offering == SPOT


def test_a_job_has_one_template_with_a_version_for_each_launch(
    endpoint: Endpoint, ec2: Any
) -> None:
    for number in (1, 2):
        buy(provider_of(), request(number, HERE))
    (template,) = ec2.describe_launch_templates()["LaunchTemplates"]
    assert template["LaunchTemplateName"] == "elasticd-tested-job-1"
    versions = [
        sent["LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version"]
        for sent in _fleets(endpoint)
    ]
    assert versions == ["2", "3"]
    first, *_ = endpoint.sent("CreateLaunchTemplate")
    assert "LaunchTemplateData.UserData" not in first, (
        "the version that anybody may launch holds no token"
    )


def test_the_template_of_a_job_without_machines_is_swept_and_made_anew(
    ec2: Any, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    launched = buy(provider, request(1, HERE))
    clock.advance(31 * DAY_S)
    provider.instances()
    assert len(ec2.describe_launch_templates()["LaunchTemplates"]) == 1
    provider.terminate(launched.provider_id, now_s=clock.now_s())
    clock.advance(2 * 3600)
    provider.instances()
    assert ec2.describe_launch_templates()["LaunchTemplates"] == []
    with pytest.raises(ProviderUnavailable):
        buy(provider, request(2, HERE))
    assert buy(provider, request(2, HERE)).state is not InstanceState.GONE


def test_a_job_that_waits_keeps_its_template_over_a_restart_and_for_a_month_after_its_last_launch(
    endpoint: Endpoint, ec2: Any, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    provider.terminate(buy(provider, request(1, HERE)).provider_id, now_s=clock.now_s())
    clock.advance(29 * DAY_S)
    provider.instances()
    clock.advance(2 * DAY_S)
    restarted = provider_of(clock=clock)
    restarted.instances()
    launched = "<launchTemplateVersionSet><item><createTime>{}</createTime></item></launchTemplateVersionSet>"
    at = datetime.fromtimestamp(clock.now_s() - DAY_S, UTC).isoformat()
    endpoint.answer("DescribeLaunchTemplateVersions", launched.format(at))
    clock.advance(2 * 3600)
    restarted.instances()
    assert endpoint.sent("DeleteLaunchTemplate") == []
    clock.advance(2 * 3600)
    restarted.instances()
    assert ec2.describe_launch_templates()["LaunchTemplates"] == []


def test_a_group_is_one_fleet_all_or_nothing(endpoint: Endpoint, ec2: Any) -> None:
    provider = provider_of()
    group = provider.launch(request(1, HERE, count=3))
    provider.launch(request(2, SPOT, count=2))
    on_demand, spot = _fleets(endpoint)
    assert on_demand["TargetCapacitySpecification.TotalTargetCapacity"] == "3"
    assert on_demand["OnDemandOptions.MinTargetCapacity"] == "3"
    assert on_demand["OnDemandOptions.SingleAvailabilityZone"] == "true"
    assert on_demand["OnDemandOptions.SingleInstanceType"] == "true"
    assert spot["SpotOptions.MinTargetCapacity"] == "2"
    assert {_tags(_described(ec2, each.provider_id))["elasticd:nodes"] for each in group} == {
        "node-1 node-1-2 node-1-3"
    }
    provider.instances()
    named = [_tags(_described(ec2, each.provider_id))["elasticd:node"] for each in group]
    assert named == [each.node_id for each in group]


def test_a_group_whose_names_were_never_written_is_told_apart_alike(endpoint: Endpoint) -> None:
    endpoint.lose("CreateFleet")
    with pytest.raises(ProviderUnavailable):
        provider_of().launch(request(1, HERE, count=3))
    endpoint.forbid("CreateTags")
    seen = {each.node_id: each.provider_id for each in provider_of().instances()}
    group = provider_of().launch(request(1, HERE, count=3))
    assert seen == {each.node_id: each.provider_id for each in group}
    assert sorted(seen, key=seen.__getitem__) == ["node-1", "node-1-2", "node-1-3"]
    assert len(endpoint.sent("CreateFleet")) == 1


def test_a_group_that_is_not_seen_whole_is_nobodys_yet_and_is_asked_for_again(
    endpoint: Endpoint,
) -> None:
    provider = provider_of()
    group = provider.launch(request(1, HERE, count=2))
    for _ in range(2):
        endpoint.answer(
            "DescribeInstances", _member(group[1].provider_id, "token-1", "node-1 node-1-2")
        )
    (half,) = provider.instances()
    assert (half.token, half.node_id) == ("token-1", "")
    endpoint.answer("CreateFleet", _fleet_of(*(each.provider_id for each in reversed(group))))
    again = provider.launch(request(1, HERE, count=2))
    assert [each.provider_id for each in again] == [each.provider_id for each in group]
    first, second = _fleets(endpoint)
    assert first == second


def _member(provider_id: str, token: str, nodes: str) -> str:
    tags = {"elasticd:intent": token, "elasticd:nodes": nodes, "elasticd:job": "job-1"}
    told = "".join(
        f"<item><key>{key}</key><value>{value}</value></item>" for key, value in tags.items()
    )
    return _page(provider_id, "").replace("<placement>", f"<tagSet>{told}</tagSet><placement>")


def _fleet_of(*provider_ids: str) -> str:
    ids = "".join(f"<item>{each}</item>" for each in provider_ids)
    return (
        f"<fleetId>fleet-1</fleetId><fleetInstanceSet><item><instanceIds>{ids}</instanceIds></item></fleetInstanceSet>"
        "<errorSet/>"
    )


def _fleets(endpoint: Endpoint) -> list[dict[str, str]]:
    return endpoint.sent("CreateFleet")


def test_user_data_carries_the_join_token_and_is_small(endpoint: Endpoint) -> None:
    buy(provider_of(), request(1, HERE))
    script = _user_data(endpoint.sent("CreateLaunchTemplateVersion")[0])
    assert script.startswith("#!/bin/sh\n")
    assert len(script) < 8_000
    given = json.loads(script.split("<<'ELASTICD_END'\n")[1].split("\nELASTICD_END")[0])
    assert given["join_token"] == "secret-1"
    assert given["env"] == {"GREETING": "hello"}
    assert script.count("secret-1") == 1
    elsewhere = [
        parameters
        for action, parameters in endpoint.calls
        if action != "CreateLaunchTemplateVersion"
    ]
    assert "secret-1" not in str(elsewhere)


def test_a_machine_has_the_time_to_register_until_its_first_lease(endpoint: Endpoint) -> None:
    provider = provider_of(lease_s=60.0, register_s=1800.0)
    buy(provider, request(1, HERE))
    script = _user_data(endpoint.sent("CreateLaunchTemplateVersion")[0])
    assert re.findall(r"limit_s=(\d+)", script) == ["1830", "90"]


def test_nodes_install_what_their_daemon_serves_unless_they_have_lines_of_their_own(
    endpoint: Endpoint,
) -> None:
    buy(provider_of(), request(1, HERE))
    for number, lines in enumerate(("true", 'pip install "$ELASTICD_WHEEL"'), start=2):
        buy(provider_of(PLAIN.model_copy(update={"bootstrap": lines})), request(number, HERE))
    usual, own, both = (_user_data(sent) for sent in endpoint.sent("CreateLaunchTemplateVersion"))
    there = f"\nwheel='{wheel_url(ec2_world.WHEEL, daemon_url=request(1, HERE).daemon_url)}'\n"
    torch = "export UV_TORCH_BACKEND=cpu\n"
    assert there in usual
    assert torch + DEFAULT_BOOTSTRAP in usual
    assert "\nwheel=''\n" in own
    assert torch + "true\n" in own
    assert there in both
    assert torch + 'pip install "$ELASTICD_WHEEL"' in both


def test_packages_come_from_where_settings_say_for_each_sort_of_machine(endpoint: Endpoint) -> None:
    types = ("c5.large", "g4dn.xlarge")
    endpoint.always["GetParameter"] = Scripted(
        "200 OK",
        b'{"Parameter": {"Name": "p", "Value": "ami-12c6146b"}}',
        "application/x-amz-json-1.1",
    )
    settings = PLAIN.model_copy(update={"types": types})
    both = settings.model_copy(update={"package_index": "https://our.example/simple"})
    apart = both.model_copy(update={"package_index_gpu": "https://our.example/cuda"})
    number = 0
    for each in (settings, both, apart):
        for node_type in types:
            number += 1
            buy(provider_of(each), request(number, Offering(node_type, zone="us-east-1a")))
    lines = [
        line.removeprefix("export ").split()[-1]
        for sent in endpoint.sent("CreateLaunchTemplateVersion")
        for line in _user_data(sent).splitlines()
        if line.startswith(("export UV_", "export PIP_"))
    ]
    assert lines == [
        "UV_TORCH_BACKEND=cpu",
        "UV_TORCH_BACKEND=auto",
        "UV_DEFAULT_INDEX=https://our.example/simple",
        "UV_DEFAULT_INDEX=https://our.example/simple",
        "UV_DEFAULT_INDEX=https://our.example/simple",
        "UV_DEFAULT_INDEX=https://our.example/cuda",
    ]


def test_only_a_machine_with_gpus_must_show_them_after_the_bootstrap(endpoint: Endpoint) -> None:
    endpoint.always["GetParameter"] = Scripted(
        "200 OK",
        b'{"Parameter": {"Name": "p", "Value": "ami-12c6146b"}}',
        "application/x-amz-json-1.1",
    )
    settings = PLAIN.model_copy(
        update={"types": ("c5.large", "g4dn.xlarge"), "bootstrap": "installed"}
    )
    for number, node_type in enumerate(settings.types):
        buy(provider_of(settings), request(number, Offering(node_type, zone="us-east-1a")))
    plain, with_gpu = (_user_data(sent) for sent in endpoint.sent("CreateLaunchTemplateVersion"))
    assert "nvidia-smi" not in plain
    assert with_gpu.index("\ninstalled\n") < with_gpu.index("nvidia-smi -L")


def test_a_provider_without_anything_for_nodes_to_install_is_not_made(clock: ManualClock) -> None:
    with pytest.raises(InvalidInput, match=r"ec2\.bootstrap"):
        Ec2Provider(PLAIN, aws=connect(REGION), clock=clock, paths=Paths("/shared", "/shared"))


def test_an_answer_that_is_lost_buys_one_machine_all_the_same(endpoint: Endpoint) -> None:
    provider = provider_of()
    endpoint.lose("CreateFleet")
    with pytest.raises(ProviderUnavailable):
        buy(provider, request(1, HERE))
    again = buy(provider, request(1, HERE))
    assert [each.provider_id for each in provider.instances()] == [again.provider_id]
    assert len(endpoint.sent("CreateFleet")) == 1


def test_a_launch_is_never_repeated_by_itself(endpoint: Endpoint) -> None:
    endpoint.fail("CreateFleet", "InternalError", status=500, times=3)
    with pytest.raises(ProviderUnavailable, match="InternalError"):
        buy(provider_of(), request(1, HERE))
    assert len(endpoint.sent("CreateFleet")) == 1


def test_a_repeated_launch_is_the_same_request(endpoint: Endpoint) -> None:
    endpoint.fail("CreateFleet", "InternalError", status=500)
    with pytest.raises(ProviderUnavailable):
        buy(provider_of(), request(1, HERE))
    buy(provider_of(), request(1, HERE))
    first, second = endpoint.sent("CreateFleet")
    assert first == second
    assert len(endpoint.sent("CreateLaunchTemplateVersion")) == 1


FLEET_WITHOUT = (
    "<fleetId>fleet-1</fleetId><fleetInstanceSet/><errorSet><item><errorCode>{code}</errorCode>"
    "<errorMessage>There is no "
    "more.</errorMessage><lifecycle>on-demand</lifecycle></item></errorSet>"
)


def test_no_capacity_blocks_that_offering_for_3_to_10_minutes(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    lasted_s = []
    for number in range(6):
        endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="InsufficientInstanceCapacity"))
        with pytest.raises(CapacityUnavailable, match=r"c5\.large on-demand us-east-1a"):
            buy(provider, request(number, HERE))
        (block,) = provider.blocks.listed(now_s=clock.now_s())
        assert (block.offering, block.why) == (HERE, Obstacle.CAPACITY)
        lasted_s.append(block.until_s - clock.now_s())
        clock.advance(lasted_s[-1] + 1)
        assert provider.blocks.of(HERE, now_s=clock.now_s()) is None
    assert lasted_s == [180, 360, 600, 600, 600, 600]


def test_a_zone_that_does_not_support_a_type_is_left_alone_for_half_an_hour(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="Unsupported"))
    with pytest.raises(CapacityUnavailable):
        buy(provider, request(1, HERE))
    (block,) = provider.blocks.listed(now_s=clock.now_s())
    assert block.until_s - clock.now_s() == 1800


def test_a_blocked_offering_is_refused_without_a_call(endpoint: Endpoint) -> None:
    provider = provider_of()
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="UnfulfillableCapacity"))
    for number in (1, 2):
        with pytest.raises(CapacityUnavailable):
            buy(provider, request(number, HERE))
    assert len(endpoint.sent("CreateFleet")) == 1


def test_a_group_that_is_refused_blocks_as_many_and_more_and_what_is_sold_counts(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="InsufficientInstanceCapacity"))
    with pytest.raises(CapacityUnavailable, match="launching 4 at once: not available now"):
        provider.launch(request(1, HERE, count=4))
    (block,) = provider.blocks.listed(now_s=clock.now_s())
    assert (block.offering, block.nodes, block.why) == (HERE, 4, Obstacle.CAPACITY)
    with pytest.raises(
        CapacityUnavailable, match="4 or more nodes were refused recently, tried again in 3 min"
    ):
        provider.launch(request(2, HERE, count=4))
    assert len(provider.launch(request(3, HERE, count=3))) == 3
    assert [each.nodes for each in provider.blocks.listed(now_s=clock.now_s())] == [1]
    assert len(endpoint.sent("CreateFleet")) == 2


@pytest.mark.parametrize("code", ["Unsupported", "SpotMaxPriceTooLow"])
def test_what_would_be_refused_for_one_as_well_is_blocked_whole(
    endpoint: Endpoint, clock: ManualClock, code: str
) -> None:
    provider = provider_of(clock=clock)
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code=code))
    with pytest.raises(CapacityUnavailable):
        provider.launch(request(1, HERE, count=4))
    assert [each.nodes for each in provider.blocks.listed(now_s=clock.now_s())] == [1]


def test_a_blocked_offering_stays_on_offer_for_its_machines_live_and_are_priced(
    endpoint: Endpoint,
) -> None:
    provider = provider_of()
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="InsufficientInstanceCapacity"))
    with pytest.raises(CapacityUnavailable):
        buy(provider, request(2, HERE))
    assert HERE in provider.offerings()


def test_a_fleet_without_instance_or_error_had_no_capacity(endpoint: Endpoint) -> None:
    endpoint.answer("CreateFleet", "<fleetId>fleet-1</fleetId><fleetInstanceSet/><errorSet/>")
    with pytest.raises(CapacityUnavailable):
        buy(provider_of(), request(1, HERE))


def test_a_used_up_quota_is_named_and_closes_that_market_in_every_zone(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="VcpuLimitExceeded"))
    with pytest.raises(QuotaReached) as told:
        buy(provider, request(1, HERE))
    assert 'it needs 2 vCPUs, and the quota "Running On-Demand Standard' in str(told.value)
    assert "--quota-code L-1216C47A" in str(told.value), "where to ask for more"
    closed = {
        each.offering
        for each in provider.blocks.listed(now_s=clock.now_s())
        if each.why is Obstacle.QUOTA
    }
    assert closed == {
        Offering("c5.large", Capacity.ON_DEMAND, zone) for zone in ("us-east-1a", "us-east-1b")
    }


def test_a_quota_without_room_for_four_machines_may_have_room_for_two(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    endpoint.answer("CreateFleet", FLEET_WITHOUT.format(code="VcpuLimitExceeded"))
    four = replace(request(1, HERE), node_ids=("node-1", "node-2", "node-3", "node-4"))
    with pytest.raises(QuotaReached, match=re.escape("it needs 8 vCPUs (4 x 2)")):
        provider.launch(four)
    (block,) = [
        each for each in provider.blocks.listed(now_s=clock.now_s()) if each.offering == HERE
    ]
    assert (block.why, block.nodes) == (Obstacle.QUOTA, 4)
    assert buy(provider, request(2, HERE)).offering == HERE


def test_without_createfleet_it_buys_by_runinstances(endpoint: Endpoint) -> None:
    endpoint.forbid("CreateFleet")
    provider = provider_of()
    launched = buy(provider, request(1, SPOT))
    assert (launched.offering, launched.token) == (SPOT, "token-1")
    (sent,) = endpoint.sent("RunInstances")
    assert (sent["ClientToken"], sent["InstanceMarketOptions.MarketType"]) == ("token-1", "spot")
    assert sent["MetadataOptions.HttpTokens"] == "required"
    endpoint.always.clear()
    buy(provider, request(2, HERE))
    assert len(endpoint.sent("RunInstances")) == 1, "once fleets are permitted they are bought by"
    assert len(endpoint.sent("CreateFleet")) == 2


def test_an_account_that_never_bought_on_spot_is_told_how_to_begin(endpoint: Endpoint) -> None:
    for action in ("CreateFleet", "RunInstances"):
        endpoint.forbid(action, "AuthFailure.ServiceLinkedRoleCreationNotPermitted")
    with pytest.raises(
        Forbidden, match=r"create-service-linked-role --aws-service-name spot\.amazonaws\.com"
    ):
        buy(provider_of(), request(1, SPOT))


GPU_DISK = "<item><deviceName>/dev/sda1</deviceName><ebs><volumeSize>75</volumeSize></ebs></item>"


@pytest.mark.parametrize(
    ("volume_gib", "bought_gib"),
    [(None, 97), (30, 75), (200, 200)],
)
def test_a_disk_holds_its_image_and_more_unless_settings_say_how_much(
    endpoint: Endpoint, volume_gib: int | None, bought_gib: int
) -> None:
    endpoint.answer("DescribeImages", described(GPU_DISK))
    provider = provider_of(PLAIN.model_copy(update={"volume_gib": volume_gib}))
    buy(provider, request(1, HERE))
    (sent,) = endpoint.sent("CreateLaunchTemplateVersion")
    assert sent["LaunchTemplateData.BlockDeviceMapping.1.Ebs.VolumeSize"] == str(bought_gib)
    assert provider.disk_gib("c5.large") == bought_gib


def test_each_sort_of_machine_has_the_disk_of_its_own_image_before_any_launch(
    endpoint: Endpoint,
) -> None:
    types = ("c5.large", "g4dn.xlarge")
    provider = provider_of(PLAIN.model_copy(update={"types": types}))
    sizes = {}
    for node_type, disk in zip(types, (ROOT_DISK, GPU_DISK), strict=True):
        endpoint.answer_json("GetParameter", {"Parameter": {"Name": "p", "Value": "ami-12c6146b"}})
        endpoint.answer("DescribeImages", described(disk))
        sizes[node_type] = [provider.disk_gib(node_type) for _ in range(2)]
    assert sizes == {"c5.large": [30, 30], "g4dn.xlarge": [97, 97]}
    assert [
        len(endpoint.sent(each)) for each in ("GetParameter", "DescribeImages", "CreateFleet")
    ] == [2, 2, 0]


def test_a_disk_holds_the_image_of_a_job_that_began_with_a_larger_one(
    endpoint: Endpoint, ec2: Any
) -> None:
    endpoint.answer("DescribeImages", described(GPU_DISK))
    buy(provider_of(), request(1, HERE))
    provider = provider_of()
    endpoint.answer("DescribeImages", described(ROOT_DISK))
    assert provider.disk_gib("c5.large") == 30
    endpoint.answer("DescribeImages", described(GPU_DISK))
    buy(provider, request(2, HERE))
    *_, sent = endpoint.sent("CreateLaunchTemplateVersion")
    assert sent["LaunchTemplateData.BlockDeviceMapping.1.Ebs.VolumeSize"] == "97"
    assert provider.disk_gib("c5.large") == 97, "and it is priced so from now on"


ROOT_DISK = "<item><deviceName>/dev/sda1</deviceName><ebs><volumeSize>8</volumeSize></ebs></item>"
DATA_DISK = "<item><deviceName>/dev/sdf</deviceName><ebs><volumeSize>500</volumeSize></ebs></item>"
OWN_DISK = "<item><deviceName>/dev/sdb</deviceName><virtualName>ephemeral0</virtualName></item>"
RED_HAT = (
    "<platformDetails>Red Hat Enterprise "
    "Linux</platformDetails><usageOperation>RunInstances:0010</usageOperation>"
)
BROUGHT = (
    "<platformDetails>Red Hat BYOL "
    "Linux</platformDetails><usageOperation>RunInstances:00g0</usageOperation>"
)


def described(disks: str, more: str = "") -> str:
    mapping = f"<rootDeviceName>/dev/sda1</rootDeviceName><blockDeviceMapping>{disks}</blockDeviceMapping>"
    return f"<imagesSet><item>{mapping}{more}</item></imagesSet>"


@pytest.mark.parametrize(
    ("image", "told"),
    [
        (described(ROOT_DISK + DATA_DISK), r"found /dev/sdf \(500 GiB\) as well"),
        (described(ROOT_DISK, RED_HAT), r"found Red Hat Enterprise Linux \(RunInstances:0010\)"),
    ],
)
def test_an_image_that_costs_more_than_prices_say_is_not_bought_for(
    endpoint: Endpoint, image: str, told: str
) -> None:
    endpoint.answer("DescribeImages", image)
    with pytest.raises(ProviderError, match=told):
        buy(provider_of(), request(1, HERE))
    assert endpoint.sent("CreateFleet") == []


@pytest.mark.parametrize("image", [described(ROOT_DISK + OWN_DISK), described(ROOT_DISK, BROUGHT)])
def test_a_machines_own_disks_and_a_subscription_brought_along_cost_nothing(
    endpoint: Endpoint, image: str
) -> None:
    endpoint.answer("DescribeImages", image)
    buy(provider_of(), request(1, HERE))
    assert len(endpoint.sent("CreateFleet")) == 1


@pytest.mark.parametrize("has_fleets", [True, False])
@pytest.mark.parametrize(("name", "credit"), [("t3.large", "standard"), ("c5.large", None)])
def test_a_burstable_machine_never_runs_beyond_its_credits_and_no_other_is_told_of_them(
    endpoint: Endpoint, has_fleets: bool, name: str, credit: str | None
) -> None:
    if not has_fleets:
        endpoint.forbid("CreateFleet")
    buy(
        provider_of(PLAIN.model_copy(update={"types": (name,)})),
        request(1, Offering(name, zone="us-east-1a")),
    )
    (version,) = endpoint.sent("CreateLaunchTemplateVersion")
    assert version.get("LaunchTemplateData.CreditSpecification.CpuCredits") == credit
    assert [
        each.get("CreditSpecification.CpuCredits") for each in endpoint.sent("RunInstances")
    ] == ([] if has_fleets else [credit])


def test_without_any_permission_to_launch_it_names_what_is_missing(endpoint: Endpoint) -> None:
    endpoint.forbid("CreateFleet")
    endpoint.forbid("RunInstances")
    with pytest.raises(
        ProviderError, match=r"do not permit it; allow it in their IAM policy .*ec2:RunInstances"
    ):
        buy(provider_of(), request(1, HERE))


@pytest.mark.parametrize("action", ["DescribeInstances", "DescribeSubnets", "CreateLaunchTemplate"])
def test_a_missing_permission_is_named_by_its_call(endpoint: Endpoint, action: str) -> None:
    endpoint.forbid(action)
    with pytest.raises(ProviderError, match=f"ec2:{action}") as told:
        buy(provider_of(), request(1, HERE))
    assert not isinstance(told.value, ProviderUnavailable)


def test_throttled_launches_wait_and_terminations_do_not(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    launched = buy(provider, request(1, HERE))
    endpoint.fail("CreateFleet", "RequestLimitExceeded", status=503)
    for _ in range(2):
        with pytest.raises(ProviderUnavailable):
            buy(provider, request(2, HERE))
    assert len(endpoint.sent("CreateFleet")) == 2
    endpoint.fail("TerminateInstances", "RequestLimitExceeded", status=503, times=2)
    provider.terminate(launched.provider_id, now_s=clock.now_s())
    assert len(endpoint.sent("TerminateInstances")) == 3
    clock.advance(2)
    assert buy(provider, request(2, HERE)).state is not InstanceState.GONE


def test_the_end_of_a_machine_is_asked_for_once_a_minute(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    """It is shutting down for minutes, and EC2 takes few such requests in a second."""
    provider = provider_of(clock=clock)
    ids = [buy(provider, request(number, HERE)).provider_id for number in (1, 2)]
    for after_s, asked in ((0, 2), (5, 2), (55, 2), (60, 4), (65, 4)):
        for each in ids:
            provider.terminate(each, now_s=1000.0 + after_s)
        assert len(endpoint.sent("TerminateInstances")) == asked, after_s


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "InvalidInstanceID.NotFound"])
def test_an_end_that_ec2_did_not_take_is_asked_for_again_at_once(
    endpoint: Endpoint, ec2: Any, code: str
) -> None:
    provider = provider_of()
    bought = buy(provider, request(1, HERE)).provider_id
    endpoint.fail("TerminateInstances", code)
    with suppress(ProviderError):
        provider.terminate(bought, now_s=1000.0)
    assert _described(ec2, bought)["State"]["Name"] == "running"
    provider.terminate(bought, now_s=1005.0)
    assert _described(ec2, bought)["State"]["Name"] == "terminated"


def test_a_list_that_cannot_be_complete_is_no_list(endpoint: Endpoint) -> None:
    endpoint.fail("DescribeInstances", "InternalError", status=500, times=9)
    with pytest.raises(ProviderUnavailable, match="listing the instances"):
        provider_of().instances()


@pytest.mark.parametrize(
    "transition", ["", " (2026-01-01 00:10:00 GMT)", ": Spot Instance Termination"]
)
def test_what_ec2_takes_back_is_free_for_an_hour_whether_its_end_is_dated_or_not(
    endpoint: Endpoint, transition: str
) -> None:
    taken = "Server.SpotInstanceTermination"
    reasons = f"<reason>{taken}{transition}</reason><stateReason><code>{taken}</code></stateReason>"
    asked = (
        "<reason>User "
        "initiated</reason><stateReason><code>Client.UserInitiatedShutdown</code></stateReason>"
    )
    for told in (reasons, asked):
        page = _page("i-1", "").replace("<name>running</name>", "<name>terminated</name>")
        endpoint.answer("DescribeInstances", page.replace("<placement>", f"{told}<placement>"))
    (free,), (charged,) = (provider_of().instances() for _ in range(2))
    assert free.waived_before_s == free.launched_at_s + 3600.0
    assert charged.waived_before_s is None
    assert (free.was_taken, charged.was_taken) == (True, False)


def test_a_machine_for_which_ec2_has_no_room_when_it_boots_did_not_fail(endpoint: Endpoint) -> None:
    for state, code in (
        ("terminated", "Server.InsufficientInstanceCapacity"),
        ("terminated", "Client.InternalError"),
        ("running", "Server.SpotInstanceTermination"),
    ):
        page = _page("i-1", "").replace("<name>running</name>", f"<name>{state}</name>")
        told = f"<stateReason><code>{code}</code></stateReason>"
        endpoint.answer("DescribeInstances", page.replace("<placement>", f"{told}<placement>"))
    found = [each.was_taken for _ in range(3) for each in provider_of().instances()]
    assert found == [True, False, False]


@pytest.mark.parametrize("code", ["Client.InternalError", "Client.InvalidKMSKey.InvalidState"])
def test_a_machine_whose_disk_has_a_key_that_ec2_may_not_use_never_ran_and_says_what_to_do(
    endpoint: Endpoint, code: str
) -> None:
    told = f"<stateReason><code>{code}</code><message>{code}: no</message></stateReason>"
    for state, reason in (("pending", ""), ("terminated", told)):
        page = _page("i-1", "").replace("<name>running</name>", f"<name>{state}</name>")
        endpoint.answer("DescribeInstances", page.replace("<placement>", f"{reason}<placement>"))
    provider = provider_of()
    provider.instances()
    (gone,) = provider.instances()
    assert gone.never_ran
    assert gone.ended_because.startswith(f"{code}: no (often the account's own KMS key for disks")


def _page(provider_id: str, token: str) -> str:
    return (
        f"<reservationSet><item><instancesSet><item><instanceId>{provider_id}</instanceId><instanceType>c5.large"
        "</instanceType><launchTime>2026-01-01T00:00:00.000Z</launchTime><instanceState><name>running</name>"
        "</instanceState><placement><availabilityZone>us-east-1a</availabilityZone></placement></item></instancesSet>"
        f"</item></reservationSet><nextToken>{token}</nextToken>"
    )


@pytest.mark.parametrize("prefix", ["", "[   71.204] cloud-init[912]: "])
def test_a_console_ends_with_why_the_machine_powers_off_and_not_with_its_shutdown(
    endpoint: Endpoint, prefix: str
) -> None:
    why = [f"{prefix}E: no such package", f"{prefix}elasticd: powering off: the script ended"]
    after = [f"[  OK  ] Stopped target unit-{number}." for number in range(40)]
    after.append(f"{prefix}elasticd: powering off: a timer was told to end")
    printed = "\r\n".join(["Linux version 6.1", *why, *after, "reboot: Power down", ""])
    told = base64.b64encode(printed.encode()).decode()
    endpoint.answer("GetConsoleOutput", f"<output>{told}</output>")
    assert provider_of().console("i-1").splitlines() == ["Linux version 6.1", *why]


def test_the_newest_of_a_console_is_asked_for_and_what_is_kept_where_there_is_none(
    endpoint: Endpoint,
) -> None:
    provider = provider_of()
    old, new = (base64.b64encode(text).decode() for text in (b"old", b"new"))
    endpoint.answer("GetConsoleOutput", f"<output>{new}</output>")
    assert provider.console("i-1") == "new"
    endpoint.fail("GetConsoleOutput", "UnsupportedOperation")
    endpoint.answer("GetConsoleOutput", f"<output>{old}</output>")
    assert provider.console("i-1") == "old"
    assert [sent.get("Latest") for sent in endpoint.sent("GetConsoleOutput")] == [
        "true",
        "true",
        None,
    ]


def test_every_page_of_the_list_is_read(endpoint: Endpoint) -> None:
    for provider_id, token in (("i-1", "second"), ("i-2", "third"), ("i-3", "")):
        endpoint.answer("DescribeInstances", _page(provider_id, token))
    assert [each.provider_id for each in provider_of().instances()] == ["i-1", "i-2", "i-3"]
    assert [sent.get("NextToken") for sent in endpoint.sent("DescribeInstances")] == [
        None,
        "second",
        "third",
    ]


def test_a_machine_that_cannot_be_described_yet_is_pending(
    endpoint: Endpoint, clock: ManualClock
) -> None:
    provider = provider_of(clock=clock)
    buy(provider, request(0, HERE))
    endpoint.answer("DescribeInstances", "<reservationSet/>")
    endpoint.fail("DescribeInstances", "InvalidInstanceID.NotFound")
    launched = buy(provider, request(1, HERE))
    assert (launched.state, launched.launched_at_s, launched.token) == (
        InstanceState.PENDING,
        clock.now_s(),
        "token-1",
    )
    assert launched.provider_id in {each.provider_id for each in provider.instances()}


def test_a_second_machine_of_one_intent_stands_for_none(ec2: Any) -> None:
    provider = provider_of()
    first = buy(provider, request(1, HERE))
    raw = _described(ec2, first.provider_id)
    tags = [{"ResourceType": "instance", "Tags": raw["Tags"]}]
    ec2.run_instances(ImageId=raw["ImageId"], MinCount=1, MaxCount=1, TagSpecifications=tags)
    tokens = [each.token for each in provider.instances()]
    assert len(tokens) == 2
    assert sum(token == "token-1" for token in tokens) == 1
    assert len(set(tokens)) == 2


def test_a_machine_without_an_intent_is_listed_all_the_same(ec2: Any) -> None:
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "elasticd:cluster", "Value": "tested"}]}]
    ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1, TagSpecifications=tags)
    (stray,) = provider_of().instances()
    assert stray.token == f"none:{stray.provider_id}"


def test_another_clusters_machines_are_not_listed(ec2: Any) -> None:
    buy(provider_of(PLAIN.model_copy(update={"cluster": "another"})), request(1, HERE))
    assert provider_of().instances() == ()


def test_a_machine_and_its_type_say_what_image_they_are_made_from(endpoint: Endpoint) -> None:
    endpoint.answer_json("GetParameter", {"Parameter": {"Name": "p", "Value": "ami-12c6146b"}})
    provider = provider_of()
    assert {each.image for each in provider.node_types()} == {"ami-12c6146b"}
    launched = buy(provider, request(1, HERE))
    (listed,) = provider.instances()
    assert (launched.image, listed.image) == ("ami-12c6146b", "ami-12c6146b")


def test_a_type_whose_image_is_not_known_is_on_offer_all_the_same(endpoint: Endpoint) -> None:
    endpoint.forbid("GetParameter", "AccessDeniedException")
    provider = provider_of()
    assert [each.image for each in provider.node_types()] == [None, None]
    assert len(provider.offerings()) == 8


def test_a_job_keeps_its_image_when_a_newer_one_comes_out(endpoint: Endpoint) -> None:
    parameter = {"Parameter": {"Name": "p", "Value": "ami-12c6146b"}}
    endpoint.answer_json("GetParameter", parameter)
    buy(provider_of(), request(1, HERE))
    buy(provider_of(), request(2, HERE))
    assert len(endpoint.sent("GetParameter")) == 1
    images = {sent["LaunchTemplateData.ImageId"] for sent in endpoint.sent("CreateLaunchTemplate")}
    assert images == {"ami-12c6146b"}


def test_a_job_without_a_machine_keeps_its_image_over_a_restart(
    endpoint: Endpoint, ec2: Any
) -> None:
    endpoint.answer_json("GetParameter", {"Parameter": {"Name": "p", "Value": "ami-12c6146b"}})
    launched = buy(provider_of(), request(1, HERE))
    provider_of().terminate(launched.provider_id, now_s=0.0)
    endpoint.answer_json("GetParameter", {"Parameter": {"Name": "p", "Value": "ami-785db401"}})
    endpoint.answer("DescribeInstances", "<reservationSet/>", times=3)
    buy(provider_of(), request(2, HERE))
    buy(provider_of(), replace(request(3, HERE), job_id="another"))
    images = [
        sent["LaunchTemplateData.ImageId"] for sent in endpoint.sent("CreateLaunchTemplateVersion")
    ]
    assert images == ["ami-12c6146b", "ami-12c6146b", "ami-785db401"]


def test_a_parameter_that_holds_no_image_is_named(endpoint: Endpoint) -> None:
    endpoint.answer_json("GetParameter", {"Parameter": {"Name": "p", "Value": "none"}})
    with pytest.raises(ProviderError, match="wanted the id of an image, found 'none'"):
        buy(provider_of(), request(1, HERE))


def test_a_parameter_that_is_not_there_is_named_with_its_setting(endpoint: Endpoint) -> None:
    # AWS says nothing but the code.
    error = {"__type": "ParameterNotFound"}
    endpoint.answer_json("GetParameter", error, status="400 Bad Request")
    settings = PLAIN.model_copy(update={"types": ("g4dn.xlarge",), "ami_parameter_gpu": "/my/gpu"})
    with pytest.raises(ProviderError) as told:
        buy(provider_of(settings), request(1, Offering("g4dn.xlarge", zone="us-east-1a")))
    assert str(told.value) == (
        "/my/gpu: wanted the id of an image, found no such parameter in us-east-1; correct "
        "ec2.ami_parameter_gpu"
    )


def test_a_mark_of_attendance_that_is_refused_is_told_until_it_is_written(
    endpoint: Endpoint,
) -> None:
    provider = provider_of()
    ids = [buy(provider, request(1, HERE)).provider_id]
    endpoint.fail("CreateTags", "UnauthorizedOperation", status=403)
    provider.keep_alive(ids, now_s=1000.0)
    text = provider.troubles()[Trouble.CANNOT_KEEP_ALIVE]
    assert "gc --terminate" in text
    assert "UnauthorizedOperation" in text
    endpoint.fail("CreateTags", "RequestLimitExceeded", times=20)
    provider.keep_alive(ids, now_s=1301.0)
    assert Trouble.CANNOT_KEEP_ALIVE in provider.troubles(), "a throttled call tells nothing new"
    endpoint.scripted.clear()
    provider.keep_alive(ids, now_s=1602.0)
    assert provider.troubles() == {}


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("UnauthorizedOperation", "allow it in their IAM policy"),
        ("ExpiredToken", "renew them if they have expired"),
        # EC2's own word for a session's token that has expired, or for a wrong clock.
        ("RequestExpired", "variables only at its start: restart it"),
        ("AuthFailure", "has opted in to the region"),
        ("OptInRequired", "subscription, or ask AWS support"),
        ("PendingVerification", "finish its verification"),
        ("Blocked", "ask AWS support"),
    ],
)
def test_whoever_may_not_is_told_what_mends_it(endpoint: Endpoint, code: str, advice: str) -> None:
    endpoint.forbid("CreateFleet", code)
    endpoint.forbid("RunInstances", code)
    with pytest.raises(Forbidden, match=advice) as told:
        buy(provider_of(), request(1, HERE))
    assert ("allow it in their IAM policy" in str(told.value)) == (code == "UnauthorizedOperation")


WHO = (
    "You are not authorized to perform this operation. User: arn:aws:sts::123456789012:"
    "assumed-role/elasticd-daemon/i-0123456789abcdef0 is not authorized to perform: "
    "ec2:RunInstances on resource: arn:aws:ec2:us-east-1:123456789012:instance/* "
)
ENCODED = f". Encoded authorization failure message: {'g4oZPBqZ4Bni8dE5dGjxYTnOZ' * 40}"


@pytest.mark.parametrize(
    ("policy", "advice"),
    [
        ("because no identity-based policy allows the ec2:RunInstances action", "in their IAM"),
        ("with an explicit deny in an identity-based policy", "an identity-based policy denies it"),
        ("with an explicit deny in a service control policy", "a service control policy denies it"),
        (
            "because no permissions boundary allows the ec2:RunInstances action",
            "no permissions boundary allows it",
        ),
    ],
)
def test_who_is_denied_is_told_the_policy_to_change_and_no_encoded_text(
    endpoint: Endpoint, policy: str, advice: str
) -> None:
    endpoint.forbid("CreateFleet")
    endpoint.fail("RunInstances", "UnauthorizedOperation", message=f"{WHO}{policy}{ENCODED}")
    with pytest.raises(Forbidden) as told:
        buy(provider_of(), request(1, HERE))
    assert advice in str(told.value).partition("(EC2 says")[0]
    assert str(told.value).endswith(f"{policy}.)")
    assert "g4oZ" not in str(told.value)


def test_a_machine_that_ec2_does_not_know_yet_keeps_no_other_from_being_marked(
    endpoint: Endpoint, ec2: Any
) -> None:
    provider = provider_of()
    ids = [buy(provider, request(number, HERE)).provider_id for number in (1, 2, 3)]
    endpoint.fail("CreateTags", "InvalidInstanceID.NotFound")
    provider.keep_alive(ids, now_s=1000.0)
    assert {_tags(_described(ec2, each)).get("elasticd:attended") for each in ids} == {"1000"}
    assert provider.troubles() == {}


def test_a_machine_that_ec2_does_not_know_yet_is_marked_at_the_next_look_and_told_when_it_stays_so(
    endpoint: Endpoint, ec2: Any
) -> None:
    provider = provider_of()
    ids = [buy(provider, request(1, HERE)).provider_id]
    endpoint.fail("CreateTags", "InvalidInstanceID.NotFound")
    provider.keep_alive(ids, now_s=1000.0)
    assert provider.troubles() == {}, "it was bought a moment ago"
    provider.keep_alive(ids, now_s=1021.0)
    assert _tags(_described(ec2, ids[0]))["elasticd:attended"] == "1021"
    endpoint.forbid("CreateTags", "InvalidInstanceID.NotFound")
    provider.keep_alive(ids, now_s=1330.0)
    assert provider.troubles() == {}
    provider.keep_alive(ids, now_s=1930.0)
    assert ids[0] in provider.troubles()[Trouble.CANNOT_KEEP_ALIVE]
    endpoint.always.clear()
    provider.keep_alive(ids, now_s=1951.0)
    assert provider.troubles() == {}


def test_marks_that_are_throttled_for_long_are_told(endpoint: Endpoint) -> None:
    provider = provider_of()
    ids = [buy(provider, request(1, HERE)).provider_id]
    provider.keep_alive(ids, now_s=1000.0)
    endpoint.forbid("CreateTags", "RequestLimitExceeded")
    provider.keep_alive(ids, now_s=1301.0)
    assert provider.troubles() == {}
    provider.keep_alive(ids, now_s=1901.0)
    assert "RequestLimitExceeded" in provider.troubles()[Trouble.CANNOT_KEEP_ALIVE]


def test_a_type_that_nobody_knows_is_named_and_the_others_are_on_offer(endpoint: Endpoint) -> None:
    provider = provider_of(PLAIN.model_copy(update={"types": ("c5.large", "m1.retired", "c5.*")}))
    assert {each.node_type for each in provider.offerings()} == {"c5.large"}
    text = provider.troubles()[Trouble.NOT_SOLD]
    assert text.startswith(
        "ec2.types: m1.retired, c5.*: not sold in us-east-1a, us-east-1b as on-demand or spot"
    )
    with pytest.raises(ProviderError, match=r"ec2\.types: .* found none of m1\.retired"):
        provider_of(PLAIN.model_copy(update={"types": ("m1.retired",)})).offerings()


def test_a_type_that_is_sold_in_another_way_than_wanted_is_told_which_was_asked_for() -> None:
    no_spot = "mac2-m2.metal"
    provider = provider_of(
        PLAIN.model_copy(update={"types": ("c5.large", no_spot), "capacities": ("spot",)})
    )
    assert provider.offerings()
    text = provider.troubles()[Trouble.NOT_SOLD]
    assert text.startswith(f"ec2.types: {no_spot}: not sold in us-east-1a, us-east-1b as spot")
    assert "ec2.capacities" in text
    with pytest.raises(ProviderError, match=r"as spot, found none sold so; .* \(ec2\.capacities\)"):
        provider_of(
            PLAIN.model_copy(update={"types": (no_spot,), "capacities": ("spot",)})
        ).offerings()


def test_the_daemon_says_on_its_machines_that_it_stands_for_them(
    ec2: Any, clock: ManualClock
) -> None:
    provider, first_s = provider_of(), clock.now_s()
    launched = buy(provider, request(1, HERE))
    provider.keep_alive([launched.provider_id], now_s=first_s)
    provider.keep_alive([launched.provider_id], now_s=first_s + 60)
    assert _tags(_described(ec2, launched.provider_id))["elasticd:attended"] == f"{first_s:.0f}"
    provider.keep_alive([launched.provider_id], now_s=first_s + 360)
    assert (
        _tags(_described(ec2, launched.provider_id))["elasticd:attended"] == f"{first_s + 360:.0f}"
    )


def test_whoever_lists_machines_stands_for_none_of_them(ec2: Any) -> None:
    provider = provider_of()
    launched = buy(provider, request(1, HERE))
    provider.instances()
    assert "elasticd:attended" not in _tags(_described(ec2, launched.provider_id))


def test_offerings_are_types_in_zones_that_sell_them_in_both_capacities() -> None:
    provider = provider_of()
    assert len(provider.offerings()) == 8
    (large, _) = provider.node_types()
    assert (large.name, large.cpu, large.memory_gib, large.gpu_count) == ("c5.large", 2, 4, 0)
    assert large.cores == 1, "two vCPUs of c5 are the threads of one core"
    assert large.advisor_bucket == advisor_buckets(REGION)["c5.large"], (
        "a prior of how often its spot is taken back"
    )
    only = provider_of(PLAIN.model_copy(update={"capacities": ("spot",), "zones": ("us-east-1a",)}))
    assert {(each.capacity, each.zone) for each in only.offerings()} == {
        (Capacity.SPOT, "us-east-1a")
    }


def test_requirements_choose_among_all_current_types() -> None:
    wanted = Ec2Requirements(cpu="4..8", memory="8GB..", gpu="T4:1")
    settings = Ec2Settings(region=REGION, zones=("us-east-1a",), requirements=wanted)
    types = provider_of(settings).node_types()
    assert {each.name for each in types} == {"g4dn.xlarge", "g4dn.2xlarge"}
    assert {each.gpu_model for each in types} == {"T4"}
    assert {each.precisions for each in types} == {(Precision.FP32, Precision.FP16)}


def test_a_type_computes_in_what_its_generation_or_its_gpu_does() -> None:
    names = ("c5.large", "c7i.large", "g5.xlarge", "p3dn.24xlarge")
    settings = PLAIN.model_copy(update={"types": names, "zones": ("us-east-1a",)})
    found = {each.name: " ".join(each.precisions) for each in provider_of(settings).node_types()}
    assert found == {
        "c5.large": "fp32",
        "c7i.large": "fp32 bf16",
        "g5.xlarge": "fp32 bf16 fp16",
        "p3dn.24xlarge": "fp32 fp16",
    }


@pytest.mark.parametrize(
    ("cpu", "memory", "here", "not_here"),
    [
        ("4", "8GB", "c5a.xlarge", "inf1.xlarge"),
        ("8", "32GB", "m5a.2xlarge", "trn1.2xlarge"),
        ("4", "16GB", "m5a.xlarge", "g6f.xlarge"),
    ],
)
def test_cpu_candidates_have_no_other_accelerator_either(
    cpu: str, memory: str, here: str, not_here: str
) -> None:
    settings = Ec2Settings(region=REGION, requirements=Ec2Requirements(cpu=cpu, memory=memory))
    names = {each.name for each in provider_of(settings).node_types()}
    assert here in names
    assert not_here not in names
    named = provider_of(PLAIN.model_copy(update={"types": (not_here,), "zones": ()})).node_types()
    assert [each.name for each in named] == [not_here], "a type that is named is taken as it is"


def test_gpus_beside_arm64_have_no_image_and_are_refused() -> None:
    with pytest.raises(ProviderError, match=r"found g5g\.xlarge with arm64"):
        provider_of(PLAIN.model_copy(update={"types": ("c5.large", "g5g.xlarge")})).node_types()


def test_requirements_that_too_many_meet_are_refused() -> None:
    settings = Ec2Settings(region=REGION, requirements=Ec2Requirements(cpu="4.."))
    with pytest.raises(ProviderError, match=r"wanted 1 to 64 node types, found \d+ that meet them"):
        provider_of(settings).node_types()


def test_the_example_of_requirements_has_candidates() -> None:
    with pytest.raises(InvalidInput) as told:
        provider_of(Ec2Settings(region=REGION))
    example = dict(re.findall(r"(\w+) = '([^']+)'", str(told.value)))
    assert provider_of(
        Ec2Settings(region=REGION, requirements=Ec2Requirements(**example))
    ).node_types()


def test_neither_types_nor_requirements_is_an_error_at_once() -> None:
    with pytest.raises(InvalidInput, match=r"ec2\.types: wanted node types by name"):
        provider_of(Ec2Settings(region=REGION))


APART = (("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("eusc-de-east-1", "aws-eusc"))


@pytest.mark.parametrize(("region", "partition"), APART)
def test_a_region_whose_prices_cannot_be_reckoned_with_is_refused(
    region: str, partition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (
        rf"^ec2\.region: wanted a region of AWS's commercial partition.*, got {region} of its "
        rf"partition {partition}"
    )
    with pytest.raises(InvalidInput, match=told):
        connect(region)
    with pytest.raises(InvalidInput, match=told):
        policy("daemon", Scope(PLAIN, region))
    monkeypatch.setenv("AWS_REGION", region)
    with pytest.raises(InvalidInput, match=told):
        connect(None)


def test_a_zone_without_subnet_is_named() -> None:
    with pytest.raises(ProviderError, match="wanted a subnet in eu-west-9z"):
        provider_of(PLAIN.model_copy(update={"zones": ("us-east-1a", "eu-west-9z")})).offerings()


LOCAL = "us-east-1-bos-1a"


def subnets_in(*zones: str) -> str:
    items = (
        f"<item><subnetId>subnet-{zone}</subnetId><vpcId>vpc-1</vpcId><availabilityZone>{zone}</availabilityZone></item>"
        for zone in zones
    )
    return f"<subnetSet>{''.join(items)}</subnetSet>"


def test_a_subnet_of_ipv6_alone_is_left_out_and_refused_where_it_is_named(
    endpoint: Endpoint,
) -> None:
    both = subnets_in("us-east-1a", "us-east-1b")
    told = both.replace("</item></subnetSet>", "<ipv6Native>true</ipv6Native></item></subnetSet>")
    endpoint.answer("DescribeSubnets", told, times=2)
    found = provider_of(PLAIN.model_copy(update={"zones": ()})).offerings()
    assert {each.zone for each in found} == {"us-east-1a"}
    named = {"zones": (), "subnets": ("subnet-us-east-1a", "subnet-us-east-1b")}
    with pytest.raises(ProviderError, match="found only IPv6 in subnet-us-east-1b; name others"):
        provider_of(PLAIN.model_copy(update=named)).offerings()


def test_a_local_zone_is_left_out_for_its_machines_are_dearer_than_the_regions(
    endpoint: Endpoint,
) -> None:
    rows = "".join(
        f"<item><instanceType>c5.large</instanceType><location>{zone}</location></item>"
        for zone in ("us-east-1a", LOCAL)
    )
    endpoint.answer("DescribeSubnets", subnets_in("us-east-1a", LOCAL))
    endpoint.answer(
        "DescribeInstanceTypeOfferings",
        f"<instanceTypeOfferingSet>{rows}</instanceTypeOfferingSet>",
    )
    found = provider_of(PLAIN.model_copy(update={"zones": ()})).offerings()
    assert {each.zone for each in found} == {"us-east-1a"}


@pytest.mark.parametrize(
    "named", [{"zones": (LOCAL,)}, {"zones": (), "subnets": ("subnet-1", "subnet-2")}]
)
def test_a_local_zone_that_is_asked_for_is_refused(
    endpoint: Endpoint, named: dict[str, tuple[str, ...]]
) -> None:
    endpoint.answer("DescribeSubnets", subnets_in("us-east-1a", LOCAL))
    with pytest.raises(
        ProviderError, match=rf"wanted zones at the prices of us-east-1, found {LOCAL}: "
    ):
        provider_of(PLAIN.model_copy(update=named)).offerings()


def test_what_is_sold_outlives_a_silent_api(endpoint: Endpoint, clock: ManualClock) -> None:
    provider = provider_of(clock=clock)
    before = provider.offerings()
    clock.advance(7 * 3600)
    endpoint.fail("DescribeSubnets", "InternalError", status=500, times=9)
    assert provider.offerings() == before


def test_no_credentials_are_told_as_such(
    monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    aws = connect(REGION)
    with pytest.raises(ProviderError, match="wanted AWS credentials"):
        read_machines(aws, {})


def test_it_satisfies_the_port() -> None:
    provider: Provider = provider_of()
    assert isinstance(provider, Ec2Provider)


def test_the_right_to_end_is_proven_by_a_dry_run_and_its_lack_is_told(endpoint: Endpoint) -> None:
    provider = provider_of()
    launched = buy(provider, request(1, HERE))
    provider.prove_end(launched.provider_id)
    assert [call.get("DryRun") for call in endpoint.sent("TerminateInstances")] == ["true"]
    endpoint.forbid("TerminateInstances")
    with pytest.raises(ProviderError, match="do not permit it"):
        provider.prove_end(launched.provider_id)
