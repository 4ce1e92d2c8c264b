"""What a run's verdicts rest on, and that they can fail."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from algorithms.catalogue import ROWS, Recipe, Row, problem, row
from algorithms.catalogue.downlink import each_round
from algorithms.compressors.qsgd import QSGD
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.synchronisation.periods import Every
from proofs_check.curves import RunSeries
from proofs_check.methods.received import received_bill
from proofs_check.methods.runs import run_row
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
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
        "rate in T": outcomes(result)["rate in T"],
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
    parts = Recipe(
        lambda step, problem, steps: LocalSGD(step, Every(1000)), (), stepsize_divisor=50.0
    )
    alone = Row("alone", "none", "workers that never meet", "nobody", parts)
    result = run_row(alone, problem("quadratic-sc", 4), steps=30, replicas=2, seed=0, rates=False)
    bills = [verdict for verdict in result.verdicts if verdict.check.startswith("bits")]
    assert [bill.outcome for bill in bills] == [Outcome.NOT_APPLICABLE] * 2
    assert bills[0].evidence == "no message was sent"


@pytest.mark.parametrize("key", [r.key for r in ROWS if r.state == "ready"])
def test_what_workers_hear_is_in_every_rows_closed_form(key):
    """Every message and every bit; two rows whose server's messages vary in length have a bound."""
    built = problem(row(key).problems[0], 4)
    method = row(key).build(built, 24)
    trace = run(method, built, steps=24, replicas=2, points=2)
    bill = received_bill(row(key), built, method, trace, "")
    bounded = key in ("stc", "adaptive-k")
    assert bill.outcome is (Outcome.COMPARED if bounded else Outcome.AGREES), bill.evidence


def heard(**downlink):
    """The bill of CMFL's workers, who hear from the server also when they are silent."""
    parts = Recipe(lambda step, _p, _t: CMFL(step, 8), (), **downlink)
    own = Row("mine", "", "", "", parts)
    built = problem("quadratic-sc", 4)
    method = own.build(built, 56)
    trace = run(method, built, steps=56, replicas=2, points=2)
    assert int(trace.account.sent_messages.sum()) < 56 // 8 * 4 * 2
    return received_bill(own, built, method, trace, "").outcome


def test_more_than_an_answer_to_each_message_is_compared_until_the_row_says_how_much():
    assert heard() is Outcome.COMPARED
    assert heard(downlink=each_round(8)) is Outcome.AGREES
    assert heard(downlink=each_round()) is Outcome.REFUTED


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
