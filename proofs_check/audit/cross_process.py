"""The same outcome in another process? Python's hash of words differs from process to process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from proofs_check.audit.loading import imported
from proofs_check.audit.randomness import undisturbed
from proofs_check.audit.runner import Runner
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import ordinary
from proofs_check.audit.verdicts import Reporter
from proofs_check.verdict import Outcome, Verdict

_HASH_SEEDS = ("1", "2")
_SEEDS = (1, 2, 3)
_PATIENCE = 120.0


def check_elsewhere(name: str, dims: Sequence[int], repeats: bool, matrix: bool = False) -> Verdict:
    """Outcomes of MODULE:ATTRIBUTE in two fresh processes whose hashes of words differ.

    ``repeats``: the global seeds fix its outcomes at all.
    """
    speaker = Reporter(name, f"PYTHONHASHSEED {' and '.join(_HASH_SEEDS)}, seeds {_SEEDS}")
    claim, check = "the same seeds bring the same outcome in another process", "processes"
    if not repeats:
        told = "the seeds do not fix its outcome in one process"
        return speaker.says(claim, check, Outcome.NOT_APPLICABLE, told)
    with TemporaryDirectory(prefix="rateproof-") as folder:
        runs = [_start(name, dims, matrix, seed, Path(folder)) for seed in _HASH_SEEDS]
        codes = [run.wait(_PATIENCE) for run in runs]
        if any(codes):
            told = "it could not be imported in a fresh process"
            return speaker.says(claim, check, Outcome.NOT_APPLICABLE, told)
        one, other = (json.loads((Path(folder) / seed).read_text()) for seed in _HASH_SEEDS)
    for d, here, there in zip(dims, one, other, strict=True):
        if here != there:
            told = f"d = {d}: the outcome changes with Python's hash of words (PYTHONHASHSEED)"
            return speaker.holds(claim, check, False, told)
    return speaker.holds(claim, check, True, f"equal, d = {', '.join(map(str, dims))}")


def _start(
    name: str, dims: Sequence[int], matrix: bool, hash_seed: str, folder: Path
) -> subprocess.Popen[bytes]:
    words = json.dumps([name, list(dims), matrix, sys.path, str(folder / hash_seed)])
    return subprocess.Popen(
        [sys.executable, "-m", __name__, words],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def outcomes_of(name: str, dims: Sequence[int], matrix: bool) -> list[str]:
    """Outcomes at a gaussian vector of each dimension, as text."""
    subject = subject_of(name, imported(name), matrix)
    found = []
    for d in dims:
        bench = Runner(subject, torch.float32)
        values = []
        for seed in _SEEDS:
            bench.renew()
            values.append(bench(ordinary(d), seed).tolist())
        found.append(repr(values))
    return found


def _main(words: str) -> None:
    name, dims, matrix, path, out = json.loads(words)
    sys.path.extend(entry for entry in path if entry not in sys.path)
    with undisturbed():
        told = outcomes_of(name, dims, matrix)
    Path(out).write_text(json.dumps(told))


if __name__ == "__main__":
    _main(sys.argv[1])
