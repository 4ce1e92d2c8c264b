"""One disturbed run: a fault at a moment, what came, the same command again, and the comparison."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.hits import faults_of, hit
from tests.faults.jobs import Job
from tests.faults.room import Room
from tests.faults.running import Running, Services
from tests.faults.warm import load

_AGENT = "torch.distributed.elastic.multiprocessing.api.SignalException"
"""Last words of torchrun itself when it is asked to end; nothing of ours."""

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


@dataclass
class Undisturbed:
    """Result of a job that nothing disturbed, and how long it took."""

    result: Any
    seconds: float
    begun: float
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
        return Undisturbed(job.result(folder), seconds, begun, warm)


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
            before = {file: _identity(file) for file in job.finished(folder)}
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
        if early:
            time.sleep(moment.at * calm.begun)
        elif calm.begun > 0.9 * calm.seconds:  # it leaves its result alone: at any time
            time.sleep(moment.at * calm.seconds)
        else:
            while set(folder.iterdir()) == there and one.process.poll() is None:
                time.sleep(0.02)
            time.sleep(moment.at * (calm.seconds - calm.begun))
        moment.at = time.monotonic() - begin
        before = {file: _identity(file) for file in job.finished(folder)}
        if moment.fault == "twice":
            other = Running(job.words(folder), folder, warm=warm)
        else:
            moment.victim = hit(one, services, moment.fault, drawn)
        _ends(one, services, moment, PATIENCE + 60 * bool(other))
        _told(one, moment, quiet=moment.fault in ("kill all", "kill main"))
        if other is not None:
            if not other.ended(PATIENCE + 60):
                moment.wrong.append("the second is still running")
            _told(other, moment, quiet=False)
        _kept(before, moment)
    finally:
        one.destroy()
        if other is not None:
            other.destroy()


def _ends(one: Running, services: Services, moment: Moment, seconds: float) -> None:
    """It ends and leaves no process; or it has told what it waits for, goes on and ends when that
    is there again."""
    if not one.ended(seconds):
        if moment.victim and moment.victim.split()[0] in one.text():
            services.start()
            if one.ended(seconds):
                return
        moment.wrong.append(f"still running after {seconds:g} s: {one.text()[-300:]}")
    elif not one.gone(15):
        moment.wrong.append(f"orphans {one.family()}")


def _kept(before: dict[Path, tuple[int, int]], moment: Moment) -> None:
    """What was finished is there, as it was."""
    for file, identity in before.items():
        if not file.exists():
            moment.wrong.append(f"lost: {file.name}")
        elif _identity(file) != identity:
            moment.wrong.append(f"computed twice: {file.name}")


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
        if "Traceback" in text:
            moment.wrong.append(f"again: a traceback: {text[-1500:]}")
        if not one.gone(15):
            moment.wrong.append(f"again: orphans {one.family()}")
    finally:
        one.destroy()
    _kept(before, moment)
    found = job.result(folder)
    if json.dumps(found) != json.dumps(calm.result):
        moment.wrong.append(f"another result: {str(found)[:300]} and not {str(calm.result)[:300]}")


def _identity(file: Path) -> tuple[int, int]:
    told = file.stat()
    return told.st_mtime_ns, told.st_size
