"""Writes the description of the REST interface: `python -m api.openapi [FILE]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from api.app import routes

REFERENCE = Path("docs/reference/openapi.json")


def openapi_text() -> str:
    """The OpenAPI document, as it is committed."""
    return json.dumps(routes().openapi(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
    else:
        path = REFERENCE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(openapi_text(), encoding="utf-8")
