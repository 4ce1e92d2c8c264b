"""Attacks: values by hand, wrong theorems refuted and shown, true ones never."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rateproof
from proofs_check.mutants.wrong_bounds import MisreadBound, quarter_noise
from proofs_check.refute import arms, search
from proofs_check.refute import attack as attacking
from proofs_check.refute.arms import Arms
from proofs_check.refute.attack import attack
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.attackers.bent_lines import bent_lines
from proofs_check.refute.attackers.exact_quadratics import exact_moments_attacker as exact
from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance, QuadraticInstance, simpler_numbers
from proofs_check.refute.measured import BoundTrial, Unfit, largest_step
from proofs_check.refute.ours import claims_called, claims_of
from proofs_check.refute.outcome import ArmReport, Standing
from proofs_check.refute.rational import executed
from proofs_check.refute.search import SearchSlice, SliceFound, sliced
from proofs_check.refute.shrink import shrunk
from proofs_check.refute.units import DIRECTIONS, in_other_units
from tests.experiments.test_docs import HOUSE, blocks
from theory.constants import Constants
from theory.theorems.bsp_nonconvex import bsp_nonconvex

HALF_NOISE = "2*initial_gap/(gamma*T) + gamma*L*sigma2/(2*n)"
UNIT = QuadraticInstance(1, (1.0,), (1.0,), 0.0, 1.0, 0.0, 1.0, 4)


def half_noise() -> Claim:
    return rateproof.claim("half the noise", method="bsp-sgd", limit="1/L", bound=HALF_NOISE)


def test_one_instance_by_hand() -> None:
    """f = (x - 1)^2/2 from 0, gamma 1, noise 1: x_t - 1 is noise alone after a step, so the mean of
    4 squared gradients is (1 + 3)/4; the bound is 2 (1/2)/4 + 1/2."""
    found = exact.measure(half_noise(), UNIT)
    assert found.t == 4
    assert found.measured == pytest.approx(1.0, rel=1e-12)
    assert found.bound == pytest.approx(0.75, rel=1e-12)


@pytest.mark.processes
def test_the_same_in_fractions_and_by_a_file_with_numpy_alone(tmp_path: Path) -> None:
    claim = half_noise()
    told = exact.confirm(claim, exact.measure(claim, UNIT))
    assert told.holds and told.measured == 1.0
    (tmp_path / "shown.py").write_text(told.script)
    done = subprocess.run(
        [sys.executable, "-I", "shown.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "= 1, bound 0.75, ratio 1.3333333333" in done.stdout
    assert (
        executed(told.script.replace("BOUND, T, MODE = 0.75", "BOUND, T, MODE = 1.5"))[1] is False
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_a_wrong_theorem_is_refuted_by_few_simple_numbers(seed: int) -> None:
    found = attack(
        "wrong", [half_noise()], budget=30, attackers=["exact"], seed=seed, workers=1,
        clock=time.process_time,
    )  # fmt: skip
    assert found.standing is Standing.REFUTED
    assert found.counterexamples[0].confirmed


@pytest.mark.slow
def test_a_counterexample_is_shrunk_to_simple_numbers() -> None:
    """f = (x - 1)^2/2, gamma 1, noise 1: after T steps (1 + T - 1)/T against 1/T + 1/2."""
    ugly = QuadraticInstance(3, (0.7312,), (0.0213,), 0.0171, 2.371, 0.0, 1.2214, 37)
    claim = half_noise()
    found = shrunk(exact, claim, exact.measure(claim, ugly), time.monotonic() + 300)
    assert found.instance == QuadraticInstance(1, (1.0,), (1.0,), 0.0, 1.0, 0.0, 1.0, found.t)
    assert found.t == 3  # the first T at which it is above
    assert (found.measured, found.bound) == pytest.approx((1.0, 1 / 3 + 1 / 2))


def test_a_misread_bound_of_ours_is_refuted() -> None:
    wrong = replace(
        claims_of("bsp_nonconvex")[0], theorem=MisreadBound(bsp_nonconvex, quarter_noise)
    )
    found = sliced(SearchSlice(wrong, "exact", 0, 20.0)).report
    assert found.counterexample is not None and found.counterexample.confirmed


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "name",
    [
        "gradual_warm_up_strongly_convex",
        "bsp_nonconvex",
        "bsp_strongly_convex",
        "d_psgd",
        "local_sgd",
        "asysg_con",
    ],
)
def test_true_theorems_are_never_refuted(name: str, seed: int) -> None:
    """Every seed is searched for as long; dependences on constants, which only follow the first
    one's search, say nothing of whether a theorem stands."""
    named = [] if seed == 0 else [one.name for one in ATTACKERS]
    found = attack(
        name, claims_called(name), budget=10, attackers=named, seed=seed, workers=1,
        clock=time.process_time,
    )  # fmt: skip
    assert found.standing is Standing.SURVIVED, found.record()
    assert found.tried and 0 < found.slack <= 1 + 1e-7


def test_the_largest_stepsize_stays_within_what_a_theorem_forgives() -> None:
    c = Constants(n=1, L=3.0, sigma2=1.0, initial_gap=1.0)
    step = largest_step(claims_of("bsp_nonconvex")[0], c, 100)
    assert 1 / 3 * (1 - 1e-8) < step(0) <= 1 / 3


def test_what_nobody_can_attack_never_survives() -> None:
    """No run was held against a bound."""
    found = attack("nobody's", (), budget=1, workers=1)
    assert found.standing is Standing.NOT_ATTACKED
    assert np.isnan(found.slack)


def test_a_first_answer_is_that_of_the_first_attacker_who_holds_the_claim() -> None:
    """Moments say nothing of signs: who has none is told of, the next one looks, nobody after."""
    turns = Arms(claims_of("signsgd"), ATTACKERS, time.monotonic() + 60, 0, workers=2)
    for task, arm in turns.first():
        assert not task.climbs
        turns.take(sliced(task, arm))
    told = [one for one in turns.reports if one.tried or one.reason]
    assert [bool(one.tried) for one in told] == [*[False] * (len(told) - 1), True]
    assert told == turns.reports[: len(told)] and told[-1].best is not None


def test_a_wrong_bound_is_refuted_by_the_first_look() -> None:
    wrong = replace(
        claims_of("bsp_nonconvex")[0], theorem=MisreadBound(bsp_nonconvex, quarter_noise)
    )
    looked = SearchSlice(wrong, "exact", 0, 20.0, climbs=False)
    found = sliced(looked).report.counterexample
    assert found is not None and found.confirmed


class Looks:
    """A clock that says how often it was read."""

    def __init__(self) -> None:
        self.count = 0.0

    def __call__(self) -> float:
        self.count += 1
        return self.count


def test_edges_that_a_slow_machine_does_not_reach_are_looked_at_in_the_next_slice() -> None:
    claim = claims_of("bsp_nonconvex")[0]
    every = len(exact.edges(exact.coordinates(claim)))
    task = SearchSlice(claim, "exact", 0, 12.0, clock=Looks())
    found, reached = sliced(task), [0]
    while found.looked < every:
        assert found.looked > reached[-1] and found.place is not None
        reached.append(found.looked)
        found = sliced(replace(task, looked=found.looked, start=found.place))
    assert len(reached) > 2 and found.looked == every


def test_slices_are_twice_as_long_in_every_turn() -> None:
    turns = Arms(claims_of("bsp_nonconvex")[:1], ATTACKERS, 1000.0, 0, clock=lambda: 0.0)
    count, seconds = len(ATTACKERS), []
    for task, arm in turns.tasks():
        seconds.append(task.seconds)
        turns.take(SliceFound(ArmReport(task.claim.name, task.attacker), None, arm, arm + 1))
        if len(seconds) > 2 * count:
            assert task.looked == 1  # the first arm's
            break
    assert seconds == [8.0] * count + [16.0] * count + [32.0]


def test_an_attacker_that_cannot_hold_a_method_says_why() -> None:
    with pytest.raises(Unfit, match="moments do not say"):
        exact.coordinates(claims_of("signsgd")[0])
    with pytest.raises(Unfit, match="10 dimensions"):
        bent_lines.coordinates(claims_of("signsgd")[0])
    found = sliced(SearchSlice(claims_of("signsgd")[0], "exact", 0, 1.0)).report
    assert found.tried == 0 and "moments do not say" in found.reason


def test_an_interrupt_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arms, "SLICE", 1.0)
    seen: list[int] = []

    def stop(report: object, every: object) -> None:
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    true = rateproof.claim(
        "descent", method="bsp-sgd", limit="1/L", bound=HALF_NOISE.replace("(2*n)", "n")
    )
    found = attack("mine", [true], budget=60, attackers=["exact"], workers=1, tell=stop)
    assert not found.complete and found.tried > 0 and len(seen) == 2


def test_an_interrupt_after_the_search_ends_the_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    true = rateproof.claim(
        "descent", method="bsp-sgd", limit="1/L", bound=HALF_NOISE.replace("(2*n)", "n")
    )
    monkeypatch.setattr(search, "ATTACKERS", (exact,))
    monkeypatch.setattr(attacking, "_certificates", lambda *given: ())
    for name in ("dependences", "_certificates"):
        monkeypatch.setattr(attacking, name, stop)
        found = attack("mine", [true], budget=0.1, workers=1)
        assert found.standing is Standing.SURVIVED and not found.complete


def test_a_bound_of_the_wrong_dimension_is_broken_in_some_unit() -> None:
    """sqrt(sigma2) in the place of sigma2 with a constant so large that it holds for sigma2 = 1."""
    bound = "2*initial_gap/(gamma*T) + 30*gamma*L*sqrt(sigma2)/n"
    wrong = rateproof.claim("units", method="bsp-sgd", limit="1/L", bound=bound)
    climb = search.SearchObjective(exact, wrong, np.inf)
    climb(exact.edges(exact.coordinates(wrong))[0])
    assert climb.best is not None and climb.best.ratio < 1
    climb.in_other_units(np.inf)
    assert climb.best.ratio > 1


def test_other_units_of_a_quadratic_keep_the_ratio_of_a_right_bound() -> None:
    claim = claims_of("bsp_nonconvex")[0]
    told = exact.measure(claim, UNIT)
    ratios = [exact.measure(claim, UNIT.in_units(*units)).ratio for units in DIRECTIONS]
    assert ratios == pytest.approx([told.ratio] * 4, rel=1e-6)


def test_units_are_followed_where_the_ratio_grows_and_left_where_two_are_alike() -> None:
    """log10 x grows in larger x alone, up to where units end; a constant nowhere."""
    told = BoundTrial("by hand", UNIT, 1, 0.0, 1.0, 0.0, "")
    seen: list[float] = []

    def growing(one: Instance) -> BoundTrial:
        assert isinstance(one, QuadraticInstance)
        seen.append(one.target[0])
        return replace(told, ratio=math.log10(max(one.target[0], 1.0)))

    found = list(in_other_units([told], growing))
    assert max(one.ratio for one in found) == pytest.approx(12)
    assert seen == pytest.approx([1e3, 1e6, 1e12, 1e-3, 1.0, 1.0])
    assert len(list(in_other_units([told] * 5, lambda one: told))) == 8


def test_every_attacker_says_its_instances_and_where_their_stepsize_is() -> None:
    for one in ATTACKERS:
        assert 0 <= one.stepsize_at < one.edges(64).shape[1]
        assert issubclass(one.kind, Instance)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"budget": 0}, "budget must be positive"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"attackers": ["sdp"]}, "attacker must be one of exact"),
    ],
)
def test_bad_input_is_named(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        attack("mine", [half_noise()], **given)  # type: ignore[arg-type]


def test_names_that_are_no_theorem_are_refused() -> None:
    with pytest.raises(ValueError, match="bsp_nonconvex"):
        claims_called("bsp_nonconvexx")
    with pytest.raises(ValueError, match="must be a claim"):
        claims_called("math:pi")


def test_simpler_numbers_are_near_and_simpler() -> None:
    assert list(simpler_numbers(0.5)) == [0.0, 1.0]
    assert 0.3 in simpler_numbers(0.3000123)


def test_every_attacker_is_told_on_the_page() -> None:
    page = (HOUSE / "docs" / "refute.md").read_text(encoding="utf-8")
    for one in ATTACKERS:
        assert f"| `{one.name}` |" in page


def test_the_page_s_template_is_short_and_is_refuted() -> None:
    template, asked = blocks("docs/refute.md")
    assert len(template.splitlines()) < 40
    session: dict[str, object] = {}
    exec(template, session)
    exec(asked, session)
    found = session["found"]
    assert getattr(found, "standing", None) is Standing.REFUTED


def test_a_bound_that_is_met_exactly_is_not_broken_by_rounding() -> None:
    """An instance of the attack on a warm-up: 1.9e-7 above by rounding, equal in fractions."""
    (claim,) = claims_of("gradual_warm_up_strongly_convex")
    told = QuadraticInstance(
        3, (7.9602625596279895,), (62315.74457862891,), 41842.80115543764, 18.77556829253583,
        0.0981955015926578, None, 400,
    )  # fmt: skip
    assert 0.999 < exact.measure(claim, told).ratio <= 1 + 1e-7


def test_a_theorem_that_no_row_is_held_to_says_so() -> None:
    """There is no claim of a method."""
    found = attack("nobody's", (), budget=1, workers=1)
    assert found.standing is Standing.NOT_ATTACKED
    assert found.untried[0].startswith("every attacker: no row's runs are held to it")
