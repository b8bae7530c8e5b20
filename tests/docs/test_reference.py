"""The reference names everything there is, and nothing that there is not."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from api.app import routes
from api.job_document import JobDocument
from elastic.cli import MEANINGS
from elastic.cli.app import app
from elastic.config import PolicySettings, Settings
from elastic.policy import POLICIES
from elastic.pricing import PRICE_SOURCES
from elastic.workloads import WORKLOADS
from tests.docs.model_fields import fields
from tests.docs.pages import Block, blocks, page, rows

Command = tuple[str, tuple[str, ...]]


def commands() -> Iterator[Command]:
    """Each command's words, and its options."""

    def walk(group: TyperGroup, words: str) -> Iterator[Command]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from walk(command, f"{words} {name}")
            else:
                options = [
                    each
                    for parameter in command.params
                    for each in parameter.opts
                    if each.startswith("-")
                ]
                yield f"{words} {name}", tuple(options)

    root = get_command(app)
    assert isinstance(root, TyperGroup)
    return walk(root, "elasticd")


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: str(command[0]))
def test_every_command_is_named_with_its_options(command: Command) -> None:
    words, options = command
    text = page("docs/reference/commands.md")
    places = [
        part
        for part in re.split(r"\n\n|\n(?=\|)", text)
        if f"`{words}`" in part or f"`{words} " in part
    ]
    assert places, f"{words} is not named"
    missing = [option for option in options if not any(f"`{option}`" in each for each in places)]
    assert missing == [], f"{words}: options that are not named"


def test_no_command_is_named_that_there_is_not() -> None:
    known = {words for words, _ in commands()}
    named = set(re.findall(r"`(elasticd [a-z]+(?: [a-z]+)?)`", page("docs/reference/commands.md")))
    assert named <= known


@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_every_command_that_a_page_shows_exists_with_its_options(block: Block) -> None:
    known = dict(commands())
    for line in re.findall(r"^\$ (?:.*\s)?(elasticd [a-z].*)", block.text, re.MULTILINE):
        words = shlex.split(line.partition(" 2>")[0], comments=True)
        name = next((each for n in (3, 2) if (each := " ".join(words[:n])) in known), None)
        assert name is not None, f"{line}: no such command"
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        assert set(options) <= set(known[name]), line


def test_every_exit_status_is_named_with_its_meaning() -> None:
    text = page("docs/reference/commands.md")
    assert [
        code for code, meaning in MEANINGS.items() if f"| {code.value} | {meaning} |" not in text
    ] == []


def test_every_setting_is_named_with_its_default() -> None:
    table = rows("docs/reference/settings.md")
    plain = (*fields(Settings), *fields(PolicySettings, "policy."))
    assert [name for name, _ in plain if name not in table] == []
    shown = {name: default for name, default in plain if isinstance(default, str | int | float)}
    assert {name: table[name][1] for name in shown} == {
        name: f"`{default}`" for name, default in shown.items()
    }


def test_every_field_of_a_job_is_named() -> None:
    table = rows("docs/reference/job.md")
    assert [name for name, _ in fields(JobDocument) if name not in table] == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_hyperparameter_is_named_with_its_default(workload: str) -> None:
    table = rows("docs/reference/job.md")
    for field in dataclasses.fields(WORKLOADS[workload].options):
        assert table[field.name][1:] == (f"`{field.default}`", field.metadata["description"])


@pytest.mark.parametrize(
    "registry", [POLICIES, PRICE_SOURCES, WORKLOADS], ids=["policies", "price sources", "workloads"]
)
def test_every_entry_of_a_registry_is_named(registry: dict[str, object]) -> None:
    text = page("docs/reference/settings.md")
    assert [name for name in registry if f"`{name}`" not in text] == []


def test_every_route_is_named_and_no_other() -> None:
    paths: dict[str, dict[str, object]] = routes().openapi()["paths"]
    real = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    named = {
        name
        for name in rows("docs/reference/rest.md")
        if name.startswith(("GET ", "POST ", "PUT "))
    }
    assert named == real
