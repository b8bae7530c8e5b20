"""Clients that look for credentials until there are some, and for new ones when they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import botocore.session
import pytest
from botocore.awsrequest import AWSResponse, HTTPHeaders
from botocore.credentials import Credentials
from botocore.exceptions import ClientError, NoCredentialsError, NoRegionError

from elastic.aws import AwsAccess, wrong_region

_EXPIRED = b"<Response><Errors><Error><Code>%s</Code></Error></Errors></Response>"


class Source:
    """Where credentials come from; silent as long as it has none to tell."""

    def __init__(self, told: Credentials | None = None) -> None:
        self.told = told
        self.asked = 0

    def load_credentials(self) -> Credentials | None:
        self.asked += 1
        return self.told


class Body:
    def __init__(self, text: bytes) -> None:
        self.text = text

    def stream(self, *_: Any, **__: Any) -> list[bytes]:
        return [self.text]


def sessions(
    source: Source, sent: list[str], refused: str = "", code: bytes = b"RequestExpired"
) -> Callable[[], boto3.Session]:
    """Makes sessions with the credentials of `source`, whose answers refuse those of key `refused`.

    The key of each request is added to `sent`.
    """

    def answer(request: Any, **_: Any) -> Any:
        key = request.headers["Authorization"].decode().partition("Credential=")[2].split("/")[0]
        sent.append(key)
        if key == refused:
            return AWSResponse(request.url, 400, HTTPHeaders(), Body(_EXPIRED % code))
        return AWSResponse(request.url, 200, HTTPHeaders(), Body(b"<DescribeRegionsResponse/>"))

    def make() -> boto3.Session:
        core = botocore.session.get_session()
        core.register_component("credential_provider", source)
        session = boto3.Session(botocore_session=core, region_name="us-east-1")
        events: Any = session.events  # its types do not know that a handler may answer
        events.register("before-send", answer)
        return session

    return make


def test_a_client_made_while_nobody_tells_credentials_gets_them_when_somebody_does() -> None:
    metadata, sent = Source(), list[str]()
    client = AwsAccess(sessions(metadata, sent)).client("ec2")
    with pytest.raises(NoCredentialsError):
        client.describe_regions()
    metadata.told = Credentials("AKIDLATE", "secret")
    client.describe_regions()
    asked = metadata.asked
    client.describe_regions()
    assert sent == ["AKIDLATE", "AKIDLATE"]
    assert metadata.asked == asked, "what was found is kept"


def test_renewed_credentials_are_found_by_all_clients_once_the_old_ones_are_refused() -> None:
    file, sent = Source(Credentials("AKIDOLD", "secret")), list[str]()
    access = AwsAccess(sessions(file, sent, refused="AKIDOLD"))
    reads, launches = access.client("ec2"), access.client("ec2")
    for _ in range(2):
        with pytest.raises(ClientError, match="RequestExpired"):
            reads.describe_regions()
    file.told = Credentials("AKIDNEW", "secret")
    launches.describe_regions()
    reads.describe_regions()
    assert sent == ["AKIDOLD", "AKIDOLD", "AKIDNEW", "AKIDNEW"]
    asked = file.asked
    launches.describe_regions()
    assert file.asked == asked, "what is accepted is kept"


def test_other_refusals_look_for_no_credentials() -> None:
    file, sent = Source(Credentials("AKID", "secret")), list[str]()
    client = AwsAccess(sessions(file, sent, "AKID", b"UnauthorizedOperation")).client("ec2")
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        client.describe_regions()
    asked = file.asked
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        client.describe_regions()
    assert file.asked == asked


def test_where_no_region_is_named_it_says_where_to_name_one() -> None:
    assert str(wrong_region(None, NoRegionError())) == (
        "ec2.region: wanted the region of the machines, found none: set it in elasticd.toml, or "
        "AWS_REGION"
    )
    assert "got 'moon'" in str(wrong_region("moon", ValueError("unknown")))
