"""Takes the documents' pictures of many jobs, from a real daemon with real nodes: `python -m
tests.e2e.pictures docs/images`. Needs Chromium."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.api.dashboard.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.e2e.running import RunningDaemon, running_daemon

# Trains for some iterations, reports what came of it, and may fail on the way.
SCRIPT = """\
import json, os, sys, time
from pathlib import Path
import torch
from elastic.worker import finished, paramount
width, iterations, fails_at = (int(each) for each in sys.argv[1:])
model = torch.nn.Sequential(torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for iteration in range(1, iterations + 1):
    inputs = torch.rand(64, 64)
    optimizer.zero_grad()
    loss = (model(inputs) - inputs.mean(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    time.sleep(0.02)
    paramount(iteration)
    if iteration == fails_at:
        raise ValueError(f"shapes differ at iteration {iteration}")
    if iteration % 100 == 0:
        report = {"loss": loss.item(), "width": width}
        Path(os.environ["ELASTICD_ARTIFACT_DIR"], "report.json").write_text(json.dumps(report))
finished(iterations)
"""
JOBS = {
    "narrow-net": ("half", 64, 9_000, 0),
    "wide-net": ("full", 4_096, 9_000, 0),
    "crashed-net": ("half", 64, 9_000, 150),
    "late-net": ("half", 256, 90_000, 0),
}
_SETTLE_MS = 1_500
_TRAINED = 1_500


def main() -> None:
    """Runs the jobs until there is something to see, and pictures the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    place = Path(tempfile.gettempdir()) / "many-jobs"
    place.mkdir()
    with running_daemon(place) as daemon:
        script = daemon.folder / "train.py"
        script.write_text(SCRIPT)
        for name, (kind, *numbers) in JOBS.items():
            deadline = {"deadline": "2m"} if name == "late-net" else {}
            daemon.submit(
                name=name,
                command=[str(script), *map(str, numbers)],
                iterations=numbers[1],
                nodes={"min": 1, "max": 1},
                node_types=[kind],
                objective={"budget_usd": 2, **deadline},
            )
        daemon.until("there is something to see", lambda: _is_ready(daemon), timeout_s=400.0)
        _take(daemon, folder)
    shutil.rmtree(place)


def _is_ready(daemon: RunningDaemon) -> bool:
    jobs = {each["spec"]["name"]: each for each in daemon.get("/v1/jobs")["items"]}
    trained = [
        jobs[name]["progress"]["iteration"] >= _TRAINED for name in ("narrow-net", "wide-net")
    ]
    return all(trained) and jobs["crashed-net"]["phase"] == "failed"


def _take(daemon: RunningDaemon, folder: Path) -> None:
    url = json.loads((daemon.data / "daemon.json").read_text())["url"]
    token = (daemon.data / "token").read_text().strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
        )
        for theme, width in (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)):
            page = browser.new_page(
                viewport={"width": width, "height": 700},
                color_scheme=_scheme(theme),
                ignore_https_errors=True,
            )
            page.goto(f"{url}/login?token={token}")
            kind = "" if width == 1280 else "-phone"
            _picture(page, f"{url}/", folder / f"jobs{kind}-{theme}.png")
            _picture(
                page,
                f"{url}/compare?jobs=narrow-net,wide-net",
                folder / f"compare{kind}-{theme}.png",
            )
            _picture(page, f"{url}/jobs/wide-net", folder / f"job{kind}-{theme}.png")
            page.close()
        browser.close()


def _scheme(theme: str) -> Literal["light", "dark"]:
    return "dark" if theme == "dark" else "light"


def _picture(page: Page, url: str, path: Path) -> None:
    page.goto(url)
    page.wait_for_timeout(_SETTLE_MS)
    page.screenshot(path=path, full_page=True)
    # As many colours as a palette holds: a third of the bytes.
    Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    main()
