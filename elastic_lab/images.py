"""The image for GPUs, with the size and the parameter of AWS's, beside moto's own images."""

from __future__ import annotations

from typing import Any

from moto.backends import get_backend
from moto.core.utils import utcnow
from moto.ec2.models.amis import Ami
from moto.ssm.models import Parameter

GPU_PARAMETER = (
    "/aws/service/deeplearning/ami/x86_64/"
    "base-oss-nvidia-driver-gpu-amazon-linux-2023/latest/ami-id"
)
GPU_IMAGE_ID = "ami-0a1b2c3d4e5f60075"
_GPU_GIB = 75


class _Image(Ami):
    """An image whose root disk has another size than moto's."""

    gib = _GPU_GIB

    @property
    def block_device_mappings(self) -> list[dict[str, Any]]:
        (root,) = super().block_device_mappings
        return [{**root, "Ebs": {**root["Ebs"], "VolumeSize": self.gib}}]


def add_gpu_image(backend: Any, account_id: str, region: str) -> None:
    """Adds the image to moto's EC2 of this region, and the parameter that names it."""
    backend.amis[GPU_IMAGE_ID] = _Image(
        backend,
        GPU_IMAGE_ID,
        name="Deep Learning Base OSS Nvidia Driver GPU AMI (Amazon Linux 2023)",
        owner_id="898082745236",
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        architecture="x86_64",
        root_device_type="ebs",
        root_device_name="/dev/xvda",
        region_name=f"{region}a",
    )
    # Set directly, since put_parameter refuses names below /aws.
    get_backend("ssm")[account_id][region]._parameters[GPU_PARAMETER].append(  # noqa: SLF001
        Parameter(  # type: ignore[abstract]  # moto itself makes them so
            account_id=account_id,
            name=GPU_PARAMETER,
            value=GPU_IMAGE_ID,
            parameter_type="String",
            description=None,
            allowed_pattern=None,
            keyid=None,
            last_modified_date=utcnow(),
            version=1,
            data_type="text",
        )
    )


def least_gib(backend: Any, image_id: str) -> int:
    """The size of an image's root disk; 0 if there is no such image."""
    image = backend.amis.get(image_id)
    if image is None:
        return 0
    return int(image.block_device_mappings[0]["Ebs"]["VolumeSize"])
