"""Small jobs of every kind: a command, what it has finished so far, and what it gives."""

from __future__ import annotations

import json
import os
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
STUDY = """
replicas = 2
records = 4
block = 1
[grid]
row = ["bsp-sgd", "qsgd"]
problem = ["quadratic-sc"]
n = 2
steps = 400
gamma = 0.05
seed = {from = 1, to = 6}
"""


class Job(ABC):
    """A command on a folder of its own."""

    name: str
    ranks = 0
    imports: tuple[str, ...] = ()
    """Modules that a process of a moment has behind it, where it is forked."""
    services: tuple[str, ...] = ()
    """Programs that the command needs and did not start, victims as well: kind, and number."""
    waiting: str = ""
    """How it tells that it waits for one of them."""

    @abstractmethod
    def words(self, folder: Path) -> list[str]:
        """What follows ``python``."""

    @abstractmethod
    def finished(self, folder: Path) -> list[Path]:
        """Files of work that is done for good."""

    @abstractmethod
    def result(self, folder: Path) -> Any:
        """What does not depend on when or where it was computed."""

    def service(self, name: str, folder: Path) -> list[str]:
        """What follows ``python`` for a service."""
        raise NotImplementedError(f"{self.name} needs no {name}")

    def prepare(self, folder: Path) -> None:  # noqa: B027
        """Make what the command reads: most read nothing."""


class SurveyOfCells(Job):
    """A survey of twelve cells of 60 ms."""

    name = "survey"
    imports = ("experiments.survey", "experiments.storage.store", "tests.experiments.fake_survey")

    def words(self, folder: Path) -> list[str]:
        return ["-m", "tests.faults.jobs", "survey", str(folder)]

    def finished(self, folder: Path) -> list[Path]:
        return sorted((folder / "cells").glob("*.cell"))

    def result(self, folder: Path) -> Any:
        told = {}
        for file in self.finished(folder):
            body = json.loads(file.read_bytes().partition(b"\n")[2])
            told[file.name] = {k: v for k, v in body.items() if "seconds" not in k}
        return told


class SweepOfRuns(Job):
    """A sweep of twelve runs in twelve files."""

    name = "sweep"

    def service(self, name: str, folder: Path) -> list[str]:
        """What follows ``python`` for a service."""
        raise NotImplementedError(f"{self.name} needs no {name}")

    def prepare(self, folder: Path) -> None:
        (folder / "study.toml").write_text(STUDY)

    def words(self, folder: Path) -> list[str]:
        out = ["--out", str(folder / "out")]
        return ["-m", "experiments.cli.main", "sweep", str(folder / "study.toml"), *out]

    def finished(self, folder: Path) -> list[Path]:
        return sorted((folder / "out" / "data").rglob("*.parquet"))

    def result(self, folder: Path) -> Any:
        parts = [
            pq.ParquetFile(file).read(use_threads=False).to_pandas(use_threads=False)
            .drop(columns="run_seconds") for file in self.finished(folder)
        ]  # fmt: skip
        return pd.concat(parts, ignore_index=True).to_json(double_precision=15)


class SweepOnDask(SweepOfRuns):
    """The same on a scheduler and two workers of dask.distributed, which somebody else started and
    starts again."""

    name = "dask"
    services = ("scheduler", "worker 1", "worker 2")
    waiting = r"note: (the executor does not open|no worker is at the scheduler)"
    imports = (
        "distributed.cli.dask_scheduler", "distributed.cli.dask_worker",
        "experiments.commands.sweep", "experiments.cli.options", "distributed",
    )  # fmt: skip

    def prepare(self, folder: Path) -> None:
        longer = STUDY.replace("steps = 400", "steps = 3000")  # so that moments fall between files
        (folder / "study.toml").write_text(longer)
        (folder / "port").write_text(str(free_port()))

    def words(self, folder: Path) -> list[str]:
        return [*super().words(folder), "--executor", f"dask://{self._address(folder)}"]

    def service(self, name: str, folder: Path) -> list[str]:
        if name == "scheduler":
            host, _, port = self._address(folder).partition(":")
            options = ["distributed.cli.dask_scheduler", "--host", host, "--port", port]
        else:
            options = ["distributed.cli.dask_worker", f"tcp://{self._address(folder)}",
                       "--nthreads", "1", "--no-nanny", "--death-timeout", "300"]  # fmt: skip
        return ["-m", *options, "--no-dashboard"]

    def _address(self, folder: Path) -> str:
        return "127.0.0.1:" + (folder / "port").read_text()


class CheckpointedAlone(Job):
    """A checkpointed run in one process."""

    name = "checkpointed"
    imports = ("algorithms.catalogue", "algorithms.runner.checkpointed_run")

    def words(self, folder: Path) -> list[str]:
        return ["-m", "tests.faults.jobs", "checkpointed", str(folder)]

    def finished(self, folder: Path) -> list[Path]:
        return []  # the newest two are kept; that the run goes on from them is in the result

    def result(self, folder: Path) -> Any:
        return json.loads((folder / "result.json").read_text())


class OnRanks(Job):
    """A run on two ranks under torchrun, without checkpoints."""

    name, ranks = "ranks", 2
    imports = ("torch.distributed.run", "experiments.commands.launch")
    more: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()

    def words(self, folder: Path) -> list[str]:
        agent = ["-m", "torch.distributed.run", "--nproc-per-node", "2", *self.agent]
        where = ["--master-addr", "127.0.0.1", "--master-port", str(free_port())]
        return [*agent, *where, "-m", "experiments.launch", *self.command(folder)]

    def command(self, folder: Path) -> list[str]:
        """What ranks run."""
        kept = ["--checkpoints", str(folder / "kept"), "--every", "25"] if self.agent else []
        return ["run", "choco-sgd", "-p", "quadratic-sc", "-T", "250", "--patience", "15",
                "--workers", "2", "--out", str(folder / "run.json"), *kept]  # fmt: skip

    def finished(self, folder: Path) -> list[Path]:
        return []

    def result(self, folder: Path) -> Any:
        told = json.loads((folder / "run.json").read_text())
        return {k: v for k, v in told.items() if "seconds" not in k and k != "began at step"}


class CheckpointedOnRanks(OnRanks):
    """The same with checkpoints, started again by torchrun."""

    name, agent = "checkpointed-ranks", ("--max-restarts", "2")


class ServedOnRanks(OnRanks):
    """A served run on two ranks: with one worker nothing is stale, so that errors after every
    update are those of an undisturbed run."""

    name, agent = "served", ("--max-restarts", "2")

    def command(self, folder: Path) -> list[str]:
        return ["serve", "asp", "-p", "quadratic-sc", "-T", "300", "--patience", "15",
                "--checkpoints", str(folder / "kept"), "--every", "25",
                "--out", str(folder / "run.json")]  # fmt: skip

    def result(self, folder: Path) -> Any:
        told = json.loads((folder / "run.json").read_text())
        # bytes of the part before a restart are not counted, which their verdicts say
        held = [(v["check"], v["outcome"]) for v in told["verdicts"] if v["check"] == "replay"]
        return {"verdicts": held, "errors": told["errors"]}


JOBS: dict[str, Job] = {
    one.name: one
    for one in (
        SurveyOfCells(), SweepOfRuns(), SweepOnDask(), CheckpointedAlone(), OnRanks(),
        CheckpointedOnRanks(), ServedOnRanks(),
    )
}  # fmt: skip


def checkpointed(folder: Path) -> int:
    """A checkpointed run that takes two seconds, and its models in full."""
    import time

    from algorithms.catalogue import problem, row
    from algorithms.runner.checkpointed_run import Checkpoints, checkpointed_run
    from experiments.processes.memory import first_line, lacks_memory

    built = problem("quadratic-sc", 4)
    method = row("choco-sgd").build(built, 24)

    def watch(models: Any) -> float:
        time.sleep(0.15)
        return float(models.sum())

    try:
        found = checkpointed_run(
            method, built, steps=24, kept=Checkpoints(folder / "kept", 3), watch=watch
        )
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Exception as error:  # as experiments.cli.main has it
        if not lacks_memory(error):
            raise
        print(f"error: not enough memory: {first_line(error)}", file=sys.stderr)
        return 1
    told = {"models": found.models.double().flatten().tolist(), "seen": sorted(found.seen.items())}
    (folder / f".{os.getpid()}").write_text(json.dumps(told))
    os.replace(folder / f".{os.getpid()}", folder / "result.json")
    print(f"began {found.began}")
    return 0


def survey(folder: Path) -> int:
    """The survey of twelve cells of 100 ms, without its report."""
    from rich.console import Console

    from experiments.processes.pool import ExecutorLost
    from experiments.storage.store import Store
    from experiments.survey import SurveyInterrupted, run_survey, stopping
    from tests.experiments.fake_survey import cells, run_cell

    todo = cells([f"c{k}:100" for k in range(12)])
    store = Store(folder / "cells", dict.fromkeys(todo, "fake"))
    console = Console(force_terminal=False, width=120)
    try:
        with stopping():
            found = run_survey(todo, run_cell, store, console)
    except SurveyInterrupted as stop:
        print(f"interrupted by {stop}")
        return stop.exit_code
    except ExecutorLost as error:  # as experiments.reporting.survey_job has it
        print(f"error: {error}", file=sys.stderr)
        return 1
    for failure in found.failures:
        print(f"error: {failure.cell.row}: {failure.error}", file=sys.stderr)
    return int(bool(found.failures))


if __name__ == "__main__":
    chosen = {"survey": survey, "checkpointed": checkpointed}[sys.argv[1]]
    raise SystemExit(chosen(Path(sys.argv[2])))
