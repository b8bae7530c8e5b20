"""The launch template of one intent: the machine in full, so that a repeated call is the same call."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of
from elastic.providers.ec2.images import Image

_STALE_S = 3600.0
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class Template:
    """What every machine of an intent is like, whatever its type and zone."""

    token: str
    image: Image
    user_data: bytes
    security_group: str
    volume_gib: int
    tags: Mapping[str, str]
    instance_profile: str | None = None
    placement_group: str | None = None

    @property
    def name(self) -> str:
        return f"elasticd-{client_token(self.token)}"

    def data(self) -> dict[str, object]:
        """LaunchTemplateData, which RunInstances takes as well."""
        return {
            "ImageId": self.image.id,
            "UserData": base64.b64encode(self.user_data).decode(),
            "SecurityGroupIds": [self.security_group],
            "InstanceInitiatedShutdownBehavior": "terminate",
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1, "HttpEndpoint": "enabled"},
            "BlockDeviceMappings": [
                {
                    "DeviceName": self.image.root_device,
                    "Ebs": {
                        "VolumeType": "gp3",
                        "VolumeSize": self.volume_gib,
                        "Encrypted": True,
                        "DeleteOnTermination": True,
                    },
                }
            ],
            "TagSpecifications": tags.specifications(["instance", "volume"], self.tags),
            **({"IamInstanceProfile": {"Name": self.instance_profile}} if self.instance_profile else {}),
            **({"Placement": {"GroupName": self.placement_group}} if self.placement_group else {}),
        }


def client_token(token: str) -> str:
    """An intent's token as EC2 takes it: 64 characters at most.

    >>> client_token("a1b2")
    'a1b2'
    >>> len(client_token("x" * 65))
    64
    """
    return token if _PLAIN.fullmatch(token) else hashlib.sha256(token.encode()).hexdigest()


def ensure_template(aws: Aws, template: Template) -> None:
    """Makes the template, or finds it made by an earlier attempt of the same intent. Raises ClientError."""
    try:
        aws.launches.create_launch_template(
            LaunchTemplateName=template.name,
            ClientToken=client_token(template.token),
            LaunchTemplateData=template.data(),
            TagSpecifications=tags.specifications(["launch-template"], {tags.CLUSTER: template.tags[tags.CLUSTER]}),
        )
    except ClientError as error:
        if code_of(error) != "InvalidLaunchTemplateName.AlreadyExistsException":
            raise


def drop_template(aws: Aws, name: str) -> None:
    """Removes a template that has served; one that stays costs nothing and is swept later."""
    with suppress(ClientError, BotoCoreError):
        aws.endings.delete_launch_template(LaunchTemplateName=name)


def sweep_templates(aws: Aws, cluster: str, *, now_s: float) -> int:
    """Removes templates that launches which never heard an answer left behind; gives how many. Raises nothing."""
    swept = 0
    with suppress(ClientError, BotoCoreError):
        pages = aws.reads.get_paginator("describe_launch_templates").paginate(
            Filters=tags.tagged({tags.CLUSTER: cluster})
        )
        stale = [
            str(raw["LaunchTemplateName"])
            for page in pages
            for raw in page["LaunchTemplates"]
            if now_s - raw["CreateTime"].timestamp() > _STALE_S
        ]
        for name in stale:
            drop_template(aws, name)
            swept += 1
    return swept
