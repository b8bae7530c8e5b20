"""The page of the protocol says what the messages say."""

from __future__ import annotations

from tests.docs.pages import page
from tests.docs.protocol import PAGE
from tests.docs.protocol import page as page_wanted


def test_the_tables_of_the_protocol_are_those_of_its_messages() -> None:
    assert page(str(PAGE)) == page_wanted(), "`python -m tests.docs.protocol` writes it"
