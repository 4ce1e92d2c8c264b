"""Sweeps: the variable is what theorems mean by it, exponents are those of closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from algorithms.catalogue import problem, row
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import MANY_SAMPLES
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.sweep import Sweep, sweep, sweep_verdict
from proofs_check.methods.sweep_orders import power_of
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.lag_nonconvex import lag_nonconvex

STEP = ConstantStep(0.2)


def _noise_only(n: int) -> Problem:
    """Curvature 1 everywhere, at the minimiser: after T steps E||x||^2 is g^2 sigma2 d / n times a
    number of T and g alone."""
    return Quadratic.strongly_convex(n, 4, mu=1.0, sigma2=1.0, R2=1e-30)


def _swept(key: str, build: Callable[[int], Problem], variable: str, **options: object) -> Sweep:
    return sweep(row(key), build, variable, steps=40, replicas=64, seed=1, step=STEP, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("variable", "exponent"), [("n", -1.0), ("batch", -1.0)])
def test_exponents_of_averaging_are_those_of_the_closed_form(variable: str, exponent: float):
    found = _swept("bsp-sgd", _noise_only, variable, n=4)
    verdict = sweep_verdict(row("bsp-sgd"), found, "made", alpha=1e-6)
    assert verdict.statistic is not None and verdict.uncertainty is not None
    assert abs(verdict.statistic - exponent) <= verdict.uncertainty < 0.5


def test_a_sweep_of_the_period_sets_it():
    found = _swept("local-sgd", lambda n: problem("quadratic-unequal", n), "H", n=4)
    assert found.x.tolist() == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert found.samples.shape == (64, 6)


def test_the_value_of_delta_is_the_operators_own():
    found = _swept(
        "top-k", lambda n: problem("quadratic-sc", n), "delta", n=4, values=(0.1, 0.25, 0.5)
    )
    assert found.x.tolist() == [0.1, 0.25, 0.5]


def test_graphs_move_the_gap_of_the_method():
    found = _swept("d-psgd", lambda n: problem("quadratic-unequal", n), "gap", n=16)
    assert len(found.x) >= 8 and found.x[-1] == pytest.approx(1.0), "the complete graph"
    ring = 1 - (1 + 2 * 0.9238795325112867) / 3  # 1 - (1 + 2 cos(2 pi / 16)) / 3
    assert any(abs(x - ring) < 1e-12 for x in found.x)


def _held_to(power: int, bounds: Callable[[Sweep], object]) -> Outcome:
    """The outcome of a tight order in n that is held against a sweep of noise alone."""
    found = _swept("bsp-sgd", _noise_only, "n", n=4)
    real = row("bsp-sgd").theorems[0]
    order = SimpleNamespace(exponents={"n": power})
    made = SimpleNamespace(
        name="made", tight=True, confidence=real.confidence, order=order, needs=real.needs
    )
    against = found._replace(theorem=made, bounds=bounds(found))  # type: ignore[arg-type]
    return sweep_verdict(row("bsp-sgd"), against, "made").outcome


def test_a_wrong_order_is_refuted_and_a_right_one_supported():
    right, wrong = _held_to(-1, lambda _: None), _held_to(-2, lambda _: None)
    assert right in (Outcome.SUPPORTED, Outcome.COMPARED)
    assert wrong is Outcome.REFUTED


def test_a_bound_of_the_wrong_order_is_no_excuse():
    """One that falls as its order says does not hide that the error does not; one that does not
    fall so over these points does: its leading term does not rule there."""
    assert _held_to(-2, lambda found: found.x**-2) is Outcome.REFUTED
    assert _held_to(-2, lambda found: found.x**-1) is Outcome.COMPARED


def test_what_moves_with_the_workers_is_named_and_refutes_nothing():
    """Every worker brings its own Hessian: the mean's least eigenvalue rises with n, and the error
    falls faster than 1/n. That is no fault of a theorem that has mu fixed."""
    found = sweep(row("bsp-sgd"), lambda n: problem("quadratic-unequal", n), "n", steps=400)
    verdict = sweep_verdict(row("bsp-sgd"), found, "made", alpha=1e-3)
    assert verdict.statistic is not None and verdict.statistic < -1.5
    assert verdict.outcome is Outcome.COMPARED and "mu" in verdict.evidence
    assert "move with n" in verdict.evidence


@pytest.mark.parametrize(
    ("theorem", "power"),
    [(bsp_strongly_convex_decreasing, -1.0), (bsp_nonconvex, -0.5), (lag_nonconvex, None)],
)
def test_the_order_in_the_batch_is_that_of_the_noise(theorem: Theorem, power: float | None):
    """4 sigma2 / (mu^2 n T), sqrt(L Delta sigma2 / (n T)); LAG's gradients are exact."""
    assert power_of(theorem, "batch", theorem.example) == power


def test_noise_that_batches_do_not_lessen_has_no_power_of_them():
    """(1 + omega) sigma2 + omega zeta2: with zeta2 = 0 it is the batch's, else of no power."""
    c = compressed_bsp_nonconvex.example
    alike = c.state(zeta2=0.0)
    assert power_of(compressed_bsp_nonconvex, "batch", alike) == -0.5
    assert power_of(compressed_bsp_nonconvex, "batch", c.state(zeta2=3 * c.need("sigma2"))) is None


def test_the_batch_is_held_to_the_theorem_where_samples_are_many():
    found = sweep(row("bsp-sgd"), lambda n: problem(MANY_SAMPLES, n), "batch", steps=400)
    verdict = sweep_verdict(row("bsp-sgd"), found, MANY_SAMPLES, alpha=1e-3)
    assert verdict.outcome is Outcome.SUPPORTED and verdict.bound == -1
    wrong = found._replace(samples=found.samples**0.7)
    assert sweep_verdict(row("bsp-sgd"), wrong, MANY_SAMPLES).outcome is Outcome.REFUTED


def test_where_no_order_is_stated_the_bound_at_the_points_is_set_beside() -> None:
    """D-PSGD states none in the gap; its bound has one, and is compared with alone: an error that
    falls otherwise below it breaks nothing. The graph that no theorem tunes is left out."""
    found = sweep(
        row("d-psgd"), lambda n: problem("quadratic-sc-iid", n), "gap", n=8, steps=400, replicas=8
    )
    assert found.theorem is not None and found.bounds is not None
    assert len(found.x) == 11
    assert "2 left out (d_psgd_variance does not tune it)" in found.description
    verdict = sweep_verdict(row("d-psgd"), found, "made", alpha=1e-3)
    own = np.polyfit(np.log(found.x), np.log(found.bounds), 1)[0]
    assert verdict.bound == pytest.approx(own, rel=1e-3)
    assert verdict.outcome is Outcome.COMPARED and "no order in gap is stated" in verdict.evidence
    flat = sweep_verdict(row("d-psgd"), found._replace(bounds=0 * found.x + 2.0), "made")
    assert flat.bound == 0 and "does not depend" in flat.evidence
    none = sweep_verdict(row("d-psgd"), found._replace(theorem=None, bounds=None), "made")
    assert none.outcome is Outcome.NOT_APPLICABLE


def test_an_order_that_nothing_is_held_to_says_why() -> None:
    found = _swept("local-sgd", lambda n: problem("quadratic-unequal", n), "n", n=4)
    verdict = sweep_verdict(row("local-sgd"), found, "made", alpha=1e-3)
    assert verdict.outcome is Outcome.COMPARED and "stepsizes of its own" in verdict.evidence


def test_a_bound_without_noise_has_no_order_in_the_batch() -> None:
    """CR-PSGD's example has a bound of zero at a long horizon: no ratio of it is taken."""
    exact = next(one for one in row("cr-psgd").results if one.name == "cr_psgd")
    assert isinstance(exact, Theorem) and power_of(exact, "batch", exact.example) is None


def test_a_ladder_of_workers_keeps_to_what_the_data_can_be_split_among() -> None:
    found = _swept("bsp-sgd", lambda n: problem("least-squares-rising", n), "n")
    assert found.x.tolist() == [2.0, 4.0, 8.0, 16.0, 32.0]
    with pytest.raises(ValueError, match=r"n must be in \[1, 50\], got n=64"):
        _swept("bsp-sgd", lambda n: problem("least-squares-rising", n), "n", values=(2, 4, 64))


def test_means_that_do_not_exist_are_named() -> None:
    found = _swept("local-clipping", lambda n: problem("quadratic-heavy-tailed", n), "T", n=4)
    assert "errors have no mean" in found.description


BELONGS = {
    "T": ("bsp-sgd", "qsgd", "d-psgd", "top-k", "asp"),
    "n": ("bsp-sgd", "qsgd", "local-sgd", "d-psgd", "asp", "powersgd"),
    "H": ("local-sgd", "easgd", "cmfl", "cocod-sgd", "dcs", "qsparse-local-sgd"),
    "gap": ("d-psgd", "choco-sgd", "ad-psgd", "dgd", "gossip-local-sgd"),
    "delta": ("top-k", "choco-sgd", "gmc", "stc", "error-feedback"),
    "omega": ("qsgd", "random-k", "natural-dithering", "dorefa", "random-mask"),
    "tau": ("ssp", "essp", "asp", "dc-asgd", "async-admm", "delayed-proximal"),
    "batch": ("bsp-sgd", "local-sgd", "d-psgd", "top-k", "asp"),
}


@pytest.mark.parametrize(
    ("variable", "key"), [(name, key) for name, keys in BELONGS.items() for key in keys]
)
def test_every_variable_moves_on_rows_to_which_it_belongs(variable: str, key: str):
    """Three values at least, and an error that is finite at each."""
    options = {"values": (4, 8, 16)} if variable == "T" else {}
    steps = 120 if variable == "tau" else 16  # of one arrival each, where staleness is counted
    found = sweep(
        row(key), lambda n: problem("quadratic-unequal", n), variable, n=8, steps=steps,
        replicas=2,
        **options,  # type: ignore[arg-type]
    )  # fmt: skip
    assert len(found.x) >= 3 and (np.diff(found.x) > 0).all() and np.isfinite(found.samples).all()


def test_bounds_of_staleness_stand_where_nobody_waited():
    """ASP under SSP(s) is SSP(s), whose server takes 1/n of each gradient: equal staleness, and
    equal errors at an n-th of the stepsize."""
    ends = [
        sweep(row(key), lambda n: problem("quadratic-sc", n), "tau", n=8, steps=50, replicas=4,
              step=ConstantStep(gamma)) for key, gamma in (("asp", 0.025), ("ssp", 0.2))
    ]  # fmt: skip
    assert ends[0].x.tolist() == ends[1].x.tolist()
    assert np.allclose(ends[0].samples, ends[1].samples, rtol=1e-9)


def test_of_two_operators_it_is_the_workers_that_moves():
    found = _swept("stc", lambda n: problem("quadratic-sc", n), "delta", n=4)
    assert len(found.x) == 5


@pytest.mark.parametrize(
    ("key", "variable", "message"),
    [
        ("bsp-sgd", "H", "has no parameter that moves H"),
        ("bsp-sgd", "gap", "has no mixing matrix"),
        ("qsgd", "tau", "has no parameter that moves tau"),
    ],
)
def test_a_row_without_the_variable_is_refused(key: str, variable: str, message: str):
    with pytest.raises(ValueError, match=message):
        _swept(key, lambda n: problem("quadratic-sc", n), variable, n=4)


def test_too_few_points_are_refused():
    with pytest.raises(ValueError, match="has 2 points in n, a rate needs 3"):
        _swept("bsp-sgd", _noise_only, "n", values=(2, 4))


def test_unequal_hessians_make_the_period_matter():
    """With one Hessian for all, the mean model of local SGD does not depend on H at all."""
    same = _swept("local-sgd", lambda n: replace(_noise_only(n), name="made"), "H", n=4)
    differ = _swept("local-sgd", lambda n: problem("quadratic-unequal", n), "H", n=4)
    ends = [float(found.samples.mean(0)[-1] / found.samples.mean(0)[0]) for found in (same, differ)]
    assert ends[0] == pytest.approx(1.0, rel=1e-9) and ends[1] > 1.5
