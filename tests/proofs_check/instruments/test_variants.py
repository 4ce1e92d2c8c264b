"""Variants of effects, and stepsizes that are chosen on other runs than those that are measured."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import Arm, StepsizeChoice
from proofs_check.instruments.measurement import BudgetLeft, Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, scaled, stretched
from proofs_check.instruments.sizes import Sizes
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.instruments.variants import MORE, Fixed, NoSuchVariant, Variant, variants
from proofs_check.methods.faulty.faulty_method import LastStepAlone
from proofs_check.registry import EFFECTS
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, WarmUpStep

GRID = (0.25, 0.5, 1.0)
HERE = Setting(
    "made", partial(Quadratic.strongly_convex, sigma2=0.0), 6, lambda n: 10 * n, GRID, points=9, d=8
)  # fmt: skip


@pytest.mark.parametrize(("chosen_on", "seed"), [(3, 3), (1, 0)])
def test_no_setting_is_measured_where_it_was_chosen(chosen_on, seed):
    with pytest.raises(ValueError, match="seed other than"):
        Setting("made", Quadratic.strongly_convex, 2, 5, GRID, seed=seed, chosen_on=chosen_on, d=4)


def test_the_best_of_the_first_seed_is_measured_on_the_second():
    """On seed 1 the value is |gamma - 0.5|; on seed 2 it is gamma, so 0.25 would look best."""
    seen = []

    def play(step, *, seed, replicas):
        seen.append((step, seed))
        value = np.array([abs(step - 0.5) if seed == 1 else step])
        return Measurement(value, value, value[None])

    assert at_best(play, GRID).values == [0.5]
    assert [step for step, seed in seen if seed == 2] == [0.5] and seen[-1] == (0.5, 2)
    assert seen[:3] == [(0.25, 1), (0.5, 1), (1.0, 1)]
    with pytest.raises(ValueError, match="got 4"):
        at_best(play, GRID, seeds=(4, 4))


def test_a_value_that_is_no_number_is_never_the_best():
    def play(step, *, seed, replicas):
        value = np.array([np.nan if step < 1 else step])
        return Measurement(value, value, value[None])

    assert at_best(play, GRID).values == [1.0]


def test_variants_of_a_setting():
    assert HERE.varied(Variant("", n=1.5)).n == 9 and HERE.varied(Variant("", n=2 / 3)).n == 4
    wider = HERE.varied(Variant("", d=1.25))
    assert wider.d == 10 and wider.built.d == 10 and wider.scale_of(HERE) == 1.25
    assert HERE.varied(Variant("", step=2.0)).step == (0.5, 1.0, 2.0)
    again = HERE.varied(Variant("", seed=7))
    assert again.seed == 7 and again.chosen_on not in (7, HERE.chosen_on)
    assert HERE.length == 60 and HERE.varied(Variant("", n=1.5)).length == 90
    longer = HERE.lengthened()
    assert (longer.length, longer.points) == (90, 14)


def test_a_setting_of_one_size_says_why():
    one = Setting("made", Quadratic.strongly_convex, 1, 5, GRID, d=Fixed.DATA, only_n=Fixed.ALONE)
    for variant, reason in ((Variant("", d=1.25), Fixed.DATA), (Variant("", n=1.5), Fixed.ALONE)):
        with pytest.raises(NoSuchVariant, match=str(reason)):
            one.varied(variant)


@pytest.mark.parametrize(
    "rule",
    [ConstantStep(0.3), InverseTimeStep(2.0, 5.0), InverseRootStep(0.4),
     WarmUpStep(ConstantStep(0.5), 4)],
)  # fmt: skip
def test_stretched_stepsizes_are_multiples(rule):
    for t in (0, 3, 50):
        assert scaled(rule, 1.3)(t) == pytest.approx(1.3 * rule(t), rel=1e-15)
    known = FromProblem("half", lambda _: rule, (0.5, 1.0))
    assert stretched(known, 2.0).times == (1.0, 2.0)
    assert stretched(None, 2.0) is None


def test_sizes_grow_along_their_variable():
    along = Sizes("made", (4, 16), "workers n", "error", n=None, d=8)
    assert along.varied(Variant("", n=1.5)).sizes == (6, 24)
    assert along.varied(Variant("", d=1.25)).place_of(16).d == 10
    assert along.varied(Variant("", seed=9)).place_of(4).seed == 9
    with pytest.raises(NoSuchVariant, match="no side has a stepsize"):
        along.varied(Variant("", step=1.3))


IN_BITS = Reading("sent_bits")
ONE_STEP = arm("one step", lambda it: BSP(it.step), steps=1)


def _against(baseline, tuning=None, without=ONE_STEP, reading=None):
    return contrast(
        "bsp-sgd", "more steps end lower", HERE, reading or Reading(),
        method="sixty steps", baseline=baseline, without=without, at_most=0.5, source="made",
        tuning=tuning,
    )  # fmt: skip


def test_a_variant_that_is_lost_is_measured_again_with_more_replicas():
    """Few replicas are too wide an interval about one half, many are not."""
    asked = []

    def measure(side, replicas):
        value = 1.0 if side is not Arm.METHOD else 0.3
        spread = 1.0 if side is Arm.METHOD else 0.01
        values = value + spread * np.linspace(-1, 1, replicas)
        return Measurement(values, values, values[:, None])

    shown = _against(arm("sixty steps", lambda it: BSP(it.step), steps=60))

    def under(variant):
        asked.append(variant.replicas)
        return replace(shown, measure=partial(measure, replicas=100 * variant.replicas))

    found = replace(shown, vary=under).under(Variant("n x 1.5", n=1.5))
    assert found.holds and asked == [1, MORE]


def test_a_variant_runs_until_its_budget_is_spent():
    """Four workers take 40 steps where six take 60, and 50 may be spent."""
    whole = arm("sixty steps", lambda it: BSP(it.step), steps=60)
    effect = _against(whole, without=whole, reading=Reading(budget=50.0))
    assert effect.measure(Arm.METHOD).x[-1] == 60
    fewer = effect.vary(Variant("n x 0.67", n=2 / 3)).measure(Arm.METHOD)
    assert fewer.x[-1] == 50
    with pytest.raises(BudgetLeft):
        _against(whole, without=whole, reading=Reading(budget=61.0)).measure(Arm.METHOD)


def test_both_sides_choose_from_one_grid_or_it_is_said_why_not():
    fair = _against(arm("six steps", lambda it: BSP(it.step), steps=6))
    assert fair.tuning is StepsizeChoice.ONE_GRID
    other = arm("six steps", lambda it: BSP(it.step), steps=6, step=(0.1, 0.2))
    with pytest.raises(ValueError, match="one grid of stepsizes"):
        _against(other)
    assert _against(other, StepsizeChoice.OWN_GRIDS).tuning is StepsizeChoice.OWN_GRIDS
    fixed = arm("six steps", lambda it: BSP(it.step), steps=6, step=ConstantStep(0.5))
    with pytest.raises(ValueError, match="one grid of stepsizes"):
        _against(fixed, StepsizeChoice.OWN_GRIDS)
    slow = arm("one step", lambda it: BSP(it.step), steps=1, step=ConstantStep(0.5))
    with pytest.raises(ValueError, match="one grid of stepsizes"):
        _against(arm("six steps", lambda it: BSP(it.step), steps=6), without=slow)


def test_bits_are_those_of_32_bit_floats():
    """BSP of d = 8 sends 8 floats a step; errors in steps are those of the problem's own type."""
    fair = _against(arm("six steps", lambda it: BSP(it.step), steps=6), reading=Reading("steps"))
    assert "floats of 32 bits" not in fair.description
    bits = _against(arm("six steps", lambda it: BSP(it.step), steps=6), reading=IN_BITS)
    assert "floats of 32 bits" in bits.description
    assert bits.measure(Arm.METHOD).x[1] == 8 * 32


def test_an_effect_in_variants_is_counted():
    """Descent without noise: f falls by (1 - gamma a)^2 a step in every coordinate, so that sixty
    steps end below half of six and one step does not, whatever the variant."""
    fair = _against(arm("six steps", lambda it: BSP(it.step), steps=6))
    found = fair.in_variants(7)
    assert [one.variant for one in found] == list(variants(7))
    assert all(one.holds for one in found)
    (verdict,) = fair.over_variants(7).verdicts
    assert verdict.outcome is Outcome.SUPPORTED and verdict.statistic == 1.0
    assert "6 of 6" in verdict.evidence


def test_an_arm_keeps_its_own_number_of_workers():
    one = arm("alone", lambda it: it.own, n=1)
    more = _against(one).vary(Variant("", n=1.5))
    assert "n = 9" in more.description and "baseline: n = 1" in more.description


def test_the_last_step_alone_is_one_step_a_meeting():
    """One worker, f = x^2 / 2, H = 4: x halves once in four steps of gamma = 1/2."""
    a = torch.ones(1, 1, dtype=torch.float64)
    alone = Quadratic.from_arrays(a, 0 * a, x0=torch.ones(1, dtype=torch.float64))
    method = LastStepAlone(LocalSGD(ConstantStep(0.5), 4))
    trace = run(method, alone, steps=12, points=13)
    assert trace.suboptimality[0, [0, 4, 8, 12]] == pytest.approx(0.5 * 4.0 ** -np.arange(4))


def test_every_effect_says_how_stepsizes_were_chosen():
    for key, effect in EFFECTS.items():
        stepless = effect.tuning is StepsizeChoice.STEPLESS
        fixed = effect.tuning in (StepsizeChoice.POINT, StepsizeChoice.ALIKE, StepsizeChoice.ANY)
        assert stepless or fixed or "best" in effect.description, key
        assert effect.vary is not None and row(key).state == "ready"
        assert {*Arm} == {Arm.METHOD, Arm.BASELINE, Arm.FAULT}
