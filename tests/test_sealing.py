"""Secrets of jobs as they are stored."""

from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import JobSpec
from elastic.sealing import Sealer

SPEC = JobSpec("j", ("train.py",), env={"KEY": "value", "LR": "0.1", "EMPTY": ""})


def test_secrets_alone_are_sealed_and_opened_again() -> None:
    spec = Sealer(b"one").sealed(
        JobSpec("j", ("train.py",), env=SPEC.env, secrets=("KEY", "EMPTY"))
    )
    assert spec.env["LR"] == "0.1"
    assert "value" not in str(spec.env)
    assert Sealer(b"one").opened(spec) == SPEC.env


def test_the_same_job_is_sealed_the_same_way_and_another_name_another() -> None:
    sealer = Sealer(b"one")
    assert sealer.seal("KEY", "value") == sealer.seal("KEY", "value")
    assert sealer.seal("KEY", "value") != sealer.seal("OTHER", "value")


def test_what_another_secret_sealed_says_what_to_do() -> None:
    sealed = Sealer(b"one").seal("KEY", "value")
    with pytest.raises(InvalidInput, match="submit the job again"):
        Sealer(b"two").open("KEY", sealed)
    with pytest.raises(InvalidInput, match="submit the job again"):
        Sealer(b"one").open("KEY", sealed[:-6])


def test_a_job_without_secrets_is_as_it_was() -> None:
    assert Sealer(b"one").sealed(SPEC) == SPEC
    assert Sealer(b"one").opened(SPEC) == SPEC.env
