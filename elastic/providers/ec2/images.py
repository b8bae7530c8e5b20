"""Chooses the machine image of a job: the newest when it began, for its whole life.

The size of a node's disk follows from its image.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from botocore.exceptions import ClientError

from elastic.clock import Clock
from elastic.config import Ec2Settings
from elastic.errors import ProviderError
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.cached import CachedValue
from elastic.providers.ec2.catalog import Kind
from elastic.providers.ec2.faults import code_of, translated

# The size of a disk beyond its image: 6 for torch with CUDA (5.4 GB when unpacked), and 16 for the
# job's own files.
ROOM_GIB = 22
# That of Amazon Linux 2023, for an image that does not say.
_SMALLEST_GIB = 8
_AMI = re.compile(r"ami-[0-9a-f]{8,17}")
# Operations that are billed as Linux: Linux itself, and Red Hat with an own subscription (EC2 User
# Guide, "AMI billing information").
_PRICED_AS_LINUX = ("RunInstances", "RunInstances:00g0")


@dataclass(frozen=True, slots=True)
class Image:
    """A machine image."""

    id: str
    # The name of the disk that it boots from.
    root_device: str
    # The least size of that disk; 0: unknown.
    least_gib: int = 0


class Images:
    """Pins an image for each job and each kind of machine."""

    def __init__(self, aws: Aws, settings: Ec2Settings, clock: Clock) -> None:
        self._aws = aws
        self._settings = settings
        self._lock = threading.Lock()
        self._pinned: dict[tuple[str, str], Image] = {}
        self._least_gib: dict[str, int] = {}
        names = {settings.ami_parameter, settings.ami_parameter_arm64, settings.ami_parameter_gpu}
        self._newest = {
            name: CachedValue(partial(self._read_newest, name), clock) for name in names
        }

    def parameter(self, kind: Kind) -> str:
        """The public parameter that names the newest image for this kind of machine."""
        if kind.node_type.gpu_count:
            return self._settings.ami_parameter_gpu
        if kind.architecture == "arm64":
            return self._settings.ami_parameter_arm64
        return self._settings.ami_parameter

    def pinned(self, job_id: str, kind: Kind, in_use: Iterable[str]) -> Image:
        """The job's image.

        `in_use` are the images of its launches by the same parameter, oldest first. Raises
        ProviderError for an image that would cost more than prices say.
        """
        # A daemon that has just started must continue with the image that the job began with.
        parameter = self.parameter(kind)
        with self._lock:
            known = self._pinned.get((job_id, parameter))
        if known is not None:
            return known
        used = next(iter(in_use), None)
        if used:
            image = self._described(used, parameter)
        else:
            image = self.newest(kind)
        with self._lock:
            return self._pinned.setdefault((job_id, parameter), image)

    def newest(self, kind: Kind) -> Image:
        """The image of a job that begins now on this kind of machine. Raises ProviderError."""
        return self._newest[self.parameter(kind)].get()

    def disk_gib(self, kind: Kind) -> int:
        """The disk of every machine of this kind. Raises ProviderError."""
        # It is large enough for every image of this kind in use. So a launch and the price that it
        # was decided by mean the same disk.
        parameter = self.parameter(kind)
        if parameter not in self._least_gib:
            self.newest(kind)
        return _disk_gib(self._least_gib[parameter], self._settings.volume_gib)

    def _read_newest(self, parameter: str) -> Image:
        with translated(f"reading the image in {parameter}", service="ssm"):
            try:
                told = self._aws.parameters.get_parameter(Name=parameter)["Parameter"]["Value"]
            except ClientError as error:
                if code_of(error) != "ParameterNotFound":
                    raise
                region = self._aws.parameters.meta.region_name
                raise self._no_image(parameter, f"no such parameter in {region}") from error
        if not _AMI.fullmatch(told):
            raise self._no_image(parameter, repr(told))
        return self._described(told, parameter)

    def _no_image(self, parameter: str, found: str) -> ProviderError:
        settings = {
            self._settings.ami_parameter_gpu: "ec2.ami_parameter_gpu",
            self._settings.ami_parameter_arm64: "ec2.ami_parameter_arm64",
            self._settings.ami_parameter: "ec2.ami_parameter",
        }
        return ProviderError(
            f"{parameter}: wanted the id of an image, found {found}; correct {settings[parameter]}"
        )

    def _described(self, image_id: str, parameter: str) -> Image:
        with translated(f"describing the image {image_id}"):
            found = self._aws.reads.describe_images(ImageIds=[image_id])["Images"]
        told = found[0] if found else {}
        root_device = str(told.get("RootDeviceName") or "/dev/xvda")
        disks = {
            each.get("DeviceName"): each["Ebs"]
            for each in told.get("BlockDeviceMappings", [])
            if "Ebs" in each
        }
        root = disks.pop(root_device, {})
        _check_cost(image_id, told, further=disks)
        image = Image(image_id, root_device, int(root.get("VolumeSize") or 0))
        with self._lock:
            self._least_gib[parameter] = max(image.least_gib, self._least_gib.get(parameter, 0))
        return image


def _disk_gib(least_gib: int, volume_gib: int | None) -> int:
    """The size of a disk, by what its image needs and the settings say (None: nothing).

    >>> _disk_gib(75, None), _disk_gib(75, 200), _disk_gib(75, 30)
    (97, 200, 75)
    """
    if volume_gib is None:
        return (least_gib or _SMALLEST_GIB) + ROOM_GIB
    return max(volume_gib, least_gib)


def _check_cost(
    image_id: str, told: Mapping[str, Any], *, further: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raises ProviderError for an image that costs more than prices say, or after its machine."""
    if further:
        disks = ", ".join(
            f"{name} ({each.get('VolumeSize', '?')} GiB)" for name, each in sorted(further.items())
        )
        raise ProviderError(
            f"the image {image_id}: wanted one with a root disk only, found {disks} as well, which "
            "no price here includes and nothing removes; make one without (ec2.volume_gib makes "
            "the root disk larger)"
        )
    if (operation := told.get("UsageOperation", _PRICED_AS_LINUX[0])) not in _PRICED_AS_LINUX:
        raise ProviderError(
            f"the image {image_id}: wanted one that is billed as Linux, found "
            f"{told.get('PlatformDetails')} ({operation}), whose hours cost more than the prices "
            "here; name another (ec2.ami_parameter)"
        )
