"""Strategies: what runs in compiled blocks are drawn from."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import strategies as st

from algorithms.catalogue import OPERATORS
from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels.row_parts import published
from algorithms.problems.base import Problem
from algorithms.problems.entries import PROBLEMS
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2, BoundedNonconvex
from theory.stepsizes import ConstantStep, InverseTimeStep

DTYPES = st.sampled_from([torch.float32, torch.float64])


def computing_in(problem: Problem, dtype: torch.dtype) -> Problem:
    """The problem in another type; as it is where rounded data break what it asks of them."""
    try:
        return problem.computing_in(dtype)
    except ValueError:
        return problem


small_logistic = st.builds(
    lambda n, samples, d, batch, regulariser, dtype: synthetic(
        n, samples, d, regulariser, batch=batch, dtype=dtype
    ),
    st.integers(1, 6), st.integers(1, 9), st.integers(1, 70), st.integers(1, 19),
    st.sampled_from([L2(0.01), BoundedNonconvex(0.1)]), DTYPES,
)  # fmt: skip
"""Small problems, of which some have one worker, one sample or one coordinate."""

catalogued = st.builds(
    lambda entry, n, dtype: computing_in(entry.build(max(n, entry.least_workers)), dtype),
    st.sampled_from([entry for entry in PROBLEMS if published(entry.build(4)) is not None]),
    st.integers(1, 5), DTYPES,
)  # fmt: skip
"""Problems of the catalogue that publish a compiled gradient."""

problems = st.one_of(small_logistic, catalogued)

stepsizes = st.sampled_from([ConstantStep(0.05), InverseTimeStep(2.0, 30.0)])

options = st.fixed_dictionaries(
    {
        "steps": st.integers(1, 12), "points": st.integers(2, 5), "replicas": st.integers(1, 3),
        "seed": st.integers(0, 9), "every": st.sampled_from([0, 0, 1, 3]),
        "weight": st.sampled_from([None, None, lambda t: t + 1.5]),
    }
)  # fmt: skip


def operators_for(d: int, dtype: torch.dtype) -> list[Compressor]:
    """The catalogue's operators that publish a compiled function for rows of d numbers."""
    return [Identity(), *(one for one in OPERATORS.values() if _fits(one, d, dtype))]


def _fits(operator: Compressor, d: int, dtype: torch.dtype) -> bool:
    try:
        kernel: Any = published(operator, d, dtype)
    except ValueError:  # too few coordinates for it
        return False
    return kernel is not None
