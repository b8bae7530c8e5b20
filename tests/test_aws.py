"""Clients that look for credentials until there are some."""

from __future__ import annotations

from typing import Any

import boto3
import botocore.session
import pytest
from botocore.awsrequest import AWSResponse, HTTPHeaders
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError

from elastic.aws import LateClient


class Metadata:
    """Where credentials come from; silent as long as it has none to tell."""

    def __init__(self) -> None:
        self.told: Credentials | None = None
        self.asked = 0

    def load_credentials(self) -> Credentials | None:
        self.asked += 1
        return self.told


class Body:
    def stream(self, *_: Any, **__: Any) -> list[bytes]:
        return [b"<DescribeRegionsResponse/>"]


def test_a_client_made_while_nobody_tells_credentials_gets_them_when_somebody_does() -> None:
    metadata, sent = Metadata(), list[str]()
    core = botocore.session.get_session()
    core.register_component("credential_provider", metadata)
    session = boto3.Session(botocore_session=core, region_name="us-east-1")

    def answer(request: Any, **_: Any) -> Any:
        sent.append(request.headers["Authorization"].decode())
        return AWSResponse(request.url, 200, HTTPHeaders(), Body())

    events: Any = session.events  # its types do not know that a handler may answer
    events.register("before-send", answer)
    client = LateClient(session, "ec2")
    with pytest.raises(NoCredentialsError):
        client.describe_regions()
    metadata.told = Credentials("AKIDLATE", "secret")
    client.describe_regions()
    asked = metadata.asked
    client.describe_regions()
    assert len(sent) == 2
    assert all("AKIDLATE" in each for each in sent)
    assert metadata.asked == asked, "what was found is kept"
