"""Simulated cells of Table IV under other seeds, horizons and stepsizes, and why they are runs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from proofs_check.facts import ExponentFacts, VariantFacts
from proofs_check.instruments.standings import RateStanding
from proofs_check.table_iv import attained_results, measure, variants
from proofs_check.table_iv.attained_results import KeptExponent, kept_exponents, summary
from proofs_check.table_iv.exact import runs_exactly
from proofs_check.table_iv.planted import PLANTED
from proofs_check.table_iv.trials import TRIALS
from proofs_check.table_iv.variants import changed, keep, kept_variants, main, measured_variants
from proofs_check.verdict import CheckKind, Outcome, Verdict

TRIAL = TRIALS["PS, BSP, Quant., non-convex"]


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty place of what is kept."""
    monkeypatch.setattr(variants, "PATH", tmp_path / "kept.json")
    variants._kept.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    variants._kept.cache_clear()


def at(slope: float | None) -> Verdict:
    """A verdict on an order of -1/2, its bound's slope the order."""
    return Verdict(
        "qsgd", "claim", "check", Outcome.COMPARED, statistic=slope, bound=-0.5, order="T^-0.5",
        uncertainty=None if slope is None else 0.02, kind=CheckKind.RATE,
    )  # fmt: skip


def test_one_thing_is_changed_at_a_time_and_stepsizes_stay_where_horizons_grow():
    for trial in TRIALS.values():
        for name, (there, moved) in changed(trial).items():
            rule, own = (one.rule(trial.build(trial.n), trial.steps) for one in (there, trial))
            if name.startswith(("T", "seed")):
                assert rule(0) == pytest.approx(own(0), rel=1e-12), (trial.name, name)
            else:
                assert rule(0) != pytest.approx(own(0), rel=1e-3), (trial.name, name)
            assert (moved != 0) is name.startswith("seed")
            assert (there.steps != trial.steps) is name.startswith("T")


def test_standings_are_those_of_what_is_measured_and_are_kept(store):
    slopes = iter((-0.5, -0.3, -0.8, None))
    found = tuple(measured_variants(TRIAL, 1, lambda _trial, _seed: at(next(slopes))))
    assert [one.standing for one in found] == [
        RateStanding.ATTAINED, RateStanding.SHORT, RateStanding.FASTER, RateStanding.UNFITTED,
    ]  # fmt: skip
    keep(TRIAL, 1, found)
    again = kept_variants(TRIAL)
    assert again[:3] == found[:3] and math.isnan(again[3].slope)
    assert kept_variants(replace(TRIAL, first=TRIAL.first / 2)) == (), "of another trial"


def test_a_run_tells_why_it_is_one_and_what_is_kept_of_it(store, monkeypatch):
    """A planted failure of exact moments: the reason stands in the evidence."""
    small = replace(TRIALS["PS, BSP, Null, non-convex"], steps=64)
    told = (VariantFacts("T x 4", -0.5, 0.02, "attained"),)
    keep(small, 1, told)

    def fails(*_: object) -> None:
        raise ValueError("fewer than three values are left")

    monkeypatch.setattr(measure, "exact_result", fails)
    found = measure.table_result(small, "T", 4, 1)
    assert "by runs, since fewer than three values are left" in found.verdicts[0].evidence
    (facts,) = (one for one in found.facts if isinstance(one, ExponentFacts))
    assert facts.variants == told and not facts.exact
    assert not runs_exactly(TRIAL, "T")
    quick = replace(TRIAL, steps=64)
    assert measure.WHY_BY_RUNS in measure.table_result(quick, "T", 4, 1).verdicts[0].evidence


def test_an_unknown_cell_is_refused_and_simulated_ones_are_named(capsys):
    assert main(["PS, BSP, Null, convex"], dry=True) == 2
    assert TRIAL.name in capsys.readouterr().out


def test_what_is_kept_is_of_trials_as_they_are_and_of_all_that_are_simulated():
    for name, trial in TRIALS.items():
        assert runs_exactly(trial, "T") or kept_variants(trial), name
    assert variants._kept().keys() <= TRIALS.keys()


def test_exponents_on_exact_instances_are_counted(tmp_path, monkeypatch):
    good = KeptExponent("bsp-sgd", "bsp_nonconvex", -0.5, -0.5, 0.002, -0.5, "attained", "a", 6, ())
    bad = replace(good, theorem="other", slope=-0.7, standing="faster everywhere tried",
                  wrong_that_stand=(0.0,))  # fmt: skip
    monkeypatch.setattr(attained_results, "PATH", tmp_path / "kept.json")
    attained_results.keep((good, bad))
    assert kept_exponents() == (good, bad)
    told = summary((good, bad), len(PLANTED))
    assert "1 of 2 attained" in told and "1 of 2 theorems are attained" in told
    assert "7 of 8 wrong orders do not stand" in told
    assert "no instance found that is slower than T^-0.700" in str(bad)
    monkeypatch.undo()
    kept_exponents.cache_clear()
