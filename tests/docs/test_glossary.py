"""The glossary has a word for every noun of the domain, once and in order."""

from __future__ import annotations

import inspect
import re

import pytest

from api.job_document import JobDocument
from elastic import model
from tests.docs.model_fields import fields
from tests.docs.pages import page

TEXT = "\n".join(" ".join(each.split()) for each in page("docs/glossary.md").split("\n\n"))
TERMS = re.findall(r"^\*\*(.+?)\*\*: ", TEXT, re.MULTILINE)
WORDS = {*TERMS, *re.findall(r"(?<!\*)\*([^*`]+)\*(?!\*)", TEXT)}
"""What it defines: the terms, and the words in italics within the entry of another."""
NAMES = set(re.findall(r"`([^`]+)`", TEXT))
"""The code's own names in it."""
CLASSES = [name for name in model.__all__ if inspect.isclass(getattr(model, name))]
FIELDS = [name for name, _ in fields(JobDocument)]


def in_words(class_name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", class_name).lower()


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_of_the_domain_has_its_word(name: str) -> None:
    assert in_words(name) in WORDS or name in NAMES


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_of_a_job_file_has_its_word(name: str) -> None:
    assert name.replace("_", " ") in WORDS or name in NAMES


def test_each_term_stands_once_and_in_order() -> None:
    assert len(TERMS) > 100
    assert sorted(set(TERMS), key=lambda term: term.lower().replace("-", " ")) == TERMS


def test_a_noun_without_a_word_is_seen() -> None:
    assert in_words("NodeReport") == "node report"
    assert "node reporter" not in WORDS and "NodeReporter" not in NAMES
