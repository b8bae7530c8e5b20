"""The pictures that go with a job's last message: its chart, and the newest one that it made."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from api.artifacts import Artifacts
from api.dashboard.facts import job_facts
from api.dashboard.views.timelines import TimelineView, value_timeline
from elastic.errors import NotFound, StorageUnavailable
from elastic.model import Job
from elastic.notify import Attachment
from elastic.store import Store

# Services refuse larger files, and a phone should not load them.
_MOST_BYTES = 2 << 20
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif")
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#444}"
    ".grid{stroke:#ddd}"
    "path{fill:none;stroke:#1f6feb;stroke-width:2;vector-effect:non-scaling-stroke}"
)


def pictures_of(
    store: Store, artifacts: Artifacts, job_id: str, *, now_s: float
) -> Iterator[Attachment]:
    """Gives the chart of what a dollar bought, and the newest picture that the job has made."""
    job = store.jobs.get(job_id)
    view = value_timeline(job_facts(store, job, now_s=now_s))
    # Without a measurement there is nothing to draw, and an empty chart tells nothing.
    if view.at_s:
        yield Attachment(f"{job.spec.name}.svg", drawing(view, job.spec.name).encode())
    yield from _newest(artifacts, job)


def drawing(view: TimelineView, name: str) -> str:
    """A timeline as an SVG file that needs no page around it."""
    scale = view.plot.scale
    lines = []
    for value, label in zip(scale.ticks, view.ticks, strict=True):
        y = 260 - 2.1 * scale.percent(value)
        lines.append(f'<line class="grid" x1="90" x2="690" y1="{y:g}" y2="{y:g}"/>')
        lines.append(f'<text x="82" y="{y + 4:g}" text-anchor="end">{escape(label)}</text>')
    for x, anchor, label in zip(
        (90, 390, 690), ("start", "middle", "end"), view.instants, strict=True
    ):
        lines.append(f'<text x="{x}" y="284" text-anchor="{anchor}">{escape(label)}</text>')
    paths = "".join(f'<path d="{each.path}"/>' for each in view.plot.lines)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" width="720" height="300">'
        f"<style>{_STYLE}</style>"
        '<rect width="720" height="300" fill="#fff"/>'
        f'<text x="90" y="26">{escape(name)}: {escape(view.title.lower())}</text>'
        f"{''.join(lines)}"
        f'<g transform="translate(90 50) scale(0.6 0.21)">{paths}</g>'
        "</svg>"
    )


def _newest(artifacts: Artifacts, job: Job) -> Iterator[Attachment]:
    try:
        files = [each for each in artifacts.listed(job.id) if each.name.lower().endswith(_PICTURES)]
        newest = max(files, key=lambda each: (each.modified_at_s, each.name), default=None)
        if newest is not None and newest.size_bytes <= _MOST_BYTES:
            content = b"".join(artifacts.open(job.id, newest.name).chunks)
            yield Attachment(newest.name.rpartition("/")[2], content)
    except (NotFound, StorageUnavailable, OSError):
        return
