"""What all wire models share: they are made from domain values, and their numbers are finite."""

from __future__ import annotations

from typing import Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Item = TypeVar("Item")


class Wire(BaseModel):
    """A value as JSON shows it; its field names are the domain value's own."""

    model_config = ConfigDict(
        # JSON has no infinity and no NaN: a value that becomes one is a defect, found here.
        extra="forbid",
        frozen=True,
        from_attributes=True,
        allow_inf_nan=False,
    )

    @classmethod
    def of(cls, value: object) -> Self:
        """Converts the domain value that has the same fields."""
        return cls.model_validate(value)

    @classmethod
    def of_known(cls, value: object | None) -> Self | None:
        """Converts a value; None, which is unknown, stays None."""
        if value is None:
            return None
        return cls.of(value)


class Page(Wire, Generic[Item]):
    """One page of a list, newest first. `next_before` leads to the next page; null on the last."""

    items: list[Item]
    next_before: int | None = Field(
        None, description="Give it as `before` to read on; null on the last page."
    )


class FieldErrorOut(Wire):
    """One thing that is wrong with a request."""

    field: str
    message: str


class ProblemOut(Wire):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[FieldErrorOut] = Field(default_factory=list)
