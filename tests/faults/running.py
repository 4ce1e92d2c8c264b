"""A command that runs, the processes that it started, and the programs that it needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.faults.jobs import ROOT, Job
from tests.faults.warm import ForkedProcess


class Running:
    """A command and the processes that it started, in a session of its own; ``warm``: forked, with
    its imports behind it."""

    def __init__(self, words: Sequence[str], folder: Path, *, warm: bool = False) -> None:
        self.mark = f"RATEPROOF_FAULTS={folder.name}-{time.monotonic_ns()}"
        name, _, value = self.mark.partition("=")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", name: value}
        self.out = tempfile.TemporaryFile("w+")
        self.file = _place(os.fstat(self.out.fileno()))
        start: Any = ForkedProcess if warm else subprocess.Popen
        self.process: subprocess.Popen[Any] = start(
            [sys.executable, *words], cwd=str(folder), env=environment,
            stdout=self.out.fileno(), stderr=self.out.fileno(), start_new_session=True,
        )  # fmt: skip

    def family(self) -> list[int]:
        """Every process that has the mark in its environment, or says what it says where this one
        does, and is no zombie, main first."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                if self._mine(stat.parent) and stat.read_text().rpartition(") ")[2][0] != "Z":
                    found.append(int(stat.parent.name))
            except OSError:
                continue
        return sorted(found, key=lambda pid: (pid != self.process.pid, pid))

    def _mine(self, process: Path) -> bool:
        if self.mark.encode() in (process / "environ").read_bytes():
            return True
        if int(process.name) == os.getpid():
            return False
        return any(_place((process / "fd" / number).stat()) == self.file for number in "12")

    def ended(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def gone(self, seconds: float) -> bool:
        """Whether all of its processes end within so many seconds."""
        until = time.monotonic() + seconds
        while self.family():
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def text(self) -> str:
        """All that it said."""
        self.out.seek(0)
        return self.out.read()

    def destroy(self) -> None:
        """End whatever is left of it."""
        for pid in self.family():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        self.out.close()


def _place(told: os.stat_result) -> tuple[int, int]:
    return told.st_dev, told.st_ino


class Services:
    """Programs that a job needs and did not start, each started again where it has ended."""

    def __init__(self, job: Job, folder: Path, *, warm: bool) -> None:
        self.job, self.folder, self.warm = job, folder, warm
        self.running: dict[str, Running] = {}
        self.start()

    def start(self) -> None:
        """Start those that do not run."""
        for name in self.job.services:
            one = self.running.get(name)
            if one is not None and one.process.poll() is None:
                continue
            if one is not None:
                one.destroy()
            words = self.job.service(name, self.folder)
            self.running[name] = Running(words, Path("/"), warm=self.warm)

    def pids(self, begins: str = "") -> list[int]:
        """Processes of those whose name begins so, and runs."""
        found = [one.process for name, one in self.running.items() if name.startswith(begins)]
        return [process.pid for process in found if process.poll() is None]

    def destroy(self) -> None:
        """End them all."""
        for one in self.running.values():
            one.destroy()
        self.running.clear()
