"""One disturbed run: a fault at a moment, what came, the same command again, and the comparison."""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.hits import faults_of, hit
from tests.faults.jobs import ROOT, Job
from tests.faults.room import Room
from tests.faults.running import Running, Services
from tests.faults.warm import load

PATIENCE = 60.0
"""Seconds in which a job that was disturbed has told so and ended, or goes on."""


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
    victim: str = ""
    running: bool = True


@dataclass
class Undisturbed:
    """Result of a job that nothing disturbed, how long it took, until it had written anything, and
    how many files it finished."""

    result: Any
    seconds: float
    begun: float
    files: int = 0
    warm: bool = False


def undisturbed(job: Job, *, warm: bool = False) -> Undisturbed:
    """Run the job once."""
    if warm:
        load(job.imports)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job.prepare(folder)
        services = Services(job, folder, warm=warm)
        begin = time.monotonic()
        one, there = Running(job.words(folder), folder, warm=warm), set(folder.iterdir())
        try:
            while set(folder.iterdir()) == there and one.process.poll() is None:
                time.sleep(0.02)
            begun = time.monotonic() - begin
            if not one.ended(300) or one.process.returncode:
                text = one.text()
                raise RuntimeError(f"{job.name} does not run undisturbed: {text[-2000:]}")
            seconds = time.monotonic() - begin
        finally:
            one.destroy()
            services.destroy()
        return Undisturbed(job.result(folder), seconds, begun, len(job.finished(folder)), warm)


def disturbed(
    job: Job, calm: Undisturbed, drawn: random.Random, only: Sequence[str] = ()
) -> Moment:
    """The job with a fault at a moment drawn, then the same command until it is done; the fault is
    one of ``only`` where these are given."""
    faults = [f for f in faults_of(job) if f in (only or faults_of(job))]
    moment = Moment(job.name, drawn.choice(faults), drawn.uniform(0.0, 1.1))
    early = drawn.random() < 0.15  # before it has written anything
    early &= moment.fault != "no memory"  # what lacks memory then is Python at its imports
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job.prepare(folder)
        services = Services(job, folder, warm=calm.warm)
        try:
            with Room(folder, moment.fault):
                _first(job, folder, services, moment, drawn, calm, early)
            before = {file: identity(file) for file in job.finished(folder)}
            services.start()
            _again(job, folder, moment, before, calm)
        finally:
            services.destroy()
    moment.seconds = time.monotonic() - begin
    return moment


def _first(
    job: Job, folder: Path, services: Services, moment: Moment, drawn: random.Random,
    calm: Undisturbed, early: bool,
) -> None:  # fmt: skip
    warm = calm.warm and not early  # imports are disturbed too
    one, there = Running(job.words(folder), folder, warm=warm), set(folder.iterdir())
    other = None
    try:
        begin = time.monotonic()
        _wait(job, folder, one, moment.at, there, calm, early)
        moment.at, moment.running = time.monotonic() - begin, one.process.poll() is None
        before = {file: identity(file) for file in job.finished(folder)}
        if moment.fault == "twice":
            other = Running(job.words(folder), folder, warm=warm)
        else:
            moment.victim = hit(one, services, moment.fault, drawn)
        back = drawn.random() < 0.5
        _ends(job, one, services, moment, PATIENCE + 60 * bool(other), back)
        _told(job, one, moment, quiet=moment.fault in ("kill all", "kill main"))
        if other is not None:
            if not other.ended(PATIENCE + 60):
                moment.wrong.append("the second is still running")
            _told(job, other, moment, quiet=False)
        kept(before, moment)
    finally:
        one.destroy()
        if other is not None:
            other.destroy()


def _wait(
    job: Job, folder: Path, one: Running, at: float, there: set[Path], calm: Undisturbed,
    early: bool,
) -> None:  # fmt: skip
    """Until the moment: by time before anything is written, then by files that are finished, so
    that a busy machine moves no moment behind the end; of a job that leaves none by time."""
    if early:
        time.sleep(at * calm.begun)
    elif calm.files:
        whole, part = divmod(at * calm.files, 1)
        while len(job.finished(folder)) < min(whole, calm.files) and one.process.poll() is None:
            time.sleep(0.02)
        time.sleep(part * (calm.seconds - calm.begun) / calm.files)
    elif calm.begun > 0.9 * calm.seconds:  # it leaves its result alone: at any time
        time.sleep(at * calm.seconds)
    else:
        while set(folder.iterdir()) == there and one.process.poll() is None:
            time.sleep(0.02)
        time.sleep(at * (calm.seconds - calm.begun))


def _ends(
    job: Job, one: Running, services: Services, moment: Moment, seconds: float, back: bool
) -> None:
    """It ends and leaves no process; or it has told what it waits for, and ends when that is
    ``back``, or gives up."""
    until = time.monotonic() + seconds
    while not one.ended(0.2) and time.monotonic() < until:
        if job.waiting and re.search(job.waiting, one.text()):
            moment.victim += ", told"
            if back or "worker" in moment.victim:  # without a worker it waits
                services.start()
            until = time.monotonic() + seconds + 20
            break
    if not one.ended(max(0.0, until - time.monotonic())):
        moment.wrong.append(f"still running after {seconds:g} s: {one.text()[-300:]}")
    elif not one.gone(15):
        moment.wrong.append(f"orphans {one.family()}")


def kept(before: dict[Path, tuple[int, int]], moment: Moment) -> None:
    """What was finished is there, as it was."""
    for file, was in before.items():
        if not file.exists():
            moment.wrong.append(f"lost: {file.name}")
        elif identity(file) != was:
            moment.wrong.append(f"computed twice: {file.name}")


def traced(text: str, ours_alone: bool) -> bool:
    """Whether a text has a traceback; ``ours_alone``: one with a line of this project, since
    torchrun tells of a rank that died, and of a signal, by one of its own. Python's resource
    tracker, killed and started anew, prints some of its own lines alone, which nobody can stop."""
    house = re.escape(str(ROOT))
    ours = re.compile(rf"{house}/(?!\.venv/|tests/faults/)")
    for block in text.split("Traceback (most recent call last)")[1:]:
        files = re.findall(r'^ *File "(.*?)"', block, re.MULTILINE)
        if files and all(file.endswith("multiprocessing/resource_tracker.py") for file in files):
            continue
        if not ours_alone or any(ours.match(file) for file in files):
            return True
    return False


def _told(job: Job, one: Running, moment: Moment, *, quiet: bool) -> None:
    """What the disturbed run said: a failure is told of in a line, and never by a traceback."""
    text = one.text()
    code = one.process.poll()
    moment.code = code
    said = [line for line in text.splitlines() if line.strip()]
    moment.last = said[-1] if said else ""
    if traced(text, bool(job.ranks)):
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
    job: Job, folder: Path, moment: Moment, before: dict[Path, tuple[int, int]], calm: Undisturbed
) -> None:
    one = Running(job.words(folder), folder, warm=calm.warm)
    try:
        if not one.ended(180):
            moment.wrong.append("the same command again does not end")
            return
        text = one.text()
        if one.process.returncode:
            moment.wrong.append(f"again: exit code {one.process.returncode}: {text[-1500:]}")
            return
        if traced(text, bool(job.ranks)):
            moment.wrong.append(f"again: a traceback: {text[-1500:]}")
        if not one.gone(15):
            moment.wrong.append(f"again: orphans {one.family()}")
    finally:
        one.destroy()
    kept(before, moment)
    found = job.result(folder)
    if json.dumps(found) != json.dumps(calm.result):
        moment.wrong.append(f"another result: {str(found)[:300]} and not {str(calm.result)[:300]}")


def identity(file: Path) -> tuple[int, int]:
    """When a file was written, and its length."""
    told = file.stat()
    return told.st_mtime_ns, told.st_size
