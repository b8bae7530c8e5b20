"""Reads secrets of a job from SSM parameters, with the rights of the node."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.aws import session_in
from elastic.errors import PreparationFailed


def read_parameters(parameters: Mapping[str, str], *, region: str | None) -> dict[str, str]:
    """The values of variables by the names of their parameters, decrypted.

    Raises PreparationFailed, with what the node's role needs.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    client = session_in(region).client("ssm")
    found = {}
    for variable, name in parameters.items():
        try:
            answer = client.get_parameter(Name=name, WithDecryption=True)
        except (ClientError, BotoCoreError) as error:
            raise PreparationFailed(
                f"secret {variable}: the node cannot read the SSM parameter {name}: {error}. Its "
                "role needs ssm:GetParameter on it, and kms:Decrypt on a key of your own"
            ) from error
        found[variable] = str(answer["Parameter"]["Value"])
    return found
