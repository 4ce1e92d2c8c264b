"""Where numba is missing all runs give the same numbers, and it is said once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.algorithms.without_numba import runs

HOUSE = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.processes
def test_every_row_takes_the_same_steps_where_numba_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "ended.pt"
    words = (sys.executable, "-m", "tests.algorithms.without_numba", str(file))
    subprocess.run(words, cwd=HOUSE, env={**os.environ, "PYTHONPATH": str(HOUSE)}, check=True)
    ended, told = torch.load(file, weights_only=True)
    (said,) = told
    assert "kernels are not compiled, since numba cannot be imported" in said
    compiled = runs()
    assert set(ended) == set(compiled) and len(ended) > 120
    for key, (rows, bits) in compiled.items():
        assert torch.equal(ended[key][1], bits), key
        off = (ended[key][0] - rows).abs().max()
        assert off <= 1e-9 * rows.abs().max() + 1e-12, key  # some are at 0 but for rounding
