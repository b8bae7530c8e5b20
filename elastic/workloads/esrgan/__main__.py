"""Trains ESRGAN: `torchrun --module elastic.workloads.esrgan --batch_size 4 ...`."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from elastic.errors import InvalidInput
from elastic.workloads.esrgan.files import brought, placed
from elastic.workloads.esrgan.options import EsrganOptions
from elastic.workloads.options import from_argv


def main(argv: Sequence[str]) -> int:
    """Runs the job to its end or to a requested stop; 0 for both, 2 if the options are wrong."""
    try:
        options = from_argv(
            EsrganOptions,
            argv,
            program="elastic.workloads.esrgan",
            placed=functools.partial(placed, folder=Path()),
        )
        return _train(brought(options, os.environ))
    except InvalidInput as error:
        # As argparse writes it: the job's error shows this line.
        print(f"esrgan: error: {error}", file=sys.stderr)
        return 2


def _train(options: EsrganOptions) -> int:
    # Imported late: wrong options, or --help, must not cost the seconds that torch takes to load.
    from elastic.workloads.esrgan.training import places_from, train
    from elastic.workloads.group import joined

    if os.environ.get("ELASTICD_SESSION_STORE"):
        from elastic.workloads.esrgan.in_session import train_in_session
        from elastic.workloads.session import SessionEnded, SessionSettings

        local_rank = int(os.environ.get("LOCAL_RANK", "0"))
        try:
            train_in_session(
                options, places_from(), SessionSettings.from_environment(), local_rank=local_rank
            )
        except SessionEnded as ended:
            print(f"esrgan: {ended}", file=sys.stderr)
            return 0 if ended.is_complete else 1
        return 0
    with joined(timeout_s=options.collective_timeout_s) as group:
        train(options, group, places_from())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
