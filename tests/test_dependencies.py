"""What pyproject.toml names as a dependency is what the code imports, no more and no less."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import metadata, packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"elastic", "elastic_lab", "api", "benchmarks", "examples", "tests"}
TYPES_ONLY = {"_typeshed"}  # type checkers bring it along; it is there for no program
# Where an extra's packages may be imported. Everywhere else the code must run without them.
ROOMS = {
    "train": ("elastic/workloads", "elastic/worker"),
    "lab": ("elastic_lab",),
    "postgres": ("elastic/store",),
}
USED_AS_FILES = {"scikit-image": ("elastic/workloads/image_folder.py", 'BUNDLED = "skimage"')}
# What is run, and not imported: where, and by which words.
RUN = {
    "hatchling": ("deploy/release.py", '"hatchling", "build"'),
    "import-linter": ("Makefile", "lint-imports"),
    "mypy": ("Makefile", "/mypy"),
    "pre-commit": ("Makefile", "/pre-commit install"),
    "pytest-cov": ("Makefile", "--cov"),
    "pytest-timeout": ("pyproject.toml", "\ntimeout = "),
    "pytest-xdist": ("Makefile", "pytest -n "),
    "ruff": ("Makefile", "/ruff"),
    "schemathesis": ("tests/e2e/test_generated_requests.py", "schemathesis.cli"),
    "uv": ("tests/e2e/test_wheel.py", "-m uv"),
}
# Licences that let a program under Apache-2.0 use the package as it is: those of the weak kind cover
# their own files only. Others, such as the GPL alone, would cover elasticd.
FREE = ("Apache", "BSD", "EPL-2.0", "ISC", "LGPL", "MIT", "MPL", "PSF")
STUBS = {"types-PyYAML": "pyyaml", "types-psutil": "psutil", "boto3-stubs": "boto3"}


@cache
def declared() -> Mapping[str, frozenset[str]]:
    """The distributions that each extra names; "" has those that everybody gets."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: frozenset(map(_name, each)) - {"elasticd"} for extra, each in lists.items()}


def _name(requirement: str) -> str:
    return _normal(re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def imported(*folders: str) -> list[tuple[str, str]]:
    """Each file's path, with the distribution of each module that it imports anywhere in it."""
    roots = {folder.partition("/")[0] for folder in folders}
    return [
        each for root in sorted(roots) for each in _imported(root) if each[0].startswith(folders)
    ]


@cache
def _imported(root: str) -> list[tuple[str, str]]:
    return list(_each_import(ROOT / root))


def _each_import(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        for module in _modules(ast.parse(path.read_text(encoding="utf-8"))):
            if module in sys.stdlib_module_names or module in OURS | TYPES_ONLY:
                continue
            (distribution,) = _distributions().get(module, [f"nobody's {module}"])
            yield path.relative_to(ROOT).as_posix(), _normal(distribution)


def _modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module.partition(".")[0]


def test_the_product_imports_nothing_that_is_not_declared_where_it_runs() -> None:
    undeclared = {
        f"{path}: {distribution}"
        for path, distribution in imported("elastic", "elastic_lab", "api", "migrations")
        if distribution not in declared()[""]
        and not any(
            distribution in declared()[extra] and path.startswith(rooms)
            for extra, rooms in ROOMS.items()
        )
    }
    assert sorted(undeclared) == []


def test_tests_and_examples_import_nothing_that_development_does_not_install() -> None:
    installed = frozenset[str]().union(*declared().values())
    undeclared = {
        f"{path}: {each}"
        for path, each in imported("tests", "examples")
        if each not in installed and not is_required_beside(path, each)
    }
    assert sorted(undeclared) == []


def is_required_beside(path: str, distribution: str) -> bool:
    """Whether a script's own requirements.txt names it: then its job installs it."""
    requirements = (ROOT / path).parent / "requirements.txt"
    name = distribution.removeprefix("nobody's ")
    return requirements.exists() and name in requirements.read_text(encoding="utf-8")


@pytest.mark.parametrize("extra", ["", *ROOMS])
def test_every_dependency_is_used(extra: str) -> None:
    rooms = ROOMS.get(extra, ("elastic", "api", "migrations"))
    used = {distribution for _, distribution in imported(*rooms)} | {
        _normal(each) for each in USED_AS_FILES
    }
    assert sorted(declared()[extra] - used) == []


@pytest.mark.parametrize("name", sorted(declared()[""]))
def test_every_dependency_has_a_licence_that_elasticd_may_use(name: str) -> None:
    about = metadata(name)
    fields = ("License-Expression", "License", "Classifier")
    found = " ".join(str(told) for each in fields for told in about.get_all(each) or ())
    assert any(licence in found for licence in FREE), f"{name}: {found}"


def test_every_tool_of_development_is_used() -> None:
    used = {distribution for _, distribution in imported("tests", "examples")}
    stubs = {_normal(name) for name, of in STUBS.items() if of in declared()[""]}
    assert sorted(declared()["dev"] - used - stubs - RUN.keys()) == []


@pytest.mark.parametrize(
    ("path", "words"), (RUN | USED_AS_FILES).values(), ids=list(RUN | USED_AS_FILES)
)
def test_what_is_not_imported_is_used_where_it_is_said_to_be(path: str, words: str) -> None:
    assert words in (ROOT / path).read_text(encoding="utf-8")
