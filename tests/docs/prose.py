"""The prose of a page: its sentences, how long they are, and the archaic words in them."""

from __future__ import annotations

import re

# What each old word should be instead. A pattern is searched without regard to case.
# A sentence of documents and code, in words.
MEAN_WORDS_UNDER = 18
MOST_WORDS = 35

ARCHAIC = {
    r"anew": "again",
    r"whoever|whosoever": "the node that, the user who",
    r"who of": "which of",
    r"(?<=, )for (?:it|they|there)": "because",
    r"unsaid": "silently",
    r"in vain": "without success",
    r"to be had": "available",
    r"(?:jobs?|nodes?|groups?|workers?|machines?|it|they) (?:is|are) to": "will, must",
    r"heard": "received, last heartbeat",
    r"(?:is|are|was|were|not) told of|tells? of": "reports, is reported",
    r"mend|mends|mended|mending": "fix",
    r"so long": "as long",
    r"nobody": "no user, no node",
    r"hitherto|hither|thither|whither": "until now, here, there",
    r"thereof|therein|thereby|whereof|wherein|whereupon|whence": "of it, in it, from where",
    r"lest": "so that it does not",
    r"albeit|forthwith|betimes": "although, at once, early",
    r"to and fro": "back and forth",
    r"foretold|foretells?": "predicted",
    r"reckons?|reckoned": "counts, calculates",
    r"heeds?|heeded": "uses, follows",
}
_ARCHAIC = {re.compile(rf"\b(?:{old})\b", re.IGNORECASE): new for old, new in ARCHAIC.items()}

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+]|\d+[.)]) +")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_URL = re.compile(r"<?\bhttps?://\S*[^\s.,;:)>]>?")
_LABEL = re.compile(r"^\*\*[^*]+[.:]\*\*\s*")
_END = re.compile(r"(?<![ (]e\.g\.)(?<![ (]i\.e\.)(?<!\bcf\.)(?<!\bvs\.)(?<=[.!?])[\"')\]]*\s+")


def sentences(markdown: str) -> tuple[str, ...]:
    """The sentences of a page, without its headings, tables and blocks of code.

    Code within a line counts as one word, so that its sentence stays whole. Addresses of the web
    are left out, and so is a bold label that opens a paragraph. A paragraph, and each item of a
    list, ends its last sentence.

    >>> sentences("# A title\\n\\n**Choice.** It runs `make test`. So do\\nyou.\\n\\n- One\\n- Two")
    ('It runs CODE.', 'So do you.', 'One', 'Two')
    """
    found = []
    for block in _blocks(markdown):
        text = _LABEL.sub("", block)
        found += [sentence for sentence in _END.split(text) if words(sentence)]
    return tuple(found)


def headings(markdown: str) -> tuple[str, ...]:
    """The titles of a page and of its sections."""
    lines = _without_blocks_of_code(markdown).splitlines()
    return tuple(_plain(line.lstrip("# ")) for line in lines if line.startswith("#"))


def words(sentence: str) -> int:
    """How many words a sentence has; a dash is none."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def archaic(sentence: str) -> tuple[str, ...]:
    """Each archaic word of a sentence, with what to write instead.

    >>> archaic("Who sleeps is woken anew.")
    ("'anew': write 'again'", "'Who': write 'the node that, the user who'")
    """
    found = [
        f"{match[0]!r}: write {new!r}"
        for old, new in _ARCHAIC.items()
        for match in old.finditer(sentence)
    ]
    if sentence.startswith("Who ") and not sentence.endswith("?"):
        found.append("'Who': write 'the node that, the user who'")
    return tuple(found)


def mean_words(markdown: str) -> float:
    """Words of a sentence on average, rounded up to a tenth; 0 for a page without a sentence."""
    lengths = [words(sentence) for sentence in sentences(markdown)] or [0]
    # In whole tenths, rounded up: 17.95 must not pass for 17.9.
    return -(-sum(lengths) * 10 // len(lengths)) / 10


def _blocks(markdown: str) -> tuple[str, ...]:
    """Each paragraph and each item of a list, on one line."""
    found: list[list[str]] = [[]]
    for line in _without_blocks_of_code(markdown).splitlines():
        text = line.strip().removeprefix("> ")
        if not text or text.startswith(("#", "|")):
            found.append([])
        elif item := _ITEM.match(text):
            found.append([text[item.end() :]])
        else:
            found[-1].append(text)
    return tuple(_plain(" ".join(block)) for block in found if block)


def _plain(text: str) -> str:
    """A line without its marks, but for the bold label at its start."""
    text = _LINK.sub(r"\1", _CODE.sub("CODE", text))
    text = _URL.sub("", text)
    label = _LABEL.match(text)
    end = label.end() if label else 0
    return text[:end] + re.sub(r"\*+|(?<!\w)_|_(?!\w)", "", text[end:])


def _without_blocks_of_code(markdown: str) -> str:
    return _FENCE.sub("", _COMMENT.sub("", markdown))
