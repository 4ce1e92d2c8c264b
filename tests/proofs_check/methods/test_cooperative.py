"""Cooperative SGD, CoCoD-SGD, codes: special cases, replays, both worlds, refusals."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.coded_regression import CodedRegression, GradientCoding
from algorithms.methods.cooperative.cooperative import Central, Cooperative, averaging, elastic
from algorithms.methods.parts.cyclic_code import CyclicCode
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.evidence.cooperative.closed_forms_redundancy import least_squares
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.1)
ROWS = ("easgd", "cooperative-sgd", "cocod-sgd", "ri-sgd")


def built(make: str) -> tuple[Method[Any], Problem]:
    """What the two worlds both make."""
    methods: dict[str, Method[Any]] = {
        "central": Cooperative(STEP, elastic(4, 0.1), 2),
        "regression": CodedRegression(Exponential((1.0, 2.0, 0.5, 1.5)), 1),
    }
    return methods[make], least_squares(4) if make == "regression" else problem("quadratic-sc", 4)


@pytest.mark.parametrize(("n", "spare"), [(1, 0), (4, 1), (5, 2), (8, 3), (9, 8)])
def test_any_arrivals_decode(n: int, spare: int) -> None:
    code = CyclicCode(n, spare)
    support = np.array([[(j - i) % n <= spare for j in range(n)] for i in range(n)])
    assert not code.matrix[~support].any()
    subset = torch.tensor(list(combinations(range(n), n - spare)))
    a = code.decoding(subset, torch.zeros((), dtype=torch.float64))[..., 0]
    ones = torch.einsum("sk,skn->sn", a, torch.from_numpy(code.matrix)[subset])
    torch.testing.assert_close(ones, torch.ones_like(ones), rtol=0, atol=1e-9)


@pytest.mark.sharded
def test_both_worlds_agree() -> None:
    cases = tuple(Case(kind, built, (kind,), steps=6) for kind in ("central", "regression"))
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome is Outcome.AGREES, verdict


@pytest.mark.parametrize("key", ROWS)
@pytest.mark.parametrize("name", ["quadratic-sc", "nonconvex-digits-dirichlet"])
def test_rows_make_progress(key: str, name: str) -> None:
    made = problem(name, 4)
    trace = run(row(key).build(made, 150), made, steps=150, points=2, replicas=2)
    start, end = made.value(made.start()), made.value(trace.model).max()
    assert end < start


def test_mixing_states_its_constants() -> None:
    quadratic = Quadratic.strongly_convex(4, 6)
    stated = Cooperative(STEP, averaging(4), 3).constants(quadratic)
    assert (stated.H, stated.symmetric) == (3, True)
    assert stated.lam == pytest.approx(0, abs=1e-15)
    assert Cooperative(STEP, elastic(4, 0.1), 3).constants(quadratic).H is None


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="columns of weights must sum to 1, got"):
        Central(((1.0, 0.0), (0.0, 0.5)), 2)
    with pytest.raises(ValueError, match="square"):
        Central(((1.0, 0.0),), 1)
    with pytest.raises(ValueError, match="period=0"):
        CoCoD(STEP, 0)
    with pytest.raises(ValueError, match="spare=4"):
        CyclicCode(4, 4)
    with pytest.raises(ValueError, match="arrivals of 3 of 4"):
        CyclicCode(4, 1).decoding(torch.tensor([0, 2, 4]), torch.zeros(()))
    with pytest.raises(ValueError, match="the network has n=4"):
        run(Cooperative(STEP, averaging(3)), Quadratic.strongly_convex(4, 6), steps=1)
    with pytest.raises(ValueError, match="affine"):
        run(CodedRegression(Exponential()), problem("logreg-breast-cancer", 4), steps=1)
    flat = Quadratic.pl(4, 6, rank=3)
    with pytest.raises(ValueError, match="must be invertible"):
        run(CodedRegression(Exponential()), flat, steps=1)
    with pytest.raises(ValueError, match="spare=4"):
        run(GradientCoding(STEP, 2, Exponential(), 4), Quadratic.strongly_convex(4, 6), steps=1)


@pytest.mark.parametrize(("delay", "seconds"), [(3.0, [8, 16]), (5.0, [10, 20])])
def test_messages_of_cocod_travel_while_workers_compute(delay: float, seconds: list[int]) -> None:
    """Gradients of 1 s, eight a period; up and down take twice the delay, longer only if > 4 s."""
    timing = Timing(Constant(1.0), AlphaBeta(delay, 0.0))
    trace = run(CoCoD(STEP, 8), problem("quadratic-sc", 4), steps=16, points=17, timing=timing)
    assert trace.seconds[0, [8, 16]].tolist() == seconds
