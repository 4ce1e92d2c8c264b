"""Problems without a compiled gradient: loops call Python's, and end as the composed path does."""

from __future__ import annotations

import gc
from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.kernels.row_parts import full_published, published
from algorithms.methods.admm.graph_block import GraphBlock
from algorithms.problems.entries import PROBLEMS
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.module_problem import ModuleProblem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same
from theory.stepsizes import ConstantStep

WITHOUT = {
    e.name: e
    for e in PROBLEMS
    if published(e.build(max(4, e.least_workers))) is None and "cnn" not in e.name
}
ROWS = ("bsp-sgd", "qsgd", "local-sgd", "choco-sgd", "asp", "diana", "subgradient-push", "cmfl")
STEP = ConstantStep(0.02)


class Mine(Quadratic):  # type: ignore[misc]
    """Somebody's own, made of ours: its gradients are those of ours, halved."""

    broken, error = range(0), None

    def gradient(self, x, draws):
        at = type(self).calls = getattr(type(self), "calls", -1) + 1
        found = super().gradient(x, draws) / 2
        if at not in self.broken:
            return found
        if self.error is not None:
            raise self.error
        return found * torch.nan


def mine(n=4, **members):
    """A problem of a class of its own."""
    ours = Quadratic.strongly_convex(n, 5)
    kind = type("MyQuadratic", (Mine,), members)
    return kind(*(getattr(ours, field.name) for field in fields(ours)))


@pytest.mark.parametrize("name", WITHOUT)
@settings(max_examples=4, deadline=None)
@given(key=st.sampled_from(ROWS), n=st.integers(4, 6), dtype=drawn.DTYPES, options=drawn.options)
def test_of_the_catalogue(name, key, n, dtype, options):
    problem = WITHOUT[name].build(max(n, WITHOUT[name].least_workers))
    if not isinstance(problem, ModuleProblem):  # which computes in float64
        problem = drawn.computing_in(problem, dtype)
    method = row(key).recipe.build(STEP, problem, options["steps"])
    taken = assert_same(method, problem, **options)
    assert taken == (options["steps"] if options["replicas"] == 1 else 0)


@pytest.mark.parametrize("key", ROWS)
def test_of_ones_own(key):
    problem = mine()
    method = row(key).recipe.build(STEP, problem, 9)
    assert assert_same(method, problem, steps=9) == 9
    ours = Quadratic(*(getattr(problem, field.name) for field in fields(Quadratic)))
    ends = [run(method, one, steps=9).rows for one in (problem, ours)]
    assert not torch.equal(*ends), "halved gradients end elsewhere"


def test_a_part_of_a_problem_of_ones_own():
    problem = synthetic(4, 5, 3, type("MyL2", (L2,), {})(0.1), batch=2)
    assert assert_same(row("bsp-sgd").recipe.build(STEP, problem, 6), problem, steps=6) == 6


@pytest.mark.parametrize("key", ["bsp-sgd", "local-sgd", "d-psgd", "ssp"])
@pytest.mark.parametrize("error", [None, ValueError("out of samples")], ids=["nan", "raised"])
def test_a_gradient_that_fails(key, error):
    """The step that fails is the method's own: the same words as without blocks."""
    problem = mine(broken=range(3, 100), error=error)
    expected = ArithmeticError if error is None else ValueError
    with pytest.raises(expected) as found:
        run(row(key).recipe.build(STEP, problem, 9), problem, steps=9)
    assert error is None or found.value is error


def test_a_gradient_that_fails_once_is_asked_again():
    """What a call refuses is computed by the method's own step, from the state before."""
    problem = mine(broken=range(3, 4))
    method = row("bsp-sgd").recipe.build(STEP, problem, 9)
    well = run(method, mine(), steps=9)
    assert torch.equal(run(method, problem, steps=9).rows, well.rows)


def test_an_interrupt_is_raised():
    problem = mine(broken=range(3, 4), error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(row("bsp-sgd").recipe.build(STEP, problem, 9), problem, steps=9)


def test_a_gradient_that_only_a_local_solve_calls_back_lives_as_long_as_its_block(monkeypatch):
    """The stochastic gradient is compiled, the full one is Python's, and nobody else holds it."""
    problem = next(e for e in PROBLEMS if e.name == "simplex-signs").build(4)
    assert published(problem) is not None and full_published(problem) is None
    method, plain = row("d-admm").build(problem, 3), GraphBlock.run

    def later(self, arrays, steps):
        gc.collect()
        return plain(self, arrays, steps) if any(one.keeps for one in self.sources) else -1

    monkeypatch.setattr(GraphBlock, "run", later)
    blocks, own = (run(method, problem, steps=3, replicas=1, late=late) for late in (False, True))
    assert torch.equal(blocks.model, own.model)
