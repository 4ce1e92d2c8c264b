"""Faults of processes: what is done to a job, and to which of its processes."""

from __future__ import annotations

import os
import random
import resource
import signal
import time
from pathlib import Path

from tests.faults.jobs import Job
from tests.faults.running import Running, Services

FAULTS = ("kill all", "kill main", "kill one", "stop one", "no memory", "disk full", "terminate",
          "twice")  # fmt: skip


def faults_of(job: Job) -> list[str]:
    """Faults that a job is tried with."""
    faults = [f for f in FAULTS if not (job.ranks and f in ("twice", "no memory", "disk full"))]
    if job.name == "checkpointed-ranks":
        faults.append("twice")
    if job.services:
        faults.remove("kill one")
        faults += ["services die", "services restart"]
    return faults


def hit(one: Running, services: Services, fault: str, drawn: random.Random) -> str:
    """Do it; gives the programs that died, where these were hit."""
    family = one.family()
    if fault in ("services die", "services restart"):
        return _services(services, fault, drawn)
    if not family:
        return ""
    if fault == "kill all":
        for pid in [*family, *services.pids()]:
            _signal(pid, signal.SIGKILL)
    elif fault == "kill main":
        _signal(family[0], signal.SIGKILL)
    elif fault == "terminate":
        _signal(family[0], signal.SIGTERM)
    elif fault == "no memory":
        _starve(drawn.choice([*family, *services.pids()]), drawn.choice((0, 4, 32)) << 20)
    elif fault in ("kill one", "stop one"):
        others = [*family[1:], *services.pids()]
        pid = drawn.choice(others or family)
        _signal(pid, signal.SIGKILL if fault == "kill one" else signal.SIGSTOP)
        if fault == "stop one":  # a machine that slept: it goes on, or others end without it
            time.sleep(drawn.choice((1.0, 5.0)))
            _signal(pid, signal.SIGCONT)
    return ""


def _starve(pid: int, more: int) -> None:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.prlimit(pid, resource.RLIMIT_AS, (most, most))
    except (OSError, IndexError):
        return  # it had ended


def _services(services: Services, fault: str, drawn: random.Random) -> str:
    """One program dies, or all of a kind; somebody starts them again soon, or when the job has told
    of it."""
    names = services.job.services
    name = drawn.choice(sorted({*names, *(name.split()[0] for name in names)}))
    for pid in services.pids(name):
        _signal(pid, signal.SIGKILL)
    if fault == "services restart":
        time.sleep(drawn.uniform(0.2, 4.0))
        services.start()
    return name


def _signal(pid: int, signum: int) -> None:
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        return
