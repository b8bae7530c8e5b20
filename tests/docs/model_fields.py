"""The fields of a document's model, by their dotted names."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel


def fields(kind: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Each field's dotted name and default, those of nested models in their place."""
    for name, field in kind.model_fields.items():
        nested = field.annotation
        if isinstance(nested, type) and issubclass(nested, BaseModel):
            yield from fields(nested, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field.default
