"""One disturbed run: a fault at a moment, what came, the same command again, and the comparison."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.jobs import ROOT, Job

_AGENT = "torch.distributed.elastic.multiprocessing.api.SignalException"
"""Last words of torchrun itself when it is asked to end; nothing of ours."""

PATIENCE = 60.0
"""Seconds in which a job that was disturbed has told so and ended, or goes on."""

FAULTS = ("kill all", "kill main", "kill one", "stop one", "no memory", "disk full", "terminate",
          "twice")  # fmt: skip


@dataclass
class Moment:
    """A disturbed run and what was wrong with it."""

    job: str
    fault: str
    at: float
    wrong: list[str] = field(default_factory=list)
    code: int | None = None
    last: str = ""
    seconds: float = 0.0


class Running:
    """A command and the processes that it started, in a session of its own."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.mark = f"RATEPROOF_FAULTS={folder.name}-{time.monotonic_ns()}"
        name, _, value = self.mark.partition("=")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", name: value}
        self.out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, *job.words(folder)], cwd=folder, env=environment, stdout=self.out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def family(self) -> list[int]:
        """Every process that has the mark in its environment and is no zombie, main first."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in stat.read_bytes():
                    if stat.with_name("stat").read_text().rpartition(") ")[2][0] != "Z":
                        found.append(int(stat.parent.name))
            except OSError:
                continue
        return sorted(found, key=lambda pid: (pid != self.process.pid, pid))

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


@dataclass
class Undisturbed:
    """Result of a job that nothing disturbed, and how long it took."""

    result: Any
    seconds: float
    begun: float


def undisturbed(job: Job) -> Undisturbed:
    """Run the job once."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job.prepare(folder)
        begin = time.monotonic()
        one, there = Running(job, folder), set(folder.iterdir())
        while set(folder.iterdir()) == there and one.process.poll() is None:
            time.sleep(0.02)
        begun = time.monotonic() - begin
        if not one.ended(300) or one.process.returncode:
            text = one.text()
            one.destroy()
            raise RuntimeError(f"{job.name} does not run undisturbed: {text[-2000:]}")
        seconds = time.monotonic() - begin
        one.destroy()
        return Undisturbed(job.result(folder), seconds, begun)


def disturbed(
    job: Job, calm: Undisturbed, drawn: random.Random, only: Sequence[str] = ()
) -> Moment:
    """The job with a fault at a moment drawn, then the same command until it is done; the fault is
    one of ``only`` where these are given."""
    faults = [f for f in FAULTS if not (job.ranks and f in ("twice", "no memory", "disk full"))]
    if job.name == "checkpointed-ranks":
        faults = [*faults, "twice"]
    faults = [f for f in faults if f in (only or faults)]
    moment = Moment(job.name, drawn.choice(faults), drawn.uniform(0.0, 1.1))
    early = drawn.random() < 0.15  # before it has written anything
    early &= moment.fault != "no memory"  # what lacks memory then is Python at its imports
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job.prepare(folder)
        with _room(folder, moment.fault):
            _first(job, folder, moment, drawn, calm, early)
        before = {file: _identity(file) for file in job.finished(folder)}
        _again(job, folder, moment, before, calm)
    moment.seconds = time.monotonic() - begin
    return moment


def _first(
    job: Job, folder: Path, moment: Moment, drawn: random.Random, calm: Undisturbed, early: bool
) -> None:
    one, there = Running(job, folder), set(folder.iterdir())
    other = None
    try:
        begin = time.monotonic()
        if early:
            time.sleep(moment.at * calm.begun)
        else:
            while set(folder.iterdir()) == there and one.process.poll() is None:
                time.sleep(0.02)
            time.sleep(moment.at * (calm.seconds - calm.begun))
        moment.at = time.monotonic() - begin
        if moment.fault == "twice":
            other = Running(job, folder)
        else:
            _hit(one, moment.fault, drawn)
        if not one.ended(PATIENCE + 60 * bool(other)):
            moment.wrong.append(f"still running after {PATIENCE:g} s")
        elif not one.gone(15):
            moment.wrong.append(f"orphans {one.family()}")
        _told(one, moment, quiet=moment.fault in ("kill all", "kill main"))
        if other is not None:
            if not other.ended(PATIENCE + 60):
                moment.wrong.append("the second is still running")
            _told(other, moment, quiet=False)
    finally:
        one.destroy()
        if other is not None:
            other.destroy()


def _hit(one: Running, fault: str, drawn: random.Random) -> None:
    family = one.family()
    if not family:
        return
    if fault == "kill all":
        for pid in family:
            _signal(pid, signal.SIGKILL)
    elif fault == "kill main":
        _signal(family[0], signal.SIGKILL)
    elif fault == "terminate":
        _signal(family[0], signal.SIGTERM)
    elif fault == "no memory":
        pid, more = drawn.choice(family), drawn.choice((0, 4, 32)) << 20
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + more
            resource.prlimit(pid, resource.RLIMIT_AS, (most, most))
        except (OSError, IndexError):
            return  # it had ended
    elif fault in ("kill one", "stop one"):
        signum = signal.SIGKILL if fault == "kill one" else signal.SIGSTOP
        pid = drawn.choice(family[1:] or family)
        _signal(pid, signum)
        if fault == "stop one":  # a machine that slept: it goes on, or others end without it
            time.sleep(drawn.choice((1.0, 5.0)))
            _signal(pid, signal.SIGCONT)


def _signal(pid: int, signum: int) -> None:
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        return


class _room:
    """The job's folder on a small disk that is full from the moment on, where that is drawn."""

    def __init__(self, folder: Path, fault: str) -> None:
        self.folder, self.full = folder, fault == "disk full"

    def __enter__(self) -> None:
        if self.full:
            kept = {file.name: file.read_bytes() for file in self.folder.iterdir()}
            self.full = not subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(self.folder)],
                check=False, capture_output=True,
            ).returncode  # fmt: skip
            for name, content in kept.items():
                (self.folder / name).write_bytes(content)

    def __exit__(self, *error: object) -> None:
        if self.full:
            remount = ["mount", "-o", "remount,size=64m", str(self.folder)]
            subprocess.run(remount, check=True, capture_output=True)
            saved = Path(tempfile.mkdtemp())
            subprocess.run(["cp", "-a", f"{self.folder}/.", str(saved)], check=True)
            subprocess.run(["umount", str(self.folder)], check=True)
            subprocess.run(["cp", "-a", f"{saved}/.", str(self.folder)], check=True)
            subprocess.run(["rm", "-r", str(saved)], check=True)


def _told(one: Running, moment: Moment, *, quiet: bool) -> None:
    """What the disturbed run said: a failure is told of in a line, and never by a traceback."""
    text = one.text()
    code = one.process.poll()
    moment.code = code
    said = [line for line in text.splitlines() if line.strip()]
    moment.last = said[-1] if said else ""
    if "Traceback" in text and _AGENT not in moment.last:
        moment.wrong.append("a traceback: " + text[-1500:])
    if (
        code
        and code > 0
        and not quiet
        and not any(
            word in text.lower() for word in ("error", "interrupted", "died", "hangs", "memory")
        )
    ):
        moment.wrong.append(f"exit code {code} without a word: {text[-300:]}")


def _again(
    job: Job, folder: Path, moment: Moment, before: dict[Path, Any], calm: Undisturbed
) -> None:
    one = Running(job, folder)
    try:
        if not one.ended(180):
            moment.wrong.append("the same command again does not end")
            return
        text = one.text()
        if one.process.returncode:
            moment.wrong.append(f"again: exit code {one.process.returncode}: {text[-1500:]}")
            return
        if "Traceback" in text:
            moment.wrong.append(f"again: a traceback: {text[-1500:]}")
        if not one.gone(15):
            moment.wrong.append(f"again: orphans {one.family()}")
    finally:
        one.destroy()
    for file, identity in before.items():
        if not file.exists():
            moment.wrong.append(f"lost: {file.name}")
        elif _identity(file) != identity:
            moment.wrong.append(f"computed twice: {file.name}")
    found = job.result(folder)
    if json.dumps(found) != json.dumps(calm.result):
        moment.wrong.append(f"another result: {str(found)[:300]} and not {str(calm.result)[:300]}")


def _identity(file: Path) -> tuple[int, int]:
    told = file.stat()
    return told.st_mtime_ns, told.st_size
