"""The documents are written in plain English: short sentences, no archaic words."""

from __future__ import annotations

import doctest

import pytest

from tests.docs import prose
from tests.docs.pages import ROOT, page, pages
from tests.docs.prose import ARCHAIC, Measure, archaic, headings, measure, sentences, words

MEAN_WORDS_UNDER = 18
MOST_WORDS = 35

# Pages that do not read well yet, as they read now. They may only get better: lower a number when
# a page improves, take its line out when it reads well, and add none.
KNOWN: dict[str, Measure] = {
    "README.md": Measure(mean=13.7, longest=57, archaic=0),
    "SECURITY.md": Measure(mean=11.4, longest=25, archaic=1),
    "docs/README.md": Measure(mean=14.8, longest=37, archaic=0),
    "docs/explanation.md": Measure(mean=19.2, longest=46, archaic=1),
    "docs/glossary.md": Measure(mean=15.2, longest=43, archaic=3),
    "docs/how-to/aws-account.md": Measure(mean=16.4, longest=44, archaic=2),
    "docs/how-to/checkpoints.md": Measure(mean=17.8, longest=48, archaic=2),
    "docs/how-to/deploy.md": Measure(mean=17.7, longest=48, archaic=2),
    "docs/how-to/esrgan.md": Measure(mean=14.7, longest=47, archaic=0),
    "docs/how-to/outputs.md": Measure(mean=12.8, longest=37, archaic=0),
    "docs/how-to/own-script.md": Measure(mean=11.4, longest=28, archaic=1),
    "docs/reference/commands.md": Measure(mean=17.9, longest=102, archaic=0),
    "docs/reference/job.md": Measure(mean=17.6, longest=52, archaic=3),
    "docs/reference/protocol.md": Measure(mean=12.6, longest=21, archaic=3),
    "docs/reference/rest.md": Measure(mean=15.2, longest=40, archaic=0),
    "docs/reference/session.md": Measure(mean=21.9, longest=54, archaic=5),
    "docs/reference/settings.md": Measure(mean=15.9, longest=29, archaic=2),
}

DOCUMENTS = tuple(str(path.relative_to(ROOT)) for path in pages())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_page_reads_well(document: str) -> None:
    assert faults(page(document), KNOWN.get(document)) == []


def test_a_page_that_reads_well_or_is_gone_is_not_excused() -> None:
    needless = [name for name in KNOWN if name not in DOCUMENTS or faults(page(name)) == []]
    assert needless == [], "take these out of KNOWN"


def test_no_decision_is_excused() -> None:
    assert [name for name in KNOWN if name.startswith("docs/decisions/")] == []


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


def test_an_excused_page_may_not_get_worse() -> None:
    text = f"{LONG} The log mends it.\n"
    assert faults(text, measure(text)) == []
    assert len(faults(f"{text}\n{LONG.replace('.', ' word.')}", measure(text))) == 2
    assert faults(f"{text}\nNobody knows.\n", measure(text)) == [
        "'mends': write 'fix' in: The log mends it.",
        "'Nobody': write 'no user, no node' in: Nobody knows.",
    ]


def test_code_tables_headings_and_addresses_do_not_count() -> None:
    text = (
        f"# {LONG}\n\n```\n{LONG}\n```\n\n| {LONG} | {LONG} |\n\n- item\n\n  ```sh\n  {LONG}\n  ```\n\n"
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


def faults(markdown: str, known: Measure | None = None) -> list[str]:
    """What is wrong with a page; for a page that is known to read badly, what got worse."""
    limit = known or Measure(mean=0.0, longest=0, archaic=0)
    found = measure(markdown)
    wrong = []
    if found.mean >= MEAN_WORDS_UNDER and found.mean > limit.mean:
        wrong.append(f"{found.mean} words a sentence on average, under {MEAN_WORDS_UNDER} wanted")
    most = max(MOST_WORDS, limit.longest)
    wrong += [
        f"{words(sentence)} words, at most {most}: {sentence}"
        for sentence in sentences(markdown)
        if words(sentence) > most
    ]
    if found.archaic > limit.archaic:
        for text in (*headings(markdown), *sentences(markdown)):
            wrong += [f"{word} in: {text}" for word in archaic(text)]
    return wrong
