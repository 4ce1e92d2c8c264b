"""Planted loose bounds are seen to over-pay by the power that was planted, and tight ones not."""

from itertools import count
from types import SimpleNamespace
from unittest import mock

import pytest

import rateproof
from proofs_check.refute import dependence
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.dependence import dependences
from proofs_check.refute.outcome import Dependence
from proofs_check.refute.quadratics import QuadraticAttacker

TIGHT = "2*initial_gap/(gamma*T) + gamma*L*sigma2/n"


def powers(bound: str, variable: str, *causes: str) -> dict[tuple[str, str], float | None]:
    """Powers of a variable for these causes of error: as many instances a cause as three have of
    300, and none for causes that nobody asks for."""
    claim = rateproof.claim("loose", method="bsp-sgd", limit="1/L", bound=bound)
    ticks = count()  # one an instance
    with mock.patch.object(dependence, "causes", lambda *given: causes):
        found = dependences(
            (claim,), until=100 * len(causes), seed=1, variables=(variable,),
            clock=lambda: next(ticks),
        )  # fmt: skip
    return {(one.variable, one.cause): one.power for one in found}


def test_a_tight_bound_pays_for_nothing_but_what_is_due() -> None:
    found = powers(TIGHT, "n", "noise", "start")
    assert found["n", "noise"] == pytest.approx(0, abs=0.05)
    assert found["n", "start"] == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize(
    ("bound", "place", "power"),
    [
        ("2*initial_gap/(gamma*T) + gamma*L*sigma2", ("n", "noise"), 1.0),
        ("2*initial_gap/(gamma*T) + gamma*L*sigma2/sqrt(n)", ("n", "noise"), 0.5),
        ("2*n*initial_gap/(gamma*T) + gamma*L*sigma2/n", ("n", "start"), 1.0),
        ("2*initial_gap*sqrt(T)/(gamma*T) + gamma*L*sigma2/n", ("T", "start"), 0.5),
    ],
)
def test_the_planted_power_is_found(bound: str, place: tuple[str, str], power: float) -> None:
    assert powers(bound, *place)[place] == pytest.approx(power, abs=0.1)


def test_all_causes_that_a_claim_allows_are_tried() -> None:
    claim = rateproof.claim("tight", method="bsp-sgd", limit="1/L", bound=TIGHT)
    attacker = next(one for one in ATTACKERS if one.name == "exact")
    assert isinstance(attacker, QuadraticAttacker)
    assert dependence.causes(attacker, claim) == ("start", "noise", "heterogeneity")


def test_the_largest_of_ratios_at_one_value_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = iter((0.5, 0.9, 0.7))
    monkeypatch.setattr(
        dependence,
        "_largest",
        lambda *given: SimpleNamespace(ratio=next(ratios), t=4, constants={}),
    )
    claim = rateproof.claim("tight", method="bsp-sgd", limit="1/L", bound=TIGHT)
    ladder = dependence.Ladder("T", (({}, 4),) * 3)
    assert dependence.climbed("exact", claim, ladder, "noise", 1.0, 0).ratios == (0.9,)


def test_a_power_needs_three_values_that_differ() -> None:
    assert Dependence("n", "noise", (1.0, 2.0), (1.0, 0.5)).power is None
    assert Dependence("n", "noise", (1.0, 1.01, 1.02), (1.0, 0.9, 0.8)).power is None
    halving = Dependence("n", "noise", (1.0, 2.0, 4.0, 8.0), (1.0, 0.5, 0.25, 0.125))
    assert halving.power == pytest.approx(1.0)
