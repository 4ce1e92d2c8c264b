"""What a run's verdicts rest on, and that they can fail."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from algorithms.catalogue import METHODS, Recipe, Row, problem, row
from algorithms.catalogue.downlink import each_round
from algorithms.compressors.qsgd import QSGD
from algorithms.engine.run import run
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import FixedPeriod
from algorithms.tuning.grid import Best, method_name
from proofs_check.curves import RunSeries
from proofs_check.methods.equal_bits import error_at_budget
from proofs_check.methods.received import received_traffic
from proofs_check.methods.runs import run_row
from proofs_check.methods.tuned_run import VACUOUS, tuned_run
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems.bsp_nonconvex import BspNonconvex, bsp_nonconvex


def outcomes(result):
    return {v.check: v.outcome for v in result.verdicts}


def test_bsp_on_a_quadratic_is_under_its_bound_with_its_bits():
    result = run_row(row("bsp-sgd"), problem("quadratic-sc", 4), steps=200, replicas=32, seed=3)
    assert outcomes(result) == {
        "progress": Outcome.SUPPORTED,
        "bits": Outcome.AGREES,
        "bits received": Outcome.AGREES,
        "curve under bound": Outcome.SUPPORTED,
        "bound at the end": Outcome.SUPPORTED,
        "rate in T": Outcome.SUPPORTED,
    }
    (run,) = result.curves
    assert isinstance(run, RunSeries) and np.isfinite(run.mean).all()
    held = next(v for v in result.verdicts if v.check == "curve under bound")
    assert run.theorem is not None and held.theorem == run.theorem.name
    assert run.bound is not None
    assert np.isnan(run.bound[0]) and np.isfinite(run.bound[1:]).all()
    assert held.tightness is not None
    assert 0.5 < np.nanmax(run.mean / run.bound) <= held.tightness * (1 + 1e-12)


@dataclass(frozen=True)
class QuarterNoise(BspNonconvex):
    """A planted fault: the bound forgets most of its noise, at a stepsize where noise rules."""

    def stepsize(self, c, horizon):
        return ConstantStep(0.5 / c.L)

    def bound(self, c, step, times):
        return bsp_nonconvex.bound(c.state(sigma2=c.sigma2 / 100), step, times)


def test_a_bound_that_forgets_noise_is_refuted():
    planted = Recipe(lambda step, _p, _t: BSP(step), (QuarterNoise(),))
    loud = Quadratic.strongly_convex(4, 6, sigma2=100.0, R2=1e-4)
    result = run_row(Row("bsp-sgd", "", "", "", planted), loud, steps=300, replicas=32, seed=3,
                     rates=False)  # fmt: skip
    assert outcomes(result)["curve under bound"] is Outcome.REFUTED


@dataclass(frozen=True)
class Undercounted(QSGD):
    def stated_bits(self, d, float_bits):
        return super().stated_bits(d, float_bits) - 1


def test_a_wrong_length_is_refuted():
    operator = Undercounted(2)
    planted = Recipe(lambda step, _p, _t: BSP(step, operator), (), operator)
    result = run_row(
        Row("qsgd", "", "", "", planted), problem("quadratic-sc", 4), steps=20, replicas=4, seed=3
    )
    assert outcomes(result)["bits"] is Outcome.REFUTED
    assert outcomes(result)["curve under bound"] is Outcome.NOT_APPLICABLE


def test_the_bill_of_a_method_that_sends_nothing_proves_nothing():
    parts = Recipe(lambda step, problem, steps: LocalSGD(step, FixedPeriod(1000)), ())
    alone = Row("alone", "none", "workers that never meet", "nobody", parts)
    result = run_row(alone, problem("quadratic-sc", 4), steps=30, replicas=2, seed=0, rates=False)
    bills = [verdict for verdict in result.verdicts if verdict.check.startswith("bits")]
    assert [bill.outcome for bill in bills] == [Outcome.NOT_APPLICABLE] * 2
    assert bills[0].evidence == "no message was sent"


@pytest.mark.parametrize("key", [r.key for r in METHODS])
def test_what_workers_hear_is_in_every_rows_closed_form(key):
    """Every message and every bit; two rows whose server's messages vary in length have a bound."""
    built = problem(row(key).problems[0], 4)
    method = row(key).build(built, 24)
    trace = run(method, built, steps=24, replicas=2, points=2)
    bill = received_traffic(row(key), built, method, trace, "")
    bounded = key in ("stc", "adaptive-k")
    assert bill.outcome is (Outcome.COMPARED if bounded else Outcome.AGREES), bill.evidence


def incoming(**downlink):
    """The bill of CMFL's workers, who hear from the server also when they are silent."""
    parts = Recipe(lambda step, _p, _t: CMFL(step, 8), (), **downlink)
    own = Row("mine", "", "", "", parts)
    built = problem("quadratic-sc", 4)
    method = own.build(built, 56)
    trace = run(method, built, steps=56, replicas=2, points=2)
    assert int(trace.account.sent_messages.sum()) < 56 // 8 * 4 * 2
    return received_traffic(own, built, method, trace, "").outcome


def test_more_than_an_answer_to_each_message_is_compared_until_the_row_says_how_much():
    assert incoming() is Outcome.COMPARED
    assert incoming(downlink=each_round(8)) is Outcome.AGREES
    assert incoming(downlink=each_round()) is Outcome.REFUTED


def test_a_bound_that_is_more_than_messages_of_one_length_is_refuted():
    assert incoming(downlink=each_round(8, exact=False)) is Outcome.COMPARED
    doubled = each_round(8, lambda problem, bits: 2.0 * problem.d * bits, exact=False)
    assert incoming(downlink=doubled) is Outcome.REFUTED


def test_divergence_and_stalling_are_refuted():
    wild = Recipe(lambda _s, _p, _t: BSP(ConstantStep(1e30)), ())
    result = run_row(
        Row("bsp-sgd", "", "", "", wild), problem("quadratic-sc", 4), steps=100, replicas=4, seed=3
    )
    assert outcomes(result) == {"progress": Outcome.REFUTED}
    growing = Recipe(lambda _s, _p, _t: BSP(ConstantStep(2.5)), ())
    result = run_row(
        Row("bsp-sgd", "", "", "", growing), problem("quadratic-sc", 4), steps=20, replicas=8,
        seed=3,
    )  # fmt: skip
    assert outcomes(result)["progress"] is Outcome.REFUTED


def test_reasons_name_what_is_missing():
    result = run_row(row("bsp-sgd"), problem("mlp-digits", 2), steps=3, replicas=2, seed=3)
    told = next(v.evidence for v in result.verdicts if v.check == "curve under bound")
    assert "bsp_nonconvex: needs L, sigma2" in told
    flat = replace(problem("quadratic-convex", 4), name="flat")
    result = run_row(row("local-sgd"), flat, steps=3, replicas=2, seed=3)
    told = next(v.evidence for v in result.verdicts if v.check == "curve under bound")
    assert "zeta2 = 0" in told


@pytest.mark.parametrize("key", ["choco-gossip"])
def test_gossip_falls_together(key):
    result = run_row(row(key), problem("consensus", 8), steps=400, replicas=8, seed=3)
    assert outcomes(result)["progress"] is Outcome.SUPPORTED


def _found(key, power, objective):
    """What a grid's search leaves, at a stepsize of 2^power / L."""
    return Best(method_name(row(key), objective), power, {}, 0.0, 10)


def test_a_theorems_run_has_the_practitioners_beside_it():
    """The same quantity at the grid's stepsize, and no bound: the theorem speaks of its own run."""
    objective = problem("quadratic-sc", 4)
    best = _found("bsp-sgd", -2, objective)
    given = {"steps": 100, "replicas": 8, "seed": 3, "rates": False}
    (series,) = run_row(row("bsp-sgd"), objective, best=best, **given).curves
    (alone,) = run_row(row("bsp-sgd"), objective, **given).curves
    np.testing.assert_array_equal(series.mean, alone.mean)
    assert alone.beside is None and series.bound is not None and series.beside.bound is None
    own = run(BSP(ConstantStep(0.25 / objective.constants().L)), objective, steps=100, seed=3,
              replicas=8)  # fmt: skip
    assert series.quantity == series.beside.quantity == Metric.SQUARED_DISTANCE.value
    assert series.beside.mean[-1] == pytest.approx(own.squared_distance[:, -1].mean(), rel=1e-12)
    assert series.tuning == "its theorem" and series.beside.tuning.startswith("best of 10 places")


def test_where_no_theorem_tunes_the_grid_does():
    objective = problem("quadratic-sc", 4)
    best = _found("asp", -4, objective)
    found = run_row(row("asp"), objective, steps=60, replicas=4, seed=3, best=best)
    (series,) = found.curves
    step = ConstantStep(2.0**-4 / objective.constants().L_max)
    own = run(row("asp").tune(objective, 60, step).method, objective, steps=60, seed=3, replicas=4)
    assert series.mean[-1] == pytest.approx(own.suboptimality[:, -1].mean(), rel=1e-12)
    assert series.beside is None and series.tuning == "best of 10 places of a grid"
    of_run = [one for one in found.verdicts if one.check != "rate in T"]  # by the order's stepsizes
    assert all("best of 10 places" in one.provenance for one in of_run)


@pytest.mark.parametrize(("key", "name", "steps", "vacuous"), [
    ("bsp-sgd", "quadratic-sc", 2, True),  # 4 sigma^2 / (mu^2 n t) against R^2 = 1
    ("bsp-sgd", "quadratic-sc", 400, False),
    ("dgd", "quadratic-sc", 200, True),
    ("asp", "quadratic-sc", 200, None),
])  # fmt: skip
def test_a_bound_above_the_start_is_called_vacuous(key, name, steps, vacuous):
    result = tuned_run(row(key), problem(name, 4), steps, 4, 3, points=2)
    assert result.vacuous is vacuous
    if vacuous is not None:
        theorem = result.tuned.theorem
        end = theorem.bound(result.constants, result.tuned.step, np.array([float(steps)]))[0]
        start = {Metric.SQUARED_DISTANCE: "squared_distance"}.get(
            theorem.metric, "squared_gradient"
        )
        assert vacuous is bool(end >= getattr(result.trace, start)[0, 0])


def test_a_vacuous_bound_is_told_and_refutes_no_rate():
    found = run_row(row("dgd"), problem("quadratic-sc", 4), steps=200, replicas=4, seed=3)
    held = next(one for one in found.verdicts if one.check == "curve under bound")
    rate = next(one for one in found.verdicts if one.check == "rate in T")
    assert held.outcome is Outcome.SUPPORTED and VACUOUS in held.evidence
    late = next(one for one in found.verdicts if one.check == "bound at the end")
    assert late.outcome is Outcome.COMPARED and "vacuous" in late.evidence
    assert rate.outcome is Outcome.SUPPORTED and rate.statistic < -0.5
    assert found.curves[0].vacuous


def test_workers_are_counted_at_one_tuning_of_all_rows():
    """The figure that ranks rows has the stored grid's stepsize at every n, not a typed one."""
    objective = problem("quadratic-sc", 16)
    small = {"sizes": (2, 4, 8)}
    (tuned,), (loose,) = (
        error_at_budget(row("asp"), lambda n: problem("quadratic-sc", n), best=best, **small).curves
        for best in (_found("asp", -5, objective), _found("asp", -7, objective))
    )
    assert (tuned.mean != loose.mean).all()
