"""The same outcome in another process? Python's hash of words differs from process to process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from proofs_check.audit.loading import imported
from proofs_check.audit.randomness import undisturbed
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.runner import Runner
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import ordinary
from proofs_check.verdict import Outcome, Verdict

_HASH_SEEDS = ("1", "2")
"""Of the other process: the first that is not this one's."""
_SEEDS = (1, 2, 3)
PATIENCE = 120.0  # [s]
"""How long another process may take beyond this one; on a busy machine it is slow."""


def check_in_other_process(
    name: str, dims: Sequence[int], repeats: bool, matrix: bool = False
) -> Verdict:
    """Outcomes of MODULE:ATTRIBUTE here and in a fresh process, whose hash of words is another.

    ``repeats``: the global seeds fix its outcomes at all.
    """
    mine = os.environ.get("PYTHONHASHSEED")
    other_seed = next(seed for seed in _HASH_SEEDS if seed != mine)
    speaker = Reporter(name, f"PYTHONHASHSEED {mine or 'random'} and {other_seed}, seeds {_SEEDS}")
    claim, check = "the same seeds bring the same outcome in another process", "processes"
    if not repeats:
        description = "the seeds do not fix its outcome in one process"
        return speaker.says(claim, check, Outcome.NOT_APPLICABLE, description)
    with TemporaryDirectory(prefix="rateproof-") as folder:
        out = Path(folder) / "outcomes"
        with _started(name, dims, matrix, other_seed, out) as run:
            with undisturbed():
                one = outcomes_of(name, dims, matrix)
            try:
                failed = run.wait(PATIENCE) != 0
                missing = "it could not be imported in a fresh process" if failed else ""
            except subprocess.TimeoutExpired:
                missing = f"a fresh process had no outcome after {PATIENCE:g} s"
        if missing:
            return speaker.says(claim, check, Outcome.NOT_APPLICABLE, missing)
        other = json.loads(out.read_text())
    for d, here, there in zip(dims, one, other, strict=True):
        if here != there:
            description = (
                f"d = {d}: the outcome changes with Python's hash of words (PYTHONHASHSEED)"
            )
            return speaker.holds(claim, check, False, description)
    return speaker.holds(claim, check, True, f"equal, d = {', '.join(map(str, dims))}")


@contextmanager
def _started(
    name: str, dims: Sequence[int], matrix: bool, hash_seed: str, out: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """The other process, gone at the end."""
    words = json.dumps([name, list(dims), matrix, sys.path, str(out)])
    with subprocess.Popen(
        [sys.executable, "-m", __name__, words],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as run:
        try:
            yield run
        finally:
            run.kill()


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
        description = outcomes_of(name, dims, matrix)
    Path(out).write_text(json.dumps(description))


if __name__ == "__main__":
    _main(sys.argv[1])
