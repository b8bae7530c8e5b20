"""Reads what an instance's metadata service shows from moto, at each request."""

from __future__ import annotations

import base64
import gzip
from typing import Any

from elastic_lab.cloud import ACCOUNT_ID, Cloud
from elastic_lab.imds import ImdsNotice, Metadata

_GZIP = b"\x1f\x8b"


def read_metadata(
    instance: Any,
    cloud: Cloud,
    *,
    notice: ImdsNotice | None,
    rebalance_at_s: float | None,
    at_s: float,
) -> Metadata:
    """The instance's metadata as it is now; `at_s` is when it was launched."""
    options = instance.metadata_options
    tells_tags = options.instance_metadata_tags == "enabled"
    return Metadata(
        instance_id=instance.id,
        instance_type=instance.instance_type,
        image_id=instance.image_id,
        region=cloud.region,
        zone=instance.placement.zone,
        account_id=ACCOUNT_ID,
        local_ipv4=instance.private_ip,
        hostname=instance.private_dns_name,
        lifecycle="spot" if instance.lifecycle == "spot" else "on-demand",
        launched_at_s=at_s,
        user_data=None if instance.user_data is None else base64.b64decode(str(instance.user_data)),
        tags=_own_tags(instance) if tells_tags else None,
        notice=notice,
        rebalance_at_s=rebalance_at_s,
        profile=_profile(instance, cloud),
        is_enabled=options.http_endpoint == "enabled",
        needs_token=options.http_tokens == "required",
        hop_limit=options.http_put_response_hop_limit,
    )


def unpacked(data: bytes | None) -> str | None:
    """User data as text; compressed data is unpacked, as cloud-init does on a machine."""
    if data is None:
        return None
    return (gzip.decompress(data) if data.startswith(_GZIP) else data).decode("utf-8", "replace")


def _own_tags(instance: Any) -> dict[str, str]:
    return {
        tag["key"]: tag["value"] for tag in instance.get_tags() if not tag["key"].startswith("aws:")
    }


def _profile(instance: Any, cloud: Cloud) -> str | None:
    association = cloud.backend.iam_instance_profile_associations.get(instance.id)
    if association is None:
        return None
    return str(association.iam_instance_profile.name)
