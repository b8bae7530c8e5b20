"""The launch template of a job, with a version for each launch, so that a repeated call is the same
call."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.ec2.images import Image

_STALE_S = (
    7 * 24 * 3600.0
)  # A job may wait for long, and its template tells which image it runs on.
_VERSIONS_A_PAGE = 200  # DescribeLaunchTemplateVersions gives no more.
_NO_TEMPLATE = frozenset(
    {"InvalidLaunchTemplateName.NotFoundException", "InvalidLaunchTemplateId.NotFound"}
)
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class Template:
    """What every machine of one launch is like, whatever its zone. `name` is the same for the whole
    job."""

    name: str
    token: str
    node_type: str
    image: Image
    user_data: bytes
    security_group: str
    volume_gib: int
    tags: Mapping[str, str]
    instance_profile: str | None = None
    placement_group: str | None = None
    is_burstable: bool = False

    def data(self) -> dict[str, object]:
        """LaunchTemplateData."""
        return {**self.run_data(), "UserData": base64.b64encode(self.user_data).decode()}

    def run_data(self) -> dict[str, object]:
        """The same as RunInstances takes it: there botocore encodes the user data itself."""
        return {
            # a fleet's override says the same; here it tells what the image is for
            "InstanceType": self.node_type,
            "ImageId": self.image.id,
            "UserData": self.user_data,
            "SecurityGroupIds": [self.security_group],
            "InstanceInitiatedShutdownBehavior": "terminate",
            # A machine that EC2 boots again has no timer, and its group has gone on without it.
            "MaintenanceOptions": {"AutoRecovery": "disabled"},
            "MetadataOptions": {
                "HttpTokens": "required",
                "HttpPutResponseHopLimit": 1,
                "HttpEndpoint": "enabled",
            },
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
            **(
                {"IamInstanceProfile": {"Name": self.instance_profile}}
                if self.instance_profile
                else {}
            ),
            **({"Placement": {"GroupName": self.placement_group}} if self.placement_group else {}),
            # Else T3 and its like run beyond their credits at a charge that no price tells. EC2
            # refuses it for others.
            **({"CreditSpecification": {"CpuCredits": "standard"}} if self.is_burstable else {}),
        }


def template_name(cluster: str, job_id: str) -> str:
    """The name of a job's template.

    >>> template_name("elasticd", "job-1")
    'elasticd-elasticd-job-1'
    """
    return f"elasticd-{client_token(f'{cluster}-{job_id}')}"


def client_token(token: str) -> str:
    """A launch's token as EC2 takes it: 64 characters at most.

    >>> client_token("a1b2")
    'a1b2'
    >>> len(client_token("x" * 65))
    64
    """
    if _PLAIN.fullmatch(token):
        return token
    return hashlib.sha256(token.encode()).hexdigest()


def ensure_template(aws: Aws, template: Template) -> None:
    """Makes the job's template, or finds it made. Its first version holds no token, and buys
    nothing.

    Raises ClientError.
    """
    data = {
        name: value
        for name, value in template.data().items()
        if name not in ("UserData", "TagSpecifications")
    }
    marks = {name: template.tags[name] for name in (tags.CLUSTER, tags.JOB)}
    try:
        aws.launches.create_launch_template(
            LaunchTemplateName=template.name,
            LaunchTemplateData=data,
            TagSpecifications=tags.specifications(["launch-template"], marks),
        )
    except ClientError as error:
        if code_of(error) != "InvalidLaunchTemplateName.AlreadyExistsException":
            raise


def ensure_version(aws: Aws, template: Template) -> str:
    """Makes the launch's version of its job's template, or finds it made by an earlier attempt;
    gives its number.

    EC2's memory of tokens is not for ever, so the version is looked for by its description first.
    Raises ClientError.
    """
    for raw in _versions(aws, template.name):
        if raw.get("VersionDescription") == client_token(template.token):
            return str(raw["VersionNumber"])
    answer = aws.launches.create_launch_template_version(
        LaunchTemplateName=template.name,
        ClientToken=client_token(template.token),
        VersionDescription=client_token(template.token),
        LaunchTemplateData=template.data(),
    )
    return str(answer["LaunchTemplateVersion"]["VersionNumber"])


def launched_images(aws: Aws, name: str) -> tuple[tuple[str, str], ...]:
    """The node type and the image of each version of a template, oldest first; none where there is
    no template.

    Raises ProviderUnavailable if EC2 does not tell.
    """
    with translated(f"reading the launch template {name}"):
        try:
            told = sorted(_versions(aws, name), key=lambda raw: int(raw["VersionNumber"]))
        except ClientError as error:
            if code_of(error) not in _NO_TEMPLATE:
                raise
            return ()
    data = [raw["LaunchTemplateData"] for raw in told]
    return tuple((str(each.get("InstanceType", "")), str(each["ImageId"])) for each in data)


def sweep_templates(aws: Aws, cluster: str, *, living_jobs: Collection[str], now_s: float) -> int:
    """Removes templates of jobs that have no machine and launched none for a week; returns how many.
    Raises nothing.

    A launch would make such a template anew, but with the newest image.
    """
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
            and tags.tags_of(raw).get(tags.JOB) not in living_jobs
        ]
        for name in stale:
            if any(
                now_s - raw["CreateTime"].timestamp() <= _STALE_S for raw in _versions(aws, name)
            ):
                continue
            aws.endings.delete_launch_template(LaunchTemplateName=name)
            swept += 1
    return swept


def _versions(aws: Aws, name: str) -> Iterator[Mapping[str, Any]]:
    pages = aws.reads.get_paginator("describe_launch_template_versions").paginate(
        LaunchTemplateName=name, PaginationConfig={"PageSize": _VERSIONS_A_PAGE}
    )
    return (raw for page in pages for raw in page["LaunchTemplateVersions"])
