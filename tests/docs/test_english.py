"""The documents are written in plain English: short sentences, no archaic words."""

from __future__ import annotations

import doctest

import pytest

from tests.docs import prose
from tests.docs.pages import ROOT, page, pages
from tests.docs.prose import (
    ARCHAIC,
    MEAN_WORDS_UNDER,
    MOST_WORDS,
    archaic,
    headings,
    mean_words,
    sentences,
    words,
)

DOCUMENTS = tuple(str(path.relative_to(ROOT)) for path in pages())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_page_reads_well(document: str) -> None:
    assert faults(page(document)) == []


LONG = "Long " + " ".join(["word"] * MOST_WORDS) + "."


def test_a_sentence_that_is_too_long_is_found_in_a_page_that_read_well() -> None:
    text = page("docs/decisions/0001-rooms-with-one-way-doors.md")
    assert faults(text) == []
    (fault,) = faults(f"{text}\n{LONG}\n")
    assert fault == f"36 words, at most 35: {LONG}"


def test_a_page_of_sentences_that_are_long_on_average_is_found() -> None:
    short = "The daemon ends the machines of a job that is over, and says so in its log."
    assert words(short) == 17
    assert faults(f"{short}\n") == []
    long = short.replace("ends the", "ends all the")
    assert faults(f"{long}\n{long}\n") == ["18.0 words a sentence on average, under 18 wanted"]


def test_an_archaic_word_is_found_in_a_sentence_and_in_a_title() -> None:
    text = "# It begins anew\n\nWhoever asks waits in vain.\n"
    assert len(faults(text)) == 3
    assert faults("# It begins again\n\nA user who asks waits.\n") == []


@pytest.mark.parametrize(
    ("old", "count"),
    [
        ("Nobody heard it.", 2),
        ("No price is to be had.", 1),
        ("The job is to train on 4 nodes.", 1),
        ("The link is mended, so long as it holds.", 2),
        ("Who is late is left out.", 1),
        ("Who pays for it?", 0),
        ("The recommended way is to train again.", 0),
    ],
)
def test_the_list_of_archaic_words_means_whole_words(old: str, count: int) -> None:
    assert len(archaic(old)) == count


def test_every_entry_of_the_list_of_archaic_words_has_a_replacement() -> None:
    assert all(new and not archaic(new) for new in ARCHAIC.values())


def test_code_tables_headings_and_addresses_do_not_count() -> None:
    text = (
        f"# {LONG}\n\n```\n{LONG}\n```\n\n| {LONG} | {LONG} |\n\n- item\n\n  ```sh\n  {LONG}\n  "
        "```\n\n"
        f"See `{LONG}` at https://example.org/a.b?c=d. Then [read](a.md) on.\n"
    )
    assert sentences(text) == ("item", "See CODE at .", "Then read on.")
    assert headings(text) == (LONG,)


def test_each_item_of_a_list_ends_a_sentence() -> None:
    text = "Three parts:\n\n- one\n  two\n- three\n1. four\n"
    assert sentences(text) == ("Three parts:", "one two", "three", "four")


def test_a_full_stop_within_a_number_a_name_or_an_abbreviation_ends_no_sentence() -> None:
    text = "It takes 0.5 s, e.g. in `a.py` of torch.nn (see i.e. that). elasticd goes on!\n"
    assert sentences(text) == (
        "It takes 0.5 s, e.g. in CODE of torch.nn (see i.e. that).",
        "elasticd goes on!",
    )


def test_the_examples_of_the_reader_of_prose_hold() -> None:
    ran = doctest.testmod(prose)
    assert (ran.failed, ran.attempted) == (0, 2)


def faults(markdown: str) -> list[str]:
    """What is wrong with a page."""
    mean = mean_words(markdown)
    wrong = []
    if mean >= MEAN_WORDS_UNDER:
        wrong.append(f"{mean} words a sentence on average, under {MEAN_WORDS_UNDER} wanted")
    wrong += [
        f"{words(sentence)} words, at most {MOST_WORDS}: {sentence}"
        for sentence in sentences(markdown)
        if words(sentence) > MOST_WORDS
    ]
    for text in (*headings(markdown), *sentences(markdown)):
        wrong += [f"{word} in: {text}" for word in archaic(text)]
    return wrong
