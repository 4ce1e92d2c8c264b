"""Long commands, in seconds: cross-validation of the catalogue and an audit of a user's function.

Seconds of wall and of processors, of one call each: these are no ratios.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CROSSVAL = ("crossval", "--ranks", "4")
AUDIT = ("audit", "mine:compress", "--unbiased")
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


def called(*words: str) -> dict[str, Any]:
    """One call of ``rateproof`` in an empty folder that has the user's module ``mine``."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "mine.py").write_text(MINE)
        before, start = os.times(), time.perf_counter()
        script = Path(sys.executable).with_name("rateproof")
        code = subprocess.run([script, *words], cwd=folder, capture_output=True).returncode
        took, after = time.perf_counter() - start, os.times()
    processors = (
        after.children_user + after.children_system
        - before.children_user - before.children_system
    )  # fmt: skip
    return {"command": " ".join(words), "code": code, "wall": took, "processors": processors}


def measured(*commands: tuple[str, ...]) -> dict[str, Any]:
    """A line for each command, by default an audit and the whole cross-validation."""
    return {"lines": [called(*words) for words in commands or (AUDIT, CROSSVAL)]}
