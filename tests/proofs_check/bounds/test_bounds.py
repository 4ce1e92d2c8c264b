"""Whole curves under the theorems' bounds, and bounds that are too small."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import exact, upper
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.exact_start import exact_start
from proofs_check.bounds.settings import mild, residual_mixing_sum
from proofs_check.curves import RunSeries
from proofs_check.methods.faulty.methods import MisscaledBSP
from proofs_check.mutants.wrong_bounds import (
    MisreadBound,
    quarter_noise,
    workers_squared,
)
from proofs_check.registry import BOUND_CHECKS
from proofs_check.verdict import Outcome
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems import THEOREMS
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.reached import Reached

EXACT = ("push-sum:push_sum_uniform:", "randomised-gossip:randomised_gossip:consensus, complete")


@pytest.mark.slow
@pytest.mark.parametrize("check", BOUND_CHECKS, ids=lambda check: check.name)
def test_whole_curves_lie_under_their_bounds(check: BoundCheck) -> None:
    """Whether a bound ends below the start, and a rate over a few horizons, is told as it is."""
    result = check.result()
    assert all(verdict.outcome is not Outcome.REFUTED for verdict in result.verdicts)
    held = [verdict for verdict in result.verdicts if verdict.check == "curve under bound"]
    assert held and result.verdicts[0] is held[0]
    for verdict in held:
        assert verdict.outcome is Outcome.SUPPORTED, verdict
        equal = check.name.startswith(EXACT)  # the mean is the bound, up to chance
        assert verdict.tightness is not None and (equal or verdict.tightness <= 1.0)
    (run,) = result.curves
    assert isinstance(run, RunSeries) and run.bound is not None and run.theorem is not None
    for curve in (run.mean, run.low, run.high, run.bound, run.sent_bits, run.received_bits):
        assert np.isfinite(curve).all()
    assert (np.diff(run.sent_bits) >= 0).all() and run.sent_bits[-1] > 0
    assert run.steps[-1] == check.steps
    assert run.theorem.name == result.verdicts[0].theorem == check.theorem.name


def test_every_assertable_theorem_is_held_against_a_run() -> None:
    held = {check.theorem.name for check in BOUND_CHECKS}
    assert held == {theorem.name for theorem in THEOREMS if theorem.confidence.assertable}


def test_names_are_unique() -> None:
    assert len({check.name for check in BOUND_CHECKS}) == len(BOUND_CHECKS)


LESS_NOISE = {
    **dict.fromkeys(
        ("lag", "dgd", "ef21", "ef21-bc", "ef21-p", "ef21-pp", "marina", "dasha", "rand-diana"), 0.0
    ),
    **dict.fromkeys(("linear-scaling", "sqrt-scaling", "legw"), 1 / 8),
    "ri-sgd": 1 / 2,
}
"""Share of the problem's variance: full gradients, eight base batches, two shards a worker."""


def test_constants_are_those_of_method_and_problem() -> None:
    for check in BOUND_CHECKS:
        problem = check.setting()
        c = check.constants(problem)
        stated = problem.constants()
        assert (c.L, c.mu) == (stated.L, stated.mu)
        if check.row == "low-precision-sgd":  # the grid's noise beside the gradients'
            assert c.sigma2 == stated.sigma2 + problem.d * (1 / 8) ** 2 / 4
        elif stated.sigma2 is not None:
            assert c.sigma2 in (stated.sigma2, LESS_NOISE.get(check.row, 1.0) * stated.sigma2)
        assert not c.missing(check.theorem.needs)


def quadratic() -> Quadratic:
    """One curvature, start at the minimiser, gamma = 1/L: the bounds' noise terms are attained."""
    return Quadratic.strongly_convex(4, 16, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)


AROUND_THE_MEAN = (
    "sgp",
    "gossipgrad",
    "ad-psgd",
    "dcd-psgd",
    "saps-psgd",
    "pqasgd",
    "gossip-local-sgd",
)
"""Rows whose virtual iterate is the mean model."""


@pytest.mark.parametrize("row", AROUND_THE_MEAN)
def test_workers_stay_within_the_stated_reach(row: str) -> None:
    """(1/n) sum_i E||x_i - mean||^2 <= (gamma S)^2 G2, and not within a hundredth of that reach."""
    check = next(c for c in BOUND_CHECKS if c.row == row and isinstance(c.theorem, Reached))
    assert isinstance(check.theorem, Reached)
    problem = check.setting()
    c = check.constants(problem)
    step = check.theorem.stepsize(c, check.steps)
    trace = run(check.make(step, problem, check.steps), problem, steps=check.steps, replicas=32)
    most = (step(0) * check.theorem.separation(c).reach) ** 2 * c.need("G2")
    apart = trace.consensus.mean(axis=0)
    assert 1e-4 * most < apart.max() <= most


def test_mixing_that_does_not_keep_the_mean_has_no_reach() -> None:
    with pytest.raises(ValueError, match="must be doubly stochastic"):
        residual_mixing_sum(uneven_exponential(8))
    assert residual_mixing_sum(Complete(4)) == pytest.approx(1.0)
    assert residual_mixing_sum(Ring(8)) == pytest.approx(1 / (1 - Ring(8).constants().need("lam")))
    assert residual_mixing_sum(Dissemination(8)) == pytest.approx(
        3.0
    )  # every product of three is J


PLAIN = BoundCheck(
    "bsp-sgd", "quadratic", bsp_nonconvex, quadratic, lambda s, _p, _t: BSP(s, Identity()), 400
)


def outcome(check: BoundCheck) -> Outcome:
    return check.result().verdicts[0].outcome


@pytest.mark.parametrize("theorem", [bsp_nonconvex, bsp_strongly_convex], ids=lambda t: t.name)
@pytest.mark.parametrize("misread", [quarter_noise, workers_squared])
def test_a_bound_with_a_wrong_constant_is_refuted(theorem, misread) -> None:
    genuine = replace(PLAIN, theorem=theorem).result().verdicts[0]
    assert genuine.outcome is Outcome.SUPPORTED and genuine.tightness > 0.98
    wrong = MisreadBound(theorem, misread)
    assert (wrong.name, wrong.metric) == (theorem.name, theorem.metric)
    assert outcome(replace(PLAIN, theorem=wrong)) is Outcome.REFUTED


def test_gossip_from_further_away_than_stated_is_refuted() -> None:
    chosen = next(c for c in BOUND_CHECKS if c.theorem.metric is Metric.CONSENSUS_POTENTIAL)
    nearer = MisreadBound(
        chosen.theorem, lambda c: c.state(initial_potential=c.need("initial_potential") / 40)
    )
    assert outcome(replace(chosen, theorem=nearer)) is Outcome.REFUTED


def test_a_method_that_breaks_its_theorem_is_refuted() -> None:
    for power in (0.25, 1.0):  # too noisy; unstable
        method = partial(MisscaledBSP, power=power)
        wrong = replace(PLAIN, theorem=bsp_strongly_convex, make=lambda s, _p, _t, m=method: m(s))
        assert outcome(wrong) is Outcome.REFUTED


def test_a_rate_over_horizons_is_decided_and_can_be_refuted() -> None:
    """A stepsize that is free of the horizon ends at one floor, whatever T is."""
    rated = replace(PLAIN, setting=partial(mild, 4, 0.0), rated=True)
    stuck = replace(rated, make=lambda _s, _p, _t: BSP(ConstantStep(0.9), Identity()))
    for check, wanted in ((rated, Outcome.SUPPORTED), (stuck, Outcome.REFUTED)):
        (rate,) = (v for v in check.result().verdicts if v.check == "rate in T")
        assert rate.outcome is wanted, rate


def test_assumptions_that_fail_are_named() -> None:
    local = next(c for c in BOUND_CHECKS if c.theorem.name == "local_sgd")
    verdict = replace(local, states=lambda p: Constants()).result().verdicts[0]
    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert "zeta2" in verdict.evidence


def test_a_tenth_of_the_bound_on_the_least_gradient_is_refuted() -> None:
    chosen = next(c for c in BOUND_CHECKS if c.theorem.metric is Metric.MINIMUM_SQUARED_GRADIENT)
    less = MisreadBound(
        chosen.theorem,
        lambda c: c.state(sigma2=c.need("sigma2") / 10, initial_gap=c.need("initial_gap") / 10),
    )
    assert outcome(replace(chosen, theorem=less)) is Outcome.REFUTED


@pytest.mark.parametrize("factor", [1.0, 1.001, 0.999])
def test_a_start_that_is_stated_as_another_is_refuted(factor: float) -> None:
    c = Constants(L=1.0, mu=0.5, sigma2=1.0, n=4).state(exact("closed form", "x_0"), R2=factor)
    found = exact_start(
        bsp_strongly_convex, c, ConstantStep(0.1), 1.0, subject="bsp-sgd", problem="quadratic"
    )
    wanted = Outcome.AGREES if factor == 1.0 else Outcome.REFUTED
    assert [verdict.outcome for verdict in found] == [wanted]


def test_a_start_that_is_no_more_than_bounded_is_not_compared() -> None:
    step, at = ConstantStep(0.1), {"subject": "bsp-sgd", "problem": "quadratic"}
    c = Constants(L=1.0, mu=0.5, sigma2=1.0, n=4, initial_gap=1.0)
    assert (
        exact_start(bsp_strongly_convex, c.state(upper("a bound"), R2=2.0), step, 1.0, **at) == ()
    )
    assert exact_start(bsp_nonconvex, c, step, 1.0, **at) == ()
