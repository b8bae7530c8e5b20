"""A job's launch template, with a version for each launch, so that a repeated call is the same."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from elastic.durations import LONG_KEPT_S
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.ec2.images import Image

# DescribeLaunchTemplateVersions gives no more.
_VERSIONS_A_PAGE = 200
_NO_TEMPLATE = frozenset(
    {"InvalidLaunchTemplateName.NotFoundException", "InvalidLaunchTemplateId.NotFound"}
)
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class Template:
    """The machines of one launch, in any zone."""

    # The same for the whole job.
    name: str
    token: str
    node_type: str
    image: Image
    user_data: bytes
    security_group: str
    volume_gib: int
    tags: Mapping[str, str]
    # Those of the settings, which everything carries.
    own_tags: Mapping[str, str]
    instance_profile: str | None = None
    placement_group: str | None = None
    is_burstable: bool = False

    def data(self) -> dict[str, object]:
        """The template as LaunchTemplateData of EC2's API."""
        return {**self.run_data(), "UserData": base64.b64encode(self.user_data).decode()}

    def run_data(self) -> dict[str, object]:
        """The template for RunInstances, for which botocore encodes the user data itself."""
        return {
            # A fleet's override says the same. Here it records what the image is for.
            "InstanceType": self.node_type,
            "ImageId": self.image.id,
            "UserData": self.user_data,
            "SecurityGroupIds": [self.security_group],
            # An agent ends its machine by shutting it down. EC2 would only stop it, and charge for
            # its disk.
            "InstanceInitiatedShutdownBehavior": "terminate",
            # A machine that EC2 boots again has no timer, and its group trains on without it.
            "MaintenanceOptions": {"AutoRecovery": "disabled"},
            "MetadataOptions": {
                "HttpTokens": "required",
                # A container with a network of its own is one hop further: it cannot get the
                # machine's credentials.
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
                        # Otherwise a disk would stay, and cost, after each node.
                        "DeleteOnTermination": True,
                    },
                }
            ],
            "TagSpecifications": [
                *tags.specifications(["instance", "volume"], self.tags),
                # AWS bills a public address to it.
                *tags.specifications(["network-interface"], self.own_tags),
            ],
            **(
                {"IamInstanceProfile": {"Name": self.instance_profile}}
                if self.instance_profile
                else {}
            ),
            **({"Placement": {"GroupName": self.placement_group}} if self.placement_group else {}),
            # Otherwise T3 and similar types run beyond their credits, at a cost that no price
            # includes. EC2 refuses this option for other types.
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
    """Makes the job's template if there is none. Its first version is not used for a launch.

    Raises ClientError.
    """
    data = {
        name: value
        for name, value in template.data().items()
        if name not in ("UserData", "TagSpecifications")
    }
    own = {name: template.tags[name] for name in (tags.CLUSTER, tags.JOB)}
    marks = {**template.own_tags, **own}
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
    """Makes the launch's version of the template, unless it exists; returns its number.

    Raises ClientError.
    """
    # EC2 forgets tokens after a while, so the version is first looked for by its description.
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
    """The node type and image of each version of a template, oldest first; none if it is gone.

    Raises ProviderUnavailable without an answer.
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
    """Removes templates of jobs without machines and launches for a month; returns how many.

    A later launch would make the template again, but with the newest image. Raises nothing.
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
            # A job may wait for days, and its template records its image.
            if now_s - raw["CreateTime"].timestamp() > LONG_KEPT_S
            and tags.tags_of(raw).get(tags.JOB) not in living_jobs
        ]
        for name in stale:
            if any(
                now_s - raw["CreateTime"].timestamp() <= LONG_KEPT_S for raw in _versions(aws, name)
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
