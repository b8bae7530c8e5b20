"""Reads secrets of a job from SSM parameters, with the rights of the node."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.aws import patient_session_in
from elastic.errors import PreparationFailed


def read_parameters(parameters: Mapping[str, str], *, region: str | None) -> dict[str, str]:
    """The values of variables by the names of their parameters, decrypted.

    Raises PreparationFailed, with what the node's role needs.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    # A node's metadata service may be slow, and what fails here ends the job.
    client = patient_session_in(region).client("ssm")
    found = {}
    for variable, name in parameters.items():
        try:
            answer = client.get_parameter(Name=name, WithDecryption=True)
        except client.exceptions.ParameterNotFound as error:
            raise PreparationFailed(
                f"secret {variable}: wanted the SSM parameter {name}, there is none in "
                f"{client.meta.region_name}; make it there, or correct its name"
            ) from error
        except (ClientError, BotoCoreError) as error:
            raise PreparationFailed(
                f"secret {variable}: the node cannot read the SSM parameter {name}: {error}. Its "
                "role needs ssm:GetParameter on it, and kms:Decrypt on a key of your own"
            ) from error
        found[variable] = str(answer["Parameter"]["Value"])
    return found
