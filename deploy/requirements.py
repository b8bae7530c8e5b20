"""Prints what `pyproject.toml` in the working folder requires, with the extras named: for layers of
an image."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
wanted = [
    project["dependencies"],
    *(project["optional-dependencies"][extra] for extra in sys.argv[1:]),
]
sys.stdout.writelines(f"{each}\n" for group in wanted for each in group)
