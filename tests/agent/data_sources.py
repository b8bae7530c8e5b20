"""A source of data that answers from memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elastic.errors import NotFound, StorageUnavailable


class FakeSource:
    """A bucket in memory that may break off after so many pieces, once."""

    def __init__(self, objects: dict[str, bytes], *, breaks_after: int | None = None) -> None:
        self.objects = objects
        self.etags = {name: f"etag-{name}" for name in objects}
        self.breaks_after = breaks_after
        self.asked: list[tuple[str, int]] = []
        self.listing: list[Exception] = []

    def items(self) -> Sequence[tuple[str, int, str]]:
        if self.listing:
            raise self.listing.pop(0)
        return [(name, len(content), self.etags[name]) for name, content in self.objects.items()]

    def stream_from(self, name: str, *, etag: str, start: int) -> Iterator[bytes]:
        self.asked.append((name, start))
        if etag != self.etags[name]:
            raise NotFound(name)
        for at in range(start, len(self.objects[name]), 4):
            if self.breaks_after is not None:
                if self.breaks_after == 0:
                    self.breaks_after = None
                    raise StorageUnavailable("the connection was reset")
                self.breaks_after -= 1
            yield self.objects[name][at : at + 4]
