"""Worst cases of methods as they are written: closed forms, refutations run again, refusals."""

from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rateproof
from algorithms.catalogue import row
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.refute.attack import attack
from proofs_check.refute.attackers import worst_case
from proofs_check.refute.attackers.worst_case import held, with_gamma, worst_cases
from proofs_check.refute.claim import Claim
from proofs_check.refute.interpolated import smooth_interpolant
from proofs_check.refute.measured import Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Standing
from proofs_check.refute.planted import FalseTheorem, planted
from proofs_check.refute.rational import executed
from proofs_check.refute.recorded import recorded
from proofs_check.refute.reduction import reduced
from proofs_check.refute.worst_instance import SolvedInstance, WorstInstance, any_number, solved
from proofs_check.worst_case.functions import SampledPoint, Smooth
from proofs_check.worst_case.gram import Expression, Vector
from theory.constants import Constants
from theory.stepsizes import ConstantStep

pytest.importorskip("cvxpy")

TIGHT = "L*R2/(4*T + 2)"
PLAIN = WorstInstance(1, 0.1, 0.0, 1.0, 0.5, 1.0, 1)


def descent(bound: str) -> Claim:
    """f(x_T) - f* of plain descent at stepsize 1/L."""
    return rateproof.claim(
        "descent", method="bsp-sgd", metric="suboptimality", stepsize="1/L", bound=bound
    )


@pytest.mark.parametrize(("n", "steps"), [(1, 1), (1, 3), (2, 2)])
def test_descent_attains_drori_and_teboulles_bound(n: int, steps: int) -> None:
    found = worst_cases.measure(descent(TIGHT), replace(PLAIN, n=n, steps=steps))
    assert found.measured == pytest.approx(1 / (4 * steps + 2), rel=1e-7)
    assert found.ratio == pytest.approx(1.0, rel=1e-7)


@pytest.mark.parametrize("steps", [1, 2])
def test_the_worst_function_is_as_bad_in_the_simulator(steps: int) -> None:
    claim = descent(f"0.99*{TIGHT}")
    trial = worst_cases.measure(claim, replace(PLAIN, steps=steps))
    told = worst_cases.confirm(claim, trial)
    assert told.holds
    assert told.measured == pytest.approx(1 / (4 * steps + 2), rel=1e-6)


def test_a_bound_too_small_by_a_hundredth_is_refuted_and_the_right_one_certified() -> None:
    wrong = attack("w", [descent(f"0.99*{TIGHT}")], budget=20, attackers=["worst-case"], workers=1)
    assert wrong.standing is Standing.REFUTED and not wrong.certificates
    looks = itertools.count()

    def clock() -> float:
        """Seconds pass quickly in the search's share, slowly while certificates are made."""
        k = next(looks)
        return min(3.0 * k, 45.0) + 0.01 * k

    right = attack(
        "r", [descent(TIGHT)], budget=60, attackers=["worst-case"], workers=1, clock=clock
    )
    assert right.standing is Standing.SURVIVED
    assert right.slack == pytest.approx(1.0, abs=1e-6)
    one, more = right.certificates
    assert "holds for T <= 3, n = 1, to 1e-06" in one
    assert "holds for T <= 3, every n >= 2" in more
    assert right.record()["certificates"] == [one, more]


def test_a_programme_that_fails_certifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def two_at_most(claim: Claim, instance: WorstInstance) -> SolvedInstance:
        if instance.steps == 3:
            raise Unfit("the solver finds none")
        return solved(claim, instance)

    held(descent(TIGHT))
    monkeypatch.setattr(worst_case, "solved", two_at_most)
    one, _ = worst_cases.certificates(descent(TIGHT))
    assert "is not certified for T <= 3" in one and "2 programmes, 1 more failed" in one


def test_a_certificate_says_how_workers_hang_together() -> None:
    for name, n, said in (
        ("pr_sgd", 1, ""),
        ("pr_sgd", 2, "; workers differ by linear terms"),
        ("bsp_strongly_convex", 2, ""),
    ):
        claim = claims_of(name)[0]
        every = dict(zip(held(claim).sizes, worst_cases.certificates(claim), strict=True))
        assert f"of the class without noise{said} (" in every[n]


def test_a_claim_above_what_one_step_of_strong_convexity_allows() -> None:
    """(1 - gamma mu)^2 is attained: a factor below it is false (Polyak 1963)."""
    shape = "R2*(1 - gamma*mu)**(2*T)"
    for factor, over in ((1.0, False), (0.999, True)):
        claim = rateproof.claim(
            "contraction", method="bsp-sgd", metric="squared_distance", limit="1/L",
            bound=f"{factor}*{shape}",
        )  # fmt: skip
        found = worst_cases.measure(claim, replace(PLAIN, gamma=0.5, steps=2))
        assert (found.ratio > 1 + 1e-5) is over
        assert found.measured == pytest.approx((1 - 0.05) ** 4, rel=1e-6)


@pytest.mark.parametrize("what", ["a bound 1% too small", "stepsizes twice as large"])
def test_wrong_contractions_are_refuted_by_an_operator_that_is_found(what: str) -> None:
    wrong = dict(planted(claims_of("contraction_descent")[0]))[what]
    found = attack(what, [wrong], budget=20, attackers=["worst-case"], workers=1)
    assert found.standing is Standing.REFUTED, found.record()


@pytest.mark.parametrize("n", [1, 2])
def test_one_step_with_unbiased_operators_is_the_worse_end(n: int) -> None:
    """E|x_1 - x*|^2 of x - gamma mean Q_i(g_i) is (1 - gamma a)^2 + gamma^2 a^2 omega/n at a
    curvature a, convex in a, where all gradients are 0 at x*; the best gamma 1/(L (1 + omega/n))
    and longer ones have it at L."""
    claim = rateproof.claim(
        "one step", method="qsgd", metric="squared_distance", limit="2/L_max",
        bound="R2*(1 + omega)*(1 + mu/L_max)", one_objective=True,
    )  # fmt: skip
    gamma, omega = 0.8, 3.0  # delta 1/4
    one = WorstInstance(n, 0.1, 0.0, 1.0, 1 / (1 + omega), gamma, 1, (0.5,))
    found = worst_cases.measure(claim, one)
    ends = [(1 - gamma * a) ** 2 + gamma**2 * a**2 * omega / n for a in (0.1, 1.0)]
    assert found.measured == pytest.approx(max(ends), rel=1e-7)
    below = worst_cases.confirm(claim, found).measured
    assert 0.85 * found.measured < below <= found.measured


def test_heterogeneity_at_the_minimum_is_what_unbiased_operators_pay_for() -> None:
    claim = claims_of("compressed_bsp_strongly_convex")[0]
    assert held(claim).longest == 1
    for zeta in (0.1, 1.0):
        one = with_gamma(claim, WorstInstance(2, 0.1, zeta, 1.0, 0.5, None, 1, (0.5,)), 1.0)
        found = worst_cases.measure(claim, one)
        assert found.constants["zeta2_star"] == pytest.approx(zeta**2)
        assert 0.5 < found.ratio <= 1 + 1e-7


def test_what_draws_or_decides_or_is_measured_otherwise_is_refused_by_name() -> None:
    for name, why in (
        ("asysg_con", "draws numbers"),
        ("compressed_bsp_pl", "random points"),
        ("signsgd", "no programme says"),
        ("cyclic_blocks", "parts and lengths of its own"),
        ("projected_dgd", "not linear"),
    ):
        with pytest.raises(Unfit, match=why):
            held(claims_of(name)[0])


def test_without_cvxpy_it_says_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    monkeypatch.setattr(worst_case, "held", worst_case.held.__wrapped__)
    found = attack("plain", [descent(TIGHT)], budget=1, attackers=["worst-case"], workers=1)
    assert found.standing is Standing.NOT_ATTACKED
    assert any("rateproof[optimal]" in one for one in found.untried)


def test_a_record_is_the_method_by_hand() -> None:
    """x_1 = x_0 - (g_1 + g_2)/4 at stepsize 1/2, by two workers; W mixes what each has."""
    step = ConstantStep(0.5)

    def bsp(book: object, problem: object) -> object:
        return row("bsp-sgd").ready().build(step, problem, 1)

    found = recorded(bsp, Constants(n=2), 2, 1)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.models[1][:4], [1.0, -0.25, -0.25, 0.0])
    assert [one.worker for one in found.gradients] == [0, 1]
    W = FixedMatrix(np.array([[0.75, 0.25], [0.25, 0.75]]), label="W2")

    def gossip(book: object, problem: object) -> object:
        return replace(row("d-psgd").ready().build(step, problem, 2), topology=W)

    mixed = recorded(gossip, Constants(n=2), 2, 2)  # type: ignore[arg-type]
    second = mixed.gradients[2]
    assert second.worker == 0
    np.testing.assert_allclose(second.x[1:3], [-0.5, 0.0])  # W X - gamma G
    np.testing.assert_allclose(mixed.models[2][1:5], [-0.25, -0.25, -0.25, -0.25])
    by_means = reduced(mixed, 2)
    assert by_means is not None and not by_means.shared


def test_the_number_of_workers_drops_out_where_all_do_the_same() -> None:
    local = rateproof.claim(
        "local steps on convex functions", method="local-sgd", metric="suboptimality",
        limit="1/L", bound="L*R2 + H*G2/L",
    )  # fmt: skip
    one = with_gamma(local, WorstInstance(2, 0.1, 1.0, 1.0, 0.5, None, 2, (0.25,)), 0.5)
    assert any_number(local, one)
    two, three = (solved(local, replace(one, n=n)).worst.value for n in (2, 3))
    assert two == pytest.approx(three, rel=1e-6)
    assert not any_number(claims_of("pr_sgd")[0], one)  # one non-convex function at all points


def test_an_interpolant_goes_through_its_samples_and_stays_in_its_class() -> None:
    """Samples of x^2 with L = 4 and mu = -1; drawn points keep the class's inequalities."""
    kind = Smooth(4.0, -1.0)
    x = np.array([[0.0, 0.0], [1.0, 0.5], [-0.5, 1.0]])
    g, f = 2 * x, np.square(x).sum(-1)
    for a, b, c in zip(x, g, f, strict=True):
        value, slope = smooth_interpolant(x, g, f, kind, a)
        assert value == pytest.approx(c, abs=1e-9)
        np.testing.assert_allclose(slope, b, atol=1e-7)
    rng, seen = np.random.default_rng(5), []
    for point in rng.standard_normal((6, 2)):
        value, slope = smooth_interpolant(x, g, f, kind, point)
        seen.append((point, slope, value))
        assert value >= np.square(point).sum() - 1e-7  # the largest of the class
    for a in seen:
        for b in seen:
            if a is not b:
                assert _broken(kind, a, b) < 1e-6


def _broken(kind: Smooth, a: tuple[object, ...], b: tuple[object, ...]) -> float:
    """The class's inequality between two samples, as numbers."""
    vectors = np.stack([a[0], a[1], b[0], b[1]])  # type: ignore[arg-type]
    blocks, gram = ["one"] * 4, vectors @ vectors.T
    axes = [Vector(np.eye(4)[k], blocks) for k in range(4)]
    values = [Expression(np.zeros((0, 0)), np.zeros(0), float(one[2])) for one in (a, b)]  # type: ignore[arg-type]
    first, second = (SampledPoint(*axes[2 * k : 2 * k + 2], values[k]) for k in (0, 1))
    found = kind.pair(first, second)
    return float((found.quadratic * gram).sum() + found.constant)


def shown(claim: Claim, gamma: float = 1.0, n: int = 1, zeta: float = 0.0) -> str:
    """The file of a claim's worst case at a share of its largest stepsize."""
    at = held(claim)
    one = WorstInstance(n, 0.1, zeta, 1.0, 0.5, None, at.longest, (0.25,) * at.parts)
    trial = worst_cases.measure(claim, with_gamma(claim, one, gamma))
    return worst_cases.confirm(claim, trial).script


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "factor", "n", "zeta"),
    [
        ("bsp_nonconvex", 0.7, 1, 0.0),
        ("d_psgd_variance", 0.3, 2, 0.5),
        ("compressed_bsp_strongly_convex", 0.5, 2, 0.5),
        ("contraction_descent", 0.7, 1, 0.0),
    ],
)
def test_a_file_shows_the_worst_case_with_numpy_alone(
    name: str, factor: float, n: int, zeta: float, tmp_path: Path
) -> None:
    """Non-convex functions, a network, unbiased operators and contractions."""
    right = claims_of(name)[0]
    text = shown(replace(right, theorem=FalseTheorem(right.theorem, factor)), 1.0, n, zeta)
    assert {line for line in text.splitlines() if line.startswith(("import", "from"))} == {
        "from itertools import combinations, product", "import numpy as np"
    }  # fmt: skip
    told = ran(text, tmp_path)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith(right.theorem.metric.value)
    ratio = float(told.stdout.splitlines()[0].rsplit(" ", 1)[1])
    assert ratio > 1.01
    line = next(one for one in text.splitlines() if one.startswith("BOUND, MODE"))
    bound = float(line.split("= ")[1].split(",")[0])
    kept = text.replace(line, line.replace(repr(bound), repr(bound * ratio * 1.001)))
    assert "the bound holds here" in ran(kept, tmp_path).stderr


@pytest.mark.processes
def test_the_file_of_a_descent_says_drori_and_teboulles_value(tmp_path: Path) -> None:
    wrong = attack("w", [descent(f"0.99*{TIGHT}")], budget=10, attackers=["worst-case"], workers=1)
    (found, *_) = wrong.counterexamples
    assert found.confirmation is not None
    told = ran(found.confirmation.script, tmp_path)
    assert told.returncode == 0, told.stderr
    value = float(told.stdout.split(" = ")[1].split(",")[0])
    assert value == pytest.approx(1 / (4 * found.trial.instance.steps + 2), rel=1e-6)  # type: ignore[attr-defined]


def test_a_start_beyond_what_the_theorem_allows_shows_nothing() -> None:
    text = shown(descent(f"0.99*{TIGHT}"))
    line = next(one for one in text.splitlines() if one.startswith("R2, GAP"))
    apart = text.replace(line, line.replace("(1.0,", "(0.9,"))
    assert executed(text)[1] and not executed(apart)[1]


def ran(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A file, by an interpreter that sees no folder of the project's."""
    file = folder / "shown.py"
    file.write_text(text)
    return subprocess.run(
        [sys.executable, "-I", str(file)], capture_output=True, text=True, cwd=folder, check=False
    )
