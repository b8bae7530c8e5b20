"""Builds the release that HEAD is, tries it in a fresh environment, and tags it: `make release`."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# Each folder of the repository that a wheel holds, and where it lies there.
PACKED = {
    "elastic": "elastic",
    "elastic_lab": "elastic_lab",
    "api": "api",
    "migrations": "elastic/migrations",
}


class Refused(Exception):
    """Why there is no release, and what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="do all of it but the tag")
    dry_run = parser.parse_args().dry_run
    root = Path.cwd()
    try:
        version = version_of(root)
        notes = notes_of(root, version)
        check_repository(root, version)
        wheel = build(root)
        check_files(root, wheel)
        try_out(wheel, version)
    except Refused as refused:
        print(f"no release: {refused}", file=sys.stderr)
        return 1
    tag = f"v{version}"
    if dry_run:
        print(f"{tag} could be tagged; this was a dry run")
        return 0
    message = f"elasticd {version}\n\n{notes}\n"
    git(root, "tag", "--annotate", tag, "--cleanup=verbatim", "--message", message)
    print(f"tagged {tag}; publish it by: git push origin {tag}")
    return 0


def version_of(root: Path) -> str:
    """The version that the code says it is."""
    text = (root / "elastic/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(\d+\.\d+\.\d+)"$', text, re.MULTILINE)
    if found is None:
        raise Refused('elastic/__init__.py: wanted __version__ = "MAJOR.MINOR.PATCH", found none')
    return found[1]


def notes_of(root: Path, version: str) -> str:
    """What the changelog says of this version."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, notes = section.partition("\n")
        if title.split()[:1] == [version] and notes.strip():
            return notes.strip()
    raise Refused(f"CHANGELOG.md: wanted a section '## {version}' with text, found none")


def check_repository(root: Path, version: str) -> None:
    """Raises Refused unless HEAD holds all there is, and has not been released."""
    if changed := git(root, "status", "--porcelain"):
        raise Refused(f"the working tree has changes; commit or remove them:\n{changed.rstrip()}")
    if git(root, "tag", "--list", f"v{version}"):
        raise Refused(f"the tag v{version} exists; raise __version__ in elastic/__init__.py")


def build(root: Path) -> Path:
    """Builds sdist and wheel of HEAD into `dist`, the wheel from the sdist, and gives the wheel."""
    dist = root / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    hatchling = (sys.executable, "-m", "hatchling", "build", "-d", dist)
    with tempfile.TemporaryDirectory() as folder:
        head = Path(folder) / "head"
        head.mkdir()
        archive = Path(folder) / "head.tar"
        git(root, "archive", "--output", str(archive), "HEAD")
        run("tar", "-xf", archive, "-C", head)
        run(*hatchling, "-t", "sdist", cwd=head)
        (sdist,) = dist.glob("*.tar.gz")
        run("tar", "-xf", sdist, "-C", folder)
        unpacked = Path(folder) / sdist.name.removesuffix(".tar.gz")
        run(*hatchling, "-t", "wheel", cwd=unpacked)
    (wheel,) = dist.glob("*.whl")
    return wheel


def check_files(root: Path, wheel: Path) -> None:
    """Raises Refused unless the wheel holds just the files of its packages that HEAD has."""
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = set()
    for folder, place in PACKED.items():
        names = git(root, "ls-tree", "-r", "--name-only", "HEAD", "--", folder).splitlines()
        wanted |= {f"{place}{name.removeprefix(folder)}" for name in names}
    if packed != wanted:
        missing, strange = sorted(wanted - packed), sorted(packed - wanted)
        raise Refused(f"{wheel.name}: files that are missing {missing}, that are strange {strange}")


def try_out(wheel: Path, version: str) -> None:
    """Installs the wheel into a fresh environment, and starts what it brings.

    Nothing is fetched: what elasticd needs comes from the environment that runs this.
    """
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        python, elasticd = fresh / "bin/python", fresh / "bin/elasticd"
        run(sys.executable, "-m", "venv", "--without-pip", fresh)
        pip = (sys.executable, "-m", "pip", "--quiet", "--python", python)
        run(*pip, "install", "--no-index", "--no-deps", wheel)
        (packages,) = fresh.glob("lib/python*/site-packages")
        # Python reads no path file in a folder that another path file names, so that the checkout,
        # which this environment has by such a file, cannot be imported in the fresh one.
        others = [path for path in sys.path if path.endswith("site-packages")]
        (packages / "dependencies.pth").write_text("\n".join(others))
        place = run(python, "-c", "import elastic; print(elastic.__file__)", cwd=fresh).strip()
        if not place.startswith(str(packages)):
            raise Refused(f"{wheel.name}: wanted to import its own elastic, got {place}")
        said = run(elasticd, "--version", cwd=fresh).strip()
        if said != f"elasticd {version}":
            raise Refused(f"elasticd --version: wanted elasticd {version}, got {said!r}")
        run(elasticd, "--help", cwd=fresh)
        run(elasticd, "serve", "--help", cwd=fresh)
        run(python, "-c", "from api.app import routes; routes().openapi()", cwd=fresh)


def git(root: Path, *arguments: str) -> str:
    return run("git", "-C", root, *arguments)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints. Raises Refused, with what it said, where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        words, output = " ".join(map(str, command)), f"{done.stdout}{done.stderr}".rstrip()
        raise Refused(f"{words}: exit status {done.returncode}\n{output}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
