"""Docstrings, comments and messages are written in plain English, as the documents are."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.docs import code_prose
from tests.docs.code_prose import code_sentences
from tests.docs.pages import ROOT
from tests.docs.prose import MEAN_WORDS_UNDER, MOST_WORDS, archaic, words


def rooms() -> dict[str, tuple[Path, ...]]:
    """The files of each room: `api`, every package of `elastic`, and its single modules."""
    found = {
        f"elastic/{folder.name}": tuple(sorted(folder.rglob("*.py")))
        for folder in sorted((ROOT / "elastic").iterdir())
        if folder.is_dir() and folder.name != "__pycache__"
    }
    return {
        "api": tuple(sorted((ROOT / "api").rglob("*.py"))),
        "elastic": tuple(sorted((ROOT / "elastic").glob("*.py"))),
        "elastic_lab": tuple(sorted((ROOT / "elastic_lab").rglob("*.py"))),
        **found,
    }


@pytest.mark.parametrize("room", rooms())
def test_a_room_reads_well(room: str) -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in rooms()[room]}
    found = faults(sources)
    assert not found, "\n".join(found)


LONG = "long " + " ".join(["word"] * MOST_WORDS)


@pytest.mark.parametrize(
    "source",
    [
        f'"""{LONG}."""',
        f'def f():\n    """Short.\n\n    {LONG}."""',
        f'class A:\n    a: int\n    """{LONG}."""',
        f"a = 1  # {LONG}",
        f"# long\n# {LONG.removeprefix('long ')}",
        f'raise ValueError("{LONG}")',
        f'raise ValueError(f"{{a}} {LONG.removeprefix("long ")}")',
        f'raise ValueError(name + " {LONG.removeprefix("long ")}")',
        f'text = "{LONG}"',
        f"print(f\"{{'{LONG}' if a else 'b'}}\")",
    ],
)
def test_a_sentence_that_is_too_long_is_found_wherever_people_read_it(source: str) -> None:
    found = faults({"a.py": source, "short.py": "# Short.\n# Short.\n"})
    assert [f"{MOST_WORDS + 1} words, at most {MOST_WORDS}" in fault for fault in found] == [True]


@pytest.mark.parametrize(
    "source",
    [
        f'"""Short.\n\n>>> f("{LONG}")\n{LONG}\n"""',
        f'"""Short::\n\n    {LONG}\n\nMore.\n"""',
        f"a = 1  # noqa: E501 {LONG}",
        f'a = "SELECT {LONG}"',
        f"{'_'.join(LONG.split())} = 1",
    ],
)
def test_code_is_no_prose(source: str) -> None:
    assert faults({"a.py": source}) == []


def test_an_archaic_word_is_found_in_a_short_message_that_is_shown() -> None:
    assert faults({"a.py": 'log.info("begun anew")'}) != []
    assert faults({"a.py": 'words = ("begun anew",)'}) == []


def test_a_room_of_sentences_that_are_long_on_average_is_found() -> None:
    sentence = "The daemon ends all the machines of a job that is over, and says so in its log."
    assert words(sentence) == MEAN_WORDS_UNDER
    assert len(faults({"a.py": f"# {sentence}\n", "b.py": f"# {sentence}\n"})) == 1
    assert faults({"a.py": f"# {sentence}\n", "b.py": "# It does.\n"}) == []


def test_an_entry_of_a_section_is_a_sentence() -> None:
    source = '"""Adds.\n\nArgs:\n    a: One.\n    b: Two\n\nReturns:\n    Both.\n"""'
    assert [each.text for each in code_sentences(source)] == [
        "Adds.",
        "a: One.",
        "b: Two",
        "Both.",
    ]


def test_the_example_of_the_reader_of_code_holds() -> None:
    ran = doctest.testmod(code_prose)
    assert (ran.failed, ran.attempted) == (0, 1)


def faults(sources: dict[str, str]) -> list[str]:
    """What is wrong with the files of a room, by their paths."""
    wrong = []
    lengths = []
    for path, source in sources.items():
        for sentence in code_sentences(source):
            place = f"{path}:{sentence.line}"
            count = words(sentence.text)
            lengths.append(count)
            if count > MOST_WORDS:
                wrong.append(f"{place}: {count} words, at most {MOST_WORDS}: {sentence.text}")
            wrong += [f"{place}: {word} in: {sentence.text}" for word in archaic(sentence.text)]
    mean = sum(lengths) / max(len(lengths), 1)
    if mean >= MEAN_WORDS_UNDER:
        wrong.append(f"{mean:.2f} words a sentence on average, under {MEAN_WORDS_UNDER} wanted")
    return wrong
