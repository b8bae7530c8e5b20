"""Runs the demo: submit, measure, choose, move when a price changes, finish, account."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from elastic.cli import job_pages
from elastic.cli.decision import explain_decision
from elastic.cli.job import read_spec
from elastic.client.rest import Client, JsonObject
from elastic.errors import ElasticError
from elastic.figures import duration, number, percent, usd
from examples.demo.cloud import Cloud
from examples.demo.house import HERE, DemoFailed, House, open_house
from examples.demo.market import Market
from examples.demo.pace import iterations_here
from examples.demo.portrait import Portrait
from examples.demo.screen import open_screen
from examples.demo.watching import Watcher, Witness

KEPT = Path(".demo")
CLOCK = (
    "clock: a second here stands for a minute on EC2, so its least bill of 60 s is 1 s; prices an "
    "hour are unchanged"
)
_TIMEOUT_S = 285.0
_POLL_S = 0.5
# By how much of the bill the ledger may differ: EC2 tells launches in whole seconds, each worth a
# minute here.
_MOST_OFF = 0.02


def main(arguments: Sequence[str] | None = None) -> int:
    """Gives the exit status: 0 if everything promised was shown."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument(
        "--picture", type=Path, help="also picture the dashboard, in a PNG file; needs Chromium"
    )
    picture: Path | None = parser.parse_args(arguments).picture
    started_s = time.time()
    _interrupt_on(signal.SIGTERM, signal.SIGHUP)
    try:
        with open_house() as house:
            page = f"{house.url}/login?token={house.token}"
            print(f"dashboard: {page}", flush=True)
            print(CLOCK, flush=True)
            _run(house, Portrait(page, picture) if picture else None, started_s=started_s)
    except KeyboardInterrupt as ended:
        by = signal.Signals(*ended.args) if ended.args else signal.SIGINT
        with suppress(OSError):  # the terminal may be what has gone
            print(
                f"\nstopped by {by.name}; nothing of the demo is left running",
                file=sys.stderr,
                flush=True,
            )
        return 128 + by
    except (DemoFailed, ElasticError) as error:
        print(f"the demo failed: {error}", file=sys.stderr)
        return 1
    print(f"\nall of it took {duration(time.time() - started_s)}, and no process is left")
    return 0


def _interrupt_on(*numbers: signal.Signals) -> None:
    """Has signals end the demo as Ctrl-C does, once: all is taken down then, and nothing hurries
    that."""

    def interrupt(number: int, _: object) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    heard = [
        each for each in numbers if signal.getsignal(each) is not signal.SIG_IGN
    ]  # nohup ignores one
    for each in heard:
        signal.signal(each, interrupt)


def _run(house: House, portrait: Portrait | None, *, started_s: float) -> None:
    with house.client() as client:
        document, _ = read_spec(str(HERE / "job.yaml"))
        job = client.post(
            "/v1/jobs", {**document, "iterations": iterations_here(document["iterations"])}
        )
        print(
            f"submitted {job['spec']['name']}: {job['spec']['iterations']} iterations of ESRGAN",
            flush=True,
        )
        witness = _watch(house, client, job["id"], portrait, started_s=started_s)
        report = client.get(f"/v1/jobs/{job['id']}/report")
        print()
        job_pages.show_report(report)
        for move in [each for each in report["decisions"] if each["plan"]["action"] == "move"][-1:]:
            print("\nthe last move, explained:")
            explain_decision(move)
            print()
        _keep_artifacts(client, report)
        print(_quality(report["quality"]))
        print(_against_fixed(report))
        print(_account(house.cloud, report))
        print(
            f"{_replay(client, job['id'])} decisions decided again from their snapshots: the same "
            "plans"
        )
    if broken := list(witness.broken_promises(report)):
        raise DemoFailed("; ".join(broken))


def _watch(
    house: House, client: Client, job_id: str, portrait: Portrait | None, *, started_s: float
) -> Witness:
    """Shows the job until it and its nodes have ended."""
    watcher, witness = Watcher(client, job_id), Witness()
    market = Market(house.cloud.spot_usd_per_h, house.cloud.set_spot_price)
    with open_screen(started_s=started_s) as show:
        while time.time() - started_s < _TIMEOUT_S:
            house.check()
            sight = watcher.look()
            witness.see(sight)
            if portrait is not None:
                portrait.consider(sight)
            show(sight, market.react(sight, witness, now_s=time.time()))
            if sight.standing.is_over and not client.items("/v1/nodes", limit=1, job=job_id):
                return witness
            time.sleep(_POLL_S)
    raise DemoFailed(
        f"the job had not ended after {duration(_TIMEOUT_S)}, at {sight.standing.line()}"
    )


def _account(cloud: Cloud, report: JsonObject) -> str:
    """Compares the ledger with what EC2 charges. Raises DemoFailed if they differ, or if something
    is still charged."""
    if running := cloud.running():
        raise DemoFailed(f"no instance should be left, found {', '.join(running)}")
    spent_usd, bill_usd = float(report["spent_usd"]), cloud.bill_usd()
    off = abs(spent_usd - bill_usd) / bill_usd
    if off > _MOST_OFF:
        raise DemoFailed(
            f"the ledger says {usd(spent_usd)} and EC2's bill {usd(bill_usd)}: {percent(off)} apart"
        )
    return (
        f"the ledger's {usd(spent_usd)} are EC2's bill of {usd(bill_usd)} to {percent(off)}; no "
        "instance is left there"
    )


def _against_fixed(report: JsonObject) -> str:
    """Says what the job cost of what one node type throughout would have."""
    spent, best, worst = report["spent_usd"], report["best_fixed"], report["worst_fixed"]
    if best is None:
        return "no fixed choice was measured in every phase"
    return (
        f"it cost {number(spent / best['usd'])} x the best fixed choice, with what it took to find "
        f"that out, and {number(spent / worst['usd'])} x the worst"
    )


def _replay(client: Client, job_id: str) -> int:
    """Decides every decision of the job again and gives how many there were. Raises DemoFailed if
    one comes out new."""
    decisions = client.items("/v1/decisions", limit=1000, job=job_id)
    for each in decisions:
        if not client.post(f"/v1/decisions/{each['id']}:replay")["is_equal"]:
            raise DemoFailed(
                f"decision {each['id']}, decided again from its snapshot, gave another plan"
            )
    return len(decisions)


def _keep_artifacts(client: Client, report: JsonObject) -> None:
    """Copies what the job made to a folder that outlives the demo."""
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir()
    for artifact in report["artifacts"]:
        (KEPT / artifact["name"]).write_bytes(client.content(artifact["href"]))
    print(
        "picture of low resolution, bicubic and super-resolved crops: "
        f"{(KEPT / _picture(report)).resolve()}"
    )


def _quality(quality: JsonObject) -> str:
    """Says how well the held-out crops were enlarged."""
    ours, bicubic = quality["psnr_y_db"], quality["bicubic_psnr_y_db"]
    return f"held-out crops: {ours:.2f} dB PSNR on luma, bicubic {bicubic:.2f} dB"


def _picture(report: JsonObject) -> str:
    """The newest picture's name."""
    pictures = [each for each in report["artifacts"] if each["name"].endswith(".png")]
    newest = max(pictures, key=lambda each: float(each["modified_at_s"]), default=None)
    if newest is None:
        raise DemoFailed("the job should have left a PNG, it left none")
    return str(newest["name"])


if __name__ == "__main__":
    sys.exit(main())
