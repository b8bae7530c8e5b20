"""``python -m elastic.agent --config PATH``."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from elastic.agent.entry import run_agent
from elastic.errors import InvalidInput


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m elastic.agent", description="Runs this node for its daemon."
    )
    parser.add_argument(
        "--config", type=Path, required=True, help="the provider's settings file, mode 0600"
    )
    arguments = parser.parse_args()
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        return run_agent(arguments.config)
    except InvalidInput as error:
        parser.error(str(error))


if __name__ == "__main__":
    raise SystemExit(main())
