"""A place in a bucket: `s3://bucket/prefix`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from elastic.errors import InvalidInput

_SCHEME = "s3://"
# S3 User Guide, "General purpose bucket naming rules".
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
# S3 User Guide, "Naming Amazon S3 objects": the characters that are safe in keys, and = for
# partitions.
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()=/-]*")


@dataclass(frozen=True, slots=True)
class Location:
    """A bucket and a prefix of its keys; the prefix neither begins nor ends with a slash."""

    bucket: str
    prefix: str = ""

    def __str__(self) -> str:
        return f"{_SCHEME}{self.bucket}/{self.prefix}".rstrip("/")

    def below(self, part: str) -> Location:
        """The place `part` inside this one."""
        return replace(self, prefix=self.key(part))

    def key(self, name: str) -> str:
        """The whole key of the object `name` here."""
        return f"{self.prefix}/{name}" if self.prefix else name


def is_location(text: str) -> bool:
    """Whether this names a bucket, valid or not, rather than a folder."""
    return text.startswith(_SCHEME)


def parse_location(text: str) -> Location:
    """Reads `s3://bucket/prefix`; raises InvalidInput.

    >>> str(parse_location("s3://training/elasticd/").below("job-1"))
    's3://training/elasticd/job-1'
    """
    bucket, _, prefix = text.removeprefix(_SCHEME).partition("/")
    prefix = prefix.strip("/")
    is_plain = not {".", ".."} & set(prefix.split("/")) and "//" not in prefix
    if not (
        is_location(text) and _BUCKET.fullmatch(bucket) and _PREFIX.fullmatch(prefix) and is_plain
    ):
        raise InvalidInput(
            f"wanted s3://BUCKET/PREFIX of letters, digits and - _ . in the prefix, got {text!r}",
            field="checkpoint_root",
        )
    return Location(bucket, prefix)
