from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, HTTPClientError

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic_lab import CapacityWindow, Effect, InjectedFault, Outage, running_lab
from tests.lab.conftest import StartLab
from tests.lab.world import describe, eventually, fleet, launch, state, template, terminate_all

Client = Callable[..., Any]


def code(caught: pytest.ExceptionInfo[ClientError]) -> str:
    return str(caught.value.response["Error"]["Code"])


def test_the_same_token_buys_one_instance(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    assert launch(ec2, ClientToken="t") == launch(ec2, ClientToken="t")
    with pytest.raises(ClientError) as caught:
        launch(ec2, ClientToken="t", InstanceType="c5.xlarge")
    assert code(caught) == "IdempotentParameterMismatch"
    assert len(lab.instances()) == 1
    terminate_all(ec2)


def test_the_token_of_a_terminated_instance_is_refused(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    ec2.terminate_instances(InstanceIds=[launch(ec2, ClientToken="t")])
    with pytest.raises(ClientError) as caught:
        launch(ec2, ClientToken="t")
    assert code(caught) == "IdempotentInstanceTerminated"


def test_a_lost_answer_is_found_again_by_its_token(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(faults=[{"effect": "lose", "action": "RunInstances", "times": 1}])
    ec2 = client(lab)
    with pytest.raises(HTTPClientError):
        launch(ec2, ClientToken="t")
    assert [launch(ec2, ClientToken="t")] == [each.instance_id for each in lab.instances()]
    terminate_all(ec2)


def test_a_call_that_arrives_twice_buys_once_only_under_a_token(
    start_lab: StartLab, client: Client
) -> None:
    lab = start_lab()
    ec2 = client(lab)
    lab.add_trouble(InjectedFault(Effect.DUPLICATE, action="RunInstances"))
    launch(ec2, ClientToken="t")
    assert len(lab.instances()) == 1
    # boto3 makes up a token where none is given; an empty one is none.
    lab.add_trouble(InjectedFault(Effect.DUPLICATE, action="RunInstances"))
    launch(ec2, ClientToken="")
    assert len(lab.instances()) == 3
    terminate_all(ec2)


def test_throttling_does_nothing_and_says_so(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(faults=[{"effect": "throttle", "action": "RunInstances", "times": 2}])
    ec2 = client(lab)
    for _ in range(2):
        with pytest.raises(ClientError) as caught:
            launch(ec2)
        assert code(caught) == "RequestLimitExceeded"
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    launch(ec2)
    assert len(lab.instances()) == 1
    terminate_all(ec2)


def test_any_error_can_be_ordered(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    lab.add_trouble(
        InjectedFault(
            Effect.ERROR, action="RunInstances", code="VcpuLimitExceeded", message="too many"
        )
    )
    with pytest.raises(ClientError) as caught:
        launch(client(lab))
    assert code(caught) == "VcpuLimitExceeded"


def test_an_outage_cuts_every_call(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    lab.add_trouble(Outage(0.0, 3600.0))
    for call in (client(lab).describe_instances, client(lab, "sts").get_caller_identity):
        with pytest.raises(HTTPClientError):
            call()


def test_the_network_is_the_accounts_default_vpc_with_a_default_subnet_in_each_zone(
    start_lab: StartLab, client: Client
) -> None:
    lab = start_lab()
    ec2 = client(lab)
    (vpc,) = ec2.describe_vpcs()["Vpcs"]
    assert (vpc["VpcId"], vpc["IsDefault"]) == (lab.vpc_id, True)
    told = ec2.describe_subnets(Filters=[{"Name": "default-for-az", "Values": ["true"]}])["Subnets"]
    assert {each["AvailabilityZone"]: each["SubnetId"] for each in told} == lab.subnets
    assert all(each["MapPublicIpOnLaunch"] for each in told)
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [lab.vpc_id]}])[
        "RouteTables"
    ]
    ways_out = [
        each["GatewayId"] for each in table["Routes"] if each["DestinationCidrBlock"] == "0.0.0.0/0"
    ]
    assert len(ways_out) == 1
    assert ways_out[0].startswith("igw-")


def test_without_capacity_nothing_is_launched(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(capacity=[{"node_type": "c5.large", "zone": "us-east-1a", "available": 2}])
    ec2 = client(lab)
    here, there = lab.subnets["us-east-1a"], lab.subnets["us-east-1b"]
    with pytest.raises(ClientError) as caught:
        launch(ec2, SubnetId=here, MinCount=3, MaxCount=3)
    assert code(caught) == "InsufficientInstanceCapacity"
    assert lab.instances() == ()
    launch(ec2, SubnetId=here, MinCount=1, MaxCount=3)
    assert len(lab.instances()) == 2
    launch(ec2, SubnetId=there)
    terminate_all(ec2)


def test_a_fleet_takes_the_cheapest_pool_with_room_and_tells_of_the_others(
    start_lab: StartLab, client: Client
) -> None:
    lab = start_lab()
    ec2 = client(lab)
    named = template(ec2)
    zones = [{"InstanceType": "c5.xlarge", "SubnetId": subnet} for subnet in lab.subnets.values()]
    first = fleet(ec2, named, zones)["Instances"][0]
    assert describe(ec2, first["InstanceIds"][0])["Placement"]["AvailabilityZone"] == "us-east-1a"
    lab.add_trouble(CapacityWindow(node_type="c5.xlarge", zone="us-east-1a"))
    answer = fleet(ec2, named, zones)
    assert [error["ErrorCode"] for error in answer["Errors"]] == ["InsufficientInstanceCapacity"]
    second = describe(ec2, answer["Instances"][0]["InstanceIds"][0])
    assert second["Placement"]["AvailabilityZone"] == "us-east-1b"
    assert second["InstanceLifecycle"] == "spot"
    terminate_all(ec2)


def test_a_fleet_that_cannot_be_whole_buys_nothing(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(capacity=[{"available": 2}])
    ec2 = client(lab)
    answer = fleet(
        ec2,
        template(ec2),
        [{"InstanceType": "c5.large", "SubnetId": lab.subnets["us-east-1a"]}],
        TargetCapacitySpecification={"TotalTargetCapacity": 3, "DefaultTargetCapacityType": "spot"},
        SpotOptions={
            "SingleInstanceType": True,
            "SingleAvailabilityZone": True,
            "MinTargetCapacity": 3,
        },
    )
    assert answer["Instances"] == []
    assert answer["Errors"][0]["ErrorCode"] == "InsufficientInstanceCapacity"
    assert lab.instances() == ()


def test_a_fleet_is_bought_once_under_its_token(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    named = template(ec2)
    answers = [
        fleet(ec2, named, [{"InstanceType": "c5.large"}], ClientToken="t")["Instances"]
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    with pytest.raises(ClientError) as caught:
        fleet(ec2, named, [{"InstanceType": "c5.xlarge"}], ClientToken="t")
    assert code(caught) == "IdempotentParameterMismatch"
    terminate_all(ec2)


def test_a_launch_template_is_carried_over_whole(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "node", "Value": "n1"}]}]
    answer = fleet(ec2, template(ec2), [{"InstanceType": "c5.xlarge"}], TagSpecifications=tags)
    told = describe(ec2, answer["Instances"][0]["InstanceIds"][0])
    assert told["InstanceType"] == "c5.xlarge"
    options = told["MetadataOptions"]
    assert (options["HttpTokens"], options["HttpPutResponseHopLimit"]) == ("required", 1)
    own = {tag["Key"]: tag["Value"] for tag in told["Tags"]}
    assert (own["job"], own["node"], own["aws:ec2:fleet-id"]) == ("j1", "n1", answer["FleetId"])
    behaviour = ec2.describe_instance_attribute(
        InstanceId=told["InstanceId"], Attribute="instanceInitiatedShutdownBehavior"
    )
    assert behaviour["InstanceInitiatedShutdownBehavior"]["Value"] == "terminate"
    volume = ec2.describe_volumes(VolumeIds=[told["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]])[
        "Volumes"
    ][0]
    assert (volume["Size"], volume["Encrypted"], volume["VolumeType"]) == (30, True, "gp3")
    assert {"Key": "job", "Value": "j1"} in volume["Tags"]
    terminate_all(ec2)


def test_each_instance_of_a_launch_has_its_role(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    client(lab, "iam").create_instance_profile(InstanceProfileName="node")
    launch(ec2, MinCount=3, MaxCount=3, IamInstanceProfile={"Name": "node"})
    found = ec2.describe_iam_instance_profile_associations()["IamInstanceProfileAssociations"]
    assert len({each["InstanceId"] for each in found}) == 3
    terminate_all(ec2)


def test_a_disk_that_does_not_hold_its_image_is_refused(
    start_lab: StartLab, client: Client
) -> None:
    lab = start_lab()
    ec2, parameter = client(lab), Ec2Settings().ami_parameter_gpu
    image = client(lab, "ssm").get_parameter(Name=parameter)["Parameter"]["Value"]
    short, enough = ([{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": gib}}] for gib in (74, 75))
    with pytest.raises(ClientError) as caught:
        launch(ec2, ImageId=image, BlockDeviceMappings=short)
    assert code(caught) == "InvalidBlockDeviceMapping"
    assert lab.instances() == ()
    launch(ec2, ImageId=image, BlockDeviceMappings=enough)
    terminate_all(ec2)


def test_a_type_that_is_not_on_sale_is_refused(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    with pytest.raises(ClientError) as caught:
        launch(ec2, InstanceType="p4d.24xlarge")
    assert code(caught) == "Unsupported"


def test_user_data_has_ec2s_limit(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    with pytest.raises(ClientError) as caught:
        launch(ec2, UserData="#!/bin/sh\n" + "x" * 16_384)
    assert code(caught) == "InvalidParameterValue"


def test_a_bid_below_the_price_is_refused(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    with pytest.raises(ClientError) as caught:
        launch(
            ec2, InstanceMarketOptions={"MarketType": "spot", "SpotOptions": {"MaxPrice": "0.01"}}
        )
    assert code(caught) == "SpotMaxPriceTooLow"


def test_a_dry_run_buys_nothing(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    with pytest.raises(ClientError) as caught:
        launch(client(lab), DryRun=True)
    assert code(caught) == "DryRunOperation"
    assert lab.instances() == ()


def test_a_new_instance_shows_late_and_can_be_ended_unseen(
    start_lab: StartLab, client: Client
) -> None:
    clock = ManualClock(time.time())
    lab = start_lab(clock, describe_delay_s=600.0)
    ec2 = client(lab)
    first = launch(ec2)
    assert ec2.describe_instances()["Reservations"] == []
    with pytest.raises(ClientError) as caught:
        describe(ec2, first)
    assert code(caught) == "InvalidInstanceID.NotFound"
    clock.advance(599.0)
    lab.catch_up()
    assert ec2.describe_instances()["Reservations"] == []
    clock.advance(1.0)
    lab.catch_up()
    assert len(ec2.describe_instances()["Reservations"]) == 1
    second = launch(ec2)
    lab.crash(second)
    assert state(ec2, second) == "terminated"
    terminate_all(ec2)


def test_terminated_instances_are_forgotten_but_billed(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(forget_terminated_s=0.2)
    ec2 = client(lab)
    instance_id = launch(ec2)
    # One that is ended while it is pending costs nothing.
    eventually(lambda: state(ec2, instance_id) == "running")
    ec2.terminate_instances(InstanceIds=[instance_id])
    eventually(lambda: ec2.describe_instances()["Reservations"] == [])
    assert [line.billed_s for line in lab.bill().lines] == [60.0]


def test_spot_prices_are_told_live_and_for_90_days(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    now = datetime.now(UTC)
    asked = {"InstanceTypes": ["c5.xlarge"], "ProductDescriptions": ["Linux/UNIX"]}
    live = ec2.describe_spot_price_history(StartTime=now, **asked)["SpotPriceHistory"]
    assert {(each["AvailabilityZone"], each["SpotPrice"]) for each in live} == {
        ("us-east-1a", "0.062000"),
        ("us-east-1b", "0.066000"),
    }
    lab.set_spot_price("c5.xlarge", 0.5, zone="us-east-1b")
    again = ec2.describe_spot_price_history(
        StartTime=now - timedelta(seconds=1), AvailabilityZone="us-east-1b", **asked
    )
    assert again["SpotPriceHistory"][0]["SpotPrice"] == "0.500000"
    pages = list(
        ec2.get_paginator("describe_spot_price_history").paginate(
            PaginationConfig={"PageSize": 100}, **asked
        )
    )
    rows = [row for page in pages for row in page["SpotPriceHistory"]]
    assert len(pages) > 3
    assert rows[-1]["Timestamp"] < now - timedelta(days=89)
    assert [row["Timestamp"] for row in rows] == sorted(
        (row["Timestamp"] for row in rows), reverse=True
    )
    windows = ec2.describe_spot_price_history(ProductDescriptions=["Windows"])
    assert windows["SpotPriceHistory"] == []


def test_the_price_list_has_ec2s_shape_and_its_traps(start_lab: StartLab, client: Client) -> None:
    pricing = client(start_lab(), "pricing")
    shared = {
        "operatingSystem": "Linux",
        "preInstalledSw": "NA",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "regionCode": "us-east-1",
    }
    filters = [
        {"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in shared.items()
    ]
    types = {"Type": "ANY_OF", "Field": "instanceType", "Value": "c5.large,c5.xlarge"}
    found = pricing.get_products(ServiceCode="AmazonEC2", Filters=[*filters, types])["PriceList"]
    prices = {}
    for text in found:
        product = json.loads(text)
        (term,) = product["terms"]["OnDemand"].values()
        (dimension,) = term["priceDimensions"].values()
        assert dimension["unit"] == "Hrs"
        prices[product["product"]["attributes"]["instanceType"]] = float(
            dimension["pricePerUnit"]["USD"]
        )
    assert prices == {"c5.large": 0.085, "c5.xlarge": 0.17}
    everything = pricing.get_paginator("get_products").paginate(
        ServiceCode="AmazonEC2", PaginationConfig={"PageSize": 4}
    )
    assert sum(len(page["PriceList"]) for page in everything) == 17


def test_what_is_on_sale_is_told(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    offered = ec2.describe_instance_type_offerings(LocationType="availability-zone")[
        "InstanceTypeOfferings"
    ]
    assert len(offered) == 4
    types = ec2.describe_instance_types()["InstanceTypes"]
    assert {each["InstanceType"] for each in types} == {"c5.large", "c5.xlarge"}


def test_placement_groups_can_be_made_and_named(start_lab: StartLab, client: Client) -> None:
    ec2 = client(start_lab())
    ec2.create_placement_group(GroupName="g", Strategy="cluster")
    instance_id = launch(ec2, Placement={"GroupName": "g"})
    assert describe(ec2, instance_id)["Placement"]["GroupName"] == "g"
    ec2.delete_placement_group(GroupName="g")
    with pytest.raises(ClientError) as caught:
        ec2.describe_placement_groups(GroupNames=["g"])
    assert code(caught) == "InvalidPlacementGroup.Unknown"
    terminate_all(ec2)


def test_other_services_are_motos(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    assert client(lab, "sts").get_caller_identity()["Account"] == "123456789012"
    s3 = client(lab, "s3", s3={"addressing_style": "path"})
    s3.create_bucket(Bucket="checkpoints")
    s3.put_object(Bucket="checkpoints", Key="k", Body=b"1", IfNoneMatch="*")
    with pytest.raises(ClientError):
        s3.put_object(Bucket="checkpoints", Key="k", Body=b"2", IfNoneMatch="*")
    parameter = client(lab, "ssm").get_parameter(
        Name="/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
    )
    assert parameter["Parameter"]["Value"].startswith("ami-")


def test_a_spot_instance_is_taken_back_by_the_script(start_lab: StartLab, client: Client) -> None:
    lab = start_lab(interruptions=[{"after_s": 0, "notice_s": 0.2}])
    ec2 = client(lab)
    steady = launch(ec2)
    spot = launch(ec2, InstanceMarketOptions={"MarketType": "spot"})
    eventually(lambda: state(ec2, spot) == "terminated")
    assert describe(ec2, spot)["StateReason"]["Code"] == "Server.SpotInstanceTermination"
    assert state(ec2, steady) == "running"
    terminate_all(ec2)


@pytest.mark.parametrize(
    ("is_dated", "ends"), [(True, " GMT)"), (False, ": Spot Instance Termination")]
)
def test_the_end_of_what_is_taken_back_is_told_with_or_without_its_instant(
    start_lab: StartLab, client: Client, is_dated: bool, ends: str
) -> None:
    lab = start_lab(interruptions=[{"after_s": 0, "notice_s": 0}], dates_interruptions=is_dated)
    ec2 = client(lab)
    spot = launch(ec2, InstanceMarketOptions={"MarketType": "spot"})
    eventually(lambda: state(ec2, spot) == "terminated")
    told = describe(ec2, spot)["StateTransitionReason"]
    assert told.startswith("Server.SpotInstanceTermination")
    assert told.endswith(ends)


def test_the_control_api_shows_and_does(start_lab: StartLab, client: Client) -> None:
    lab = start_lab()
    ec2 = client(lab)
    instance_id = launch(ec2)
    ask(f"{lab.endpoint_url}/_lab/fault", effect="throttle", times=1)
    with pytest.raises(ClientError):
        ec2.describe_instances()
    ask(
        f"{lab.endpoint_url}/_lab/price",
        node_type="c5.large",
        spot_usd_per_h=0.2,
        zone="us-east-1a",
    )
    ask(f"{lab.endpoint_url}/_lab/crash", instance_id=instance_id)
    (shown,) = ask(f"{lab.endpoint_url}/_lab/state")["instances"]
    assert (shown["phase"], shown["reason"]) == ("terminated", "Server.InternalError")
    bill = ask(f"{lab.endpoint_url}/_lab/bill")
    assert bill["usd"] == pytest.approx(lab.bill().usd)
    assert bill["lines"][0]["billed_s"] == 60.0
    with pytest.raises(urllib.error.HTTPError) as refusal:
        ask(f"{lab.endpoint_url}/_lab/crash", instance_id="i-unknown")
    refusal.value.close()


@pytest.mark.parametrize("body", [b"{}", b'{"instance": "i-1"}', b"i-1"])
def test_a_request_for_trouble_without_its_fields_is_told_where_they_stand(
    start_lab: StartLab, body: bytes
) -> None:
    lab = start_lab()
    for path in ("crash", "interrupt", "price"):
        url = f"{lab.endpoint_url}/_lab/{path}"
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(urllib.request.Request(url, data=body))
        assert json.load(refusal.value)["error"] == (
            f"/_lab/{path}: wanted JSON with its fields in docs/reference/lab.md, "
            f"found {body.decode()!r}"
        )


def test_one_process_runs_one_lab(start_lab: StartLab) -> None:
    lab = start_lab()
    with pytest.raises(Exception, match="already"), running_lab(lab.scenario):
        pass


def ask(url: str, **fields: Any) -> Any:
    data = json.dumps(fields).encode() if fields else None
    with urllib.request.urlopen(urllib.request.Request(url, data=data)) as answer:
        return json.load(answer)
