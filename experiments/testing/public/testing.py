"""``rateproof.testing``: for a project's own test suite (docs/testing.md).

Strategies of Hypothesis: :func:`problems`, :func:`mixing_matrices`, :func:`schedules`,
:func:`edge_vectors`, :func:`compressors`. Checks that raise AssertionError with the counterexample
in words: :func:`check_theorem`, :func:`check_compressor`, :func:`check_topology`,
:func:`check_method`. Needs the extra ``rateproof[testing]``.
"""

from __future__ import annotations

from experiments.testing.checks import (
    check_compressor,
    check_method,
    check_theorem,
    check_topology,
)
from experiments.testing.strategies import (
    CompressorFunction,
    compressors,
    edge_vectors,
    mixing_matrices,
    problems,
    schedules,
)

__all__ = [
    "CompressorFunction", "check_compressor", "check_method", "check_theorem", "check_topology",
    "compressors", "edge_vectors", "mixing_matrices", "problems", "schedules",
]  # fmt: skip
