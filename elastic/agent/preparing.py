"""Prepares a node for its job: packages, data and setup commands, before any worker begins."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from elastic.agent import images, logs, own_python
from elastic.agent.commands import Commands
from elastic.agent.container import Container
from elastic.agent.data import Source, fetch_data
from elastic.agent.mask import Mask
from elastic.agent.settings import AgentSettings
from elastic.checkpoints import is_location
from elastic.clock import SystemClock
from elastic.durations import END_GRACE_S
from elastic.engines import find_engine
from elastic.errors import ElasticError, PreparationFailed
from elastic.figures import duration
from elastic.protocol import Brings

_SET_UP = "setup-done"
_MOST_CHARACTERS = 2000
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outfit:
    """The interpreter of workers, and variables that name what was prepared.

    In a container the interpreter is the image's, and so are all other variables.
    """

    python: str
    variables: Mapping[str, str]
    container: Container | None = None


def outfit_of(python: str, *, environment: Path | None = None, path: str) -> Outfit:
    """Returns an interpreter's outfit, in which `python` and `pip` are its own."""
    variables = {"PATH": f"{Path(python).parent}{os.pathsep}{path}"}
    if environment is not None:
        variables["VIRTUAL_ENV"] = str(environment)
    return Outfit(python, variables)


class Preparation:
    """A thread that prepares what a job brings.

    `what` is in preparation since `since_s` (monotonic). `failure` says why no worker can begin, or
    is None.
    """

    def __init__(
        self,
        brings: Brings,
        *,
        settings: AgentSettings,
        code: str | None,
        tell: Callable[[str], None],
        open_source: Callable[[str], Source],
        wake: Callable[[], None],
        mask: Mask | None = None,
        has_workers: bool = False,
    ) -> None:
        # Those that an earlier agent of this node has left, and that go on.
        self._has_workers = has_workers
        self._mask = mask or Mask()
        self._brings = brings
        self._settings = settings
        self._code = code
        self._tell = tell
        self._open_source = open_source
        self._wake = wake
        path = os.environ.get("PATH", os.defpath)
        self.outfit = outfit_of(sys.executable, path=path)
        # Of SSM parameters, by variable.
        self._secrets: dict[str, str] = {}
        self.failure: str | None = None
        self.what = "getting ready"
        self.since_s = time.monotonic()
        self._is_over = threading.Event()
        # Not below /tmp, which is in memory on some machines.
        scratch = settings.cache_dir / "tmp"
        environment = {
            **os.environ,
            **settings.env,
            **brings.env,
            **self.outfit.variables,
            "TMPDIR": str(scratch),
        }
        if brings.image is not None:
            self.outfit = Outfit("python3", {})
        self._commands = Commands(
            logs.stage_path(settings.log_dir, "installing"), environment=environment
        )
        self._thread = threading.Thread(target=self._run, name="preparation", daemon=True)

    @property
    def is_over(self) -> bool:
        return self._is_over.is_set()

    def start(self) -> None:
        if not self._brings.has_any:
            self._is_over.set()
            return
        self._commands.log_path.parent.mkdir(parents=True, exist_ok=True)
        (self._settings.cache_dir / "tmp").mkdir(parents=True, exist_ok=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the command that runs."""
        self._commands.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=END_GRACE_S)

    def _run(self) -> None:
        try:
            self._prepare()
        except ElasticError as error:
            self.failure = str(error)
        except Exception as error:
            log.exception("preparing the node failed")
            self.failure = f"the node could not be prepared: {error!r}"
        if self._commands.is_stopping:
            return  # the node is leaving: the failure is not the job's
        if self.failure is not None:
            if self._commands.last_lines:
                self.failure += f" (its last lines: {' | '.join(self._commands.last_lines)})"
            self.failure = self._mask.cover(self.failure)[:_MOST_CHARACTERS]
            log.error("%s", self.failure)
        self._is_over.set()
        self._wake()

    def _prepare(self) -> None:
        if self._brings.secret_parameters:
            self._begin("reading its secrets")
            self._read_secrets()
        if self._brings.requirements or self._brings.setup:
            self._make_environment()
        if self._brings.data is not None:
            self._begin("fetching its data")
            self._bring_data(self._brings.data)
        if self._brings.image is not None:
            self._bring_image(self._brings.image)
        self._commands.log_path = logs.stage_path(self._settings.log_dir, "setup")
        for command in self._brings.setup:
            self._set_up(command)
        if self._brings.setup:
            (self._settings.work_dir / _SET_UP).touch()

    def _read_secrets(self) -> None:
        # Import boto3 only on a node whose job has such secrets: the import takes long.
        from elastic.agent.parameters import read_parameters

        values = read_parameters(self._brings.secret_parameters, region=self._settings.region)
        self._mask.add(values.values())
        self._add_variables(values)
        self._secrets = values
        self._commands.environment |= values

    def _make_environment(self) -> None:
        """Makes the job's environment, for setup commands too.

        Their `pip install` must not change the packages of other jobs.
        """
        brings = self._brings
        digest = own_python.digest_of(brings.requirements, brings.setup, code=self._code)
        folder = self._settings.cache_dir / "environments" / digest[:32]
        count = len(brings.requirements)
        what = f"{count} requirement{'' if count == 1 else 's'}"
        with self._timed(
            f"installing {what}" if count else "making the job's own environment"
        ) as timed:
            is_new = own_python.make_environment(
                folder, brings.requirements, commands=self._commands, cwd=self._working_folder()
            )
            before = "the job's own environment: made"
            if count:
                before = f"{what}: installed"
            if not is_new:
                timed.text = f"{before} on this machine before"
        self.outfit = outfit_of(
            own_python.python_of(folder),
            environment=folder,
            path=os.environ.get("PATH", os.defpath),
        )
        self._add_variables(self._secrets)
        self._commands.environment |= self.outfit.variables

    def _bring_data(self, data: str) -> None:
        variables = {"ELASTICD_DATA_DIR": data}
        if is_location(data):
            fetched = fetch_data(
                self._open_source(data),
                data,
                self._settings.cache_dir / "data",
                tell=self._tell,
                is_stopping=lambda: self._commands.is_stopping,
                pause=SystemClock().sleep,
            )
            variables = {
                "ELASTICD_DATA_DIR": str(fetched.folder),
                "ELASTICD_DATA_DIGEST": fetched.digest,
            }
        elif not Path(data).exists():
            raise PreparationFailed(
                f"data: {data} does not exist on the node; s3://BUCKET/PREFIX downloads data"
            )
        self._add_variables(variables)
        self._commands.environment |= variables

    def _bring_image(self, image: str) -> None:
        """Brings the image that workers run in, and the container for them."""
        cwd = self._working_folder()
        if self._settings.may_install and find_engine().engine is None:
            with self._timed("installing docker"):
                images.install_engine(commands=self._commands, cwd=cwd)
        engine = images.engine_here(image)
        if not self._has_workers:
            self._begin("removing containers that were left")
            images.remove_containers(engine, self._settings.instance_id)
        if not images.is_here(engine, image):
            with self._timed(f"pulling image {image}"):
                images.pull(engine, image, commands=self._commands, cwd=cwd)
        data = self._brings.data
        # What was fetched from a bucket lies in the cache.
        folders = [] if data is None or is_location(data) else [Path(data)]
        container = images.container_for(image, engine, settings=self._settings, folders=folders)
        with self._timed(f"checking image {image}"):
            images.check(container, commands=self._commands, cwd=cwd)
        self.outfit = replace(self.outfit, container=container)

    def _add_variables(self, variables: Mapping[str, str]) -> None:
        self.outfit = replace(self.outfit, variables={**self.outfit.variables, **variables})

    def _set_up(self, command: str) -> None:
        if (self._settings.work_dir / _SET_UP).exists():
            return
        with self._timed(f"setup: {command[:200]}"):
            self._commands.run(
                ["/bin/sh", "-ec", command],
                what=f"setup: {command[:80]}",
                cwd=self._working_folder(),
            )

    def _working_folder(self) -> Path:
        """The folder in which workers will run; files already in it are not their outputs."""
        self._settings.code_dir.mkdir(parents=True, exist_ok=True)
        return self._settings.code_dir

    @contextmanager
    def _timed(self, text: str) -> Iterator[_Timed]:
        """Reports what was done, and how long it took, once it is done."""
        self._begin(text)
        timed = _Timed(text)
        yield timed
        self._tell(f"{timed.text}, {duration(time.monotonic() - self.since_s)}")

    def _begin(self, what: str) -> None:
        self.what = what
        self.since_s = time.monotonic()


@dataclass(slots=True)
class _Timed:
    text: str
