"""Commands in seconds: short ones, cross-validation of all rows, an audit of a user's function.

Seconds of wall and of processors: these are no ratios. Short commands are called some times in
turn, and once where no kernel is compiled yet, as after an installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.alternating import Spread

Words = tuple[str, ...]

CROSSVAL = ("crossval", "--ranks", "4")
RUN = ("run", "qsgd", "--problem", "logreg-breast-cancer", "-n", "16", "-T", "2000")
SHORT = (("--help",), ("list",), (*RUN, "--replicas", "32"))
AUDIT = ("audit", "mine:compress", "--unbiased")
LONG = (AUDIT, CROSSVAL)
MINE = '''"""A user's compressor: k of d coordinates by lot, scaled."""

import numpy as np

K = 10
LOTS = np.random.default_rng(0)


def compress(x):
    kept = LOTS.choice(len(x), size=K, replace=False)
    out = np.zeros_like(x)
    out[kept] = x[kept] * (len(x) / K)
    return out
'''


def called(*words: str, compiled: bool = True) -> dict[str, Any]:
    """One call of ``rateproof`` in an empty folder that has the user's module ``mine``; without
    ``compiled`` kernels."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "mine.py").write_text(MINE)
        kernels = {} if compiled else {"NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        before, start = os.times(), time.perf_counter()
        script = Path(sys.executable).with_name("rateproof")
        code = subprocess.run(
            [script, *words], cwd=folder, capture_output=True, env=os.environ | kernels
        ).returncode
        took, after = time.perf_counter() - start, os.times()
    processors = (
        after.children_user + after.children_system
        - before.children_user - before.children_system
    )  # fmt: skip
    return {"command": " ".join(words), "code": code, "wall": took, "processors": processors}


def often(words: Words, calls: int) -> dict[str, Any]:
    """The first call, and the spread of some more."""
    first = called(*words, compiled=False)
    more = [called(*words) for _ in range(calls)]
    spread = {
        kind: Spread.from_values([one[kind] for one in more]) for kind in ("wall", "processors")
    }
    return {"command": first["command"], "code": first["code"], "first": first["wall"], **spread}


def measured(
    long: tuple[Words, ...] = LONG, short: tuple[Words, ...] = SHORT, calls: int = 5
) -> dict[str, Any]:
    """A line for each command: long ones once, short ones ``calls`` times."""
    return {
        "short": [often(words, calls) for words in short],
        "lines": [called(*words) for words in long],
    }
