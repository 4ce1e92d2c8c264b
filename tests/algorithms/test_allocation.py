"""Memory that a process keeps is not asked for again: faults are counted, not timed."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

ROUNDS, MEGABYTES = 20, 12
ASKS = f"""
import resource, torch
from algorithms.engine.allocation import keep_freed
def step():
    held = [torch.ones({MEGABYTES} << 18) for _ in range(3)]
kept = keep_freed()
for _ in range({ROUNDS}):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    step()
print(kept, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc"),
]


def told(**environment):
    """Whether memory is kept, and the faults of some steps that each take 36 MB anew."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    seen = subprocess.run(
        [sys.executable, "-c", ASKS], env=kept | environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    answer, faults = seen.stdout.split()
    return answer == "True", int(faults)


def test_what_is_freed_serves_the_next_step():
    """A block of 12 MB has 3,072 pages of 4 kB, or 6 of 2 MB."""
    kept, faults = told()
    assert kept and faults < 6 * ROUNDS


def test_who_sets_malloc_is_left_alone():
    kept, faults = told(MALLOC_MMAP_THRESHOLD_=str(1 << 20))
    assert not kept and faults >= 3 * 6 * ROUNDS
