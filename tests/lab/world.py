"""What the lab's tests share: a small scenario, and ways to ask for instances."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

IMAGE = "ami-12c6146b"
FIELDS: dict[str, Any] = {
    "node_types": {
        "c5.large": {"cpu": 0.25, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034},
        "c5.xlarge": {
            "cpu": 0.5,
            "on_demand_usd_per_h": 0.17,
            "spot_usd_per_h": {"us-east-1a": 0.062, "us-east-1b": 0.066},
        },
    },
    "machines": "none",
}


def launch(ec2: Any, **more: Any) -> str:
    """Buys one instance and gives its id."""
    asked = {"ImageId": IMAGE, "InstanceType": "c5.large", "MinCount": 1, "MaxCount": 1, **more}
    return str(ec2.run_instances(**asked)["Instances"][0]["InstanceId"])


def describe(ec2: Any, instance_id: str) -> Any:
    return ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"][0]


def state(ec2: Any, instance_id: str) -> str:
    return str(describe(ec2, instance_id)["State"]["Name"])


def terminate_all(ec2: Any) -> None:
    found = [
        each["InstanceId"]
        for r in ec2.describe_instances()["Reservations"]
        for each in r["Instances"]
    ]
    if found:
        ec2.terminate_instances(InstanceIds=found)


def eventually(is_so: Callable[[], bool], *, within_s: float = 10.0) -> None:
    """Waits until it is so; fails if it does not come."""
    until_s = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until_s, "it did not happen in time"
        time.sleep(0.02)


def template(ec2: Any, **more: Any) -> dict[str, str]:
    """Makes a launch template as the product would, and gives its name and version."""
    data = {
        "ImageId": IMAGE,
        "InstanceType": "c5.large",
        "InstanceInitiatedShutdownBehavior": "terminate",
        "MetadataOptions": {
            "HttpTokens": "required",
            "HttpPutResponseHopLimit": 1,
            "InstanceMetadataTags": "enabled",
        },
        "BlockDeviceMappings": [
            {
                "DeviceName": "/dev/xvda",
                "Ebs": {
                    "VolumeSize": 30,
                    "VolumeType": "gp3",
                    "Encrypted": True,
                    "DeleteOnTermination": True,
                },
            }
        ],
        "TagSpecifications": [
            {"ResourceType": "instance", "Tags": [{"Key": "job", "Value": "j1"}]},
            {"ResourceType": "volume", "Tags": [{"Key": "job", "Value": "j1"}]},
        ],
        **more,
    }
    ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
    return {"LaunchTemplateName": "nodes", "Version": "1"}


def fleet(ec2: Any, named: dict[str, str], overrides: list[dict[str, Any]], **more: Any) -> Any:
    """Asks for one spot instance, unless told otherwise."""
    asked = {
        "Type": "instant",
        "LaunchTemplateConfigs": [{"LaunchTemplateSpecification": named, "Overrides": overrides}],
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": 1,
            "DefaultTargetCapacityType": "spot",
        },
        "SpotOptions": {"AllocationStrategy": "price-capacity-optimized"},
        **more,
    }
    return ec2.create_fleet(**asked)
