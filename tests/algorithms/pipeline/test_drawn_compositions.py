"""Drawn compositions in compiled blocks equal the composed path bit for bit."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from algorithms.catalogue import OPERATORS
from algorithms.compressors.identity import Identity
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2, BoundedNonconvex
from theory.stepsizes import ConstantStep, InverseTimeStep

OPERATORS_WITH_KERNELS = [Identity()] + [
    c for c in OPERATORS.values() if "row_kernel" in type(c).__dict__
]

problems = st.builds(
    lambda n, samples, d, batch, regulariser, dtype: synthetic(
        n, samples, d, regulariser, batch=batch, dtype=dtype
    ),
    st.integers(1, 6), st.integers(1, 9), st.integers(1, 70), st.integers(0, 19),
    st.sampled_from([L2(0.01), BoundedNonconvex(0.1)]),
    st.sampled_from([torch.float32, torch.float64]),
)  # fmt: skip
steps = st.sampled_from([ConstantStep(0.3), InverseTimeStep(2.0, 3.0)])
options = st.fixed_dictionaries({
    "steps": st.just(11), "points": st.just(4), "replicas": st.integers(1, 3),
    "seed": st.integers(0, 9), "every": st.sampled_from([0, 1, 3]),
    "weight": st.sampled_from([None, lambda t: t + 1.5]),
})  # fmt: skip
