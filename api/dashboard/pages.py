"""Views to HTML: the templates, and the two layouts a page comes in."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.dashboard.views import instant

NAVIGATION = (
    ("Overview", "/"),
    ("Jobs", "/jobs"),
    ("Nodes", "/nodes"),
    ("Decisions", "/decisions"),
    ("Prices", "/prices"),
)
FRAGMENT_HEADER = "X-Fragment"
"""A request with this header asks for a page's content without its frame, to bring an open page up to date."""


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("api.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["as_dict"] = asdict
    return made


_TEMPLATES = _environment()


def page(
    request: Request, template: str, *, here: str = "", status: int = 200, now_s: float, **values: Any
) -> HTMLResponse:
    """Gives a page, or what is inside its frame if that is what the request asks for."""
    is_fragment = FRAGMENT_HEADER in request.headers
    html = _TEMPLATES.get_template(template).render(
        layout="fragment.html" if is_fragment else "base.html",
        nav=NAVIGATION,
        here=here,
        now=instant(now_s, now_s),
        **values,
    )
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store", "Vary": FRAGMENT_HEADER})


def bare_page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Gives a page that stands without frame and navigation."""
    html = _TEMPLATES.get_template(template).render(**values)
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})
