"""A forbidden import is seen in every module, and in modules that nobody has written yet."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
# Modules and rooms that somebody may add.
LATER = (
    "elastic/later.py",
    "elastic/later_room/__init__.py",
    "elastic/model/later.py",
    "api/later.py",
    "elastic_lab/later.py",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Packages that a contract keeps out of `never_in`, except for the modules of `only_in`."""

    contract: str
    packages: tuple[str, ...]
    only_in: tuple[str, ...] = ()
    never_in: tuple[str, ...] = ("elastic", "elastic_lab", "api")

    def forbids(self, module: str) -> bool:
        return _is_in(module, self.never_in) and not _is_in(module, self.only_in)


TRAIN = ("torch", "torchvision", "skimage", "PIL", "safetensors")
TORCH = ("elastic.workloads", "elastic.worker.torchvision_import")
EC2 = (
    "elastic.agent.parameters",
    "elastic.aws",
    "elastic.checkpoints.s3",
    "elastic_lab",
    "elastic.pricing.ec2",
    "elastic.providers.ec2",
)
# Each package stands in one of these rules.
BY_PACKAGE = (
    Rule("api-on-top", ("api",), only_in=("api",)),
    Rule("torch-in-workloads", TRAIN, only_in=TORCH),
    Rule("sqlalchemy-in-store", ("sqlalchemy", "alembic", "psycopg"), only_in=("elastic.store",)),
    Rule("fastapi-in-api", ("fastapi", "starlette"), only_in=("api",)),
    Rule("apscheduler-in-ticker", ("apscheduler",), only_in=("elastic.ticker",)),
    Rule("tenacity-in-retrying", ("tenacity",), only_in=("elastic.retrying",)),
    Rule("boto3-in-ec2", ("boto3", "botocore"), only_in=EC2),
    Rule("asyncssh-in-ssh", ("asyncssh",), only_in=("elastic.providers.ssh",)),
    Rule("lab-apart", ("elastic_lab",), only_in=("elastic.cli.lab", "elastic_lab")),
    Rule("moto-in-lab", ("moto", "werkzeug"), only_in=("elastic_lab",)),
)
# What somebody would try first. The contracts of these rooms list what is allowed instead.
NOT_PURE = (
    "time datetime random secrets uuid logging os sys io socket subprocess pathlib tempfile "
    "threading asyncio sqlalchemy boto3 torch structlog httpx2 psutil not_written_yet "
    "elastic.clock elastic.archive elastic.store"
)
NOT_STANDARD = (
    "pydantic sqlalchemy fastapi httpx2 structlog psutil yaml rich boto3 numpy not_written_yet"
)
NOT_FOR_SCRIPTS = (
    "elastic.cli elastic.daemon elastic.reconciler elastic.policy elastic.store elastic.providers "
    "elastic.pricing elastic.agent elastic.throughput elastic.model elastic.config elastic.clock "
    "elastic.checkpoints elastic.market elastic.ticker elastic.simulator"
)
PURE = ("elastic.model", "elastic.throughput", "elastic.policy")
# Each module stands in one of these rules.
BY_ROOM = (
    Rule("pure-core", tuple(NOT_PURE.split()), never_in=PURE),
    Rule("worker-stands-alone", tuple(NOT_STANDARD.split()), never_in=("elastic.worker",)),
    Rule(
        "workloads-see-only-worker",
        tuple(NOT_FOR_SCRIPTS.split()),
        never_in=("elastic.workloads",),
    ),
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the product's modules, with their rules."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("elastic", "elastic_lab", "api"):
        for file in (ROOT / package).rglob("*.py"):
            copied = tmp_path / file.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
    return tmp_path


def test_the_rules_hold(tree: Path) -> None:
    status, output = lint(tree)
    assert status == 0, output


@pytest.mark.parametrize("rules", [BY_PACKAGE, BY_ROOM], ids=["by-package", "by-room"])
def test_a_forbidden_import_is_seen_everywhere(tree: Path, rules: tuple[Rule, ...]) -> None:
    for later in LATER:
        (tree / later).parent.mkdir(exist_ok=True)
        (tree / later).touch()
    modules = {name_of(file.relative_to(tree)): file for file in tree.rglob("*.py")}
    planted = {}
    for rule in rules:
        forbidden = [module for module in modules if rule.forbids(module)]
        planted[rule.contract] = set(product(forbidden, rule.packages))
    for module, package in set().union(*planted.values()):
        with modules[module].open("a") as end:
            end.write(f"\n\ndef planted():\n    import {package}\n")
    status, output = lint(tree, *(f"--contract={rule.contract}" for rule in rules))
    assert status == 1, output
    seen = set(re.findall(r"(\S+) -> (\S+) \(l\.", output))
    for contract, imports in planted.items():
        assert imports, f"{contract}: forbids nothing"
        assert imports - seen == set(), f"{contract}: does not see all of them"


def lint(tree: Path, *options: str) -> tuple[int, str]:
    """Checks the rules as `make imports` does."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", *options],
        cwd=tree,
        env={"PYTHONPATH": str(tree), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def name_of(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_no_test_file_imports_another() -> None:
    """What several share stands in a module of its own: a test file is read for its promises."""
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line in path.read_text().splitlines()
        if re.match(r"\s*(?:from|import) tests\.(?:\w+\.)*test_", line)
    ]
    assert found == []
