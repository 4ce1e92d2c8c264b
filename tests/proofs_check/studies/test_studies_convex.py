"""Studies of D-PSGD's spectral gap and of decentralised convex methods: faults that they see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import pytest
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import GossipDualAveraging
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.problems.base import Problem
from algorithms.sets.base import Unconstrained
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.evidence.gossip import studies as gap_free_leading
from proofs_check.evidence.gossip import studies_consensus as consensus_distance
from proofs_check.evidence.gossip import studies_consensus as transient_length
from proofs_check.evidence.gossip.effects import StaleDPsgd
from proofs_check.evidence.gossip_convex import studies as dgd_bound
from proofs_check.evidence.gossip_convex import studies as dgd_neighbourhood
from proofs_check.evidence.gossip_convex import studies as projected_neighbourhood
from proofs_check.evidence.gossip_convex import studies as settings
from proofs_check.evidence.gossip_convex import studies_pairs as dual_averaging_gap
from proofs_check.evidence.gossip_convex import studies_pairs as pairwise_bias
from proofs_check.evidence.gossip_convex.closed_forms import DOMAINS
from proofs_check.evidence.gossip_convex.effects import ProjectedFirst, mixed_point
from proofs_check.instruments.graph_ladder import mean_error, modes, noise_spread
from proofs_check.instruments.study import StudyResult, noise_free_rate
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.verdict import Outcome
from theory.constants import Constants
from theory.theorems.dgd import dgd


def refuted(result: StudyResult) -> list[str]:
    return [v.claim for v in result.verdicts if v.outcome is Outcome.REFUTED]


def late(step, topology) -> Method[Any]:
    return StaleDPsgd(DPSGD(step, topology))


def test_late_neighbours_change_the_consensus_distance() -> None:
    assert any(
        v.outcome is Outcome.REFUTED for v in consensus_distance.consensus_distance_simulated(late)
    )


def test_late_neighbours_change_the_transient() -> None:
    assert any(
        v.outcome is Outcome.REFUTED for v in transient_length.transient_length_simulated(late)
    )


def test_late_neighbours_change_the_leading_term() -> None:
    assert gap_free_leading.simulated(late).outcome is Outcome.REFUTED


def test_a_gradient_at_the_mixed_point_stops_elsewhere(monkeypatch) -> None:
    monkeypatch.setattr(dgd_neighbourhood, "_DGD_NEIGHBOURHOOD_GAMMAS", (0.01, 0.02))
    monkeypatch.setattr(dgd_neighbourhood, "_HORIZONS", np.array([50.0, 100.0]))
    assert "rows stop at (I - W + gamma A)^-1 gamma A b" in refuted(
        dgd_neighbourhood.dgd_neighbourhood_measure(mixed_point)
    )


@final
@dataclass(frozen=True)
class Uphill(Gradients):
    """Gradients with the wrong sign."""

    right: Gradients

    note = ", uphill"

    def compute(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        return -self.right.compute(x, t, context)

    def constants(self, problem: Problem) -> Constants:
        return self.right.constants(problem)


def test_projection_before_the_step_leaves_the_set(monkeypatch) -> None:
    monkeypatch.setattr(projected_neighbourhood, "_PROJECTED_NEIGHBOURHOOD_GAMMAS", (0.04, 0.08))
    result = projected_neighbourhood.projected_neighbourhood_measure(
        lambda s, w, where, g: ProjectedFirst(projected_dgd(s, w, where, g))
    )
    assert refuted(result) == [f"all models lie in the {name}" for name in DOMAINS]


def test_no_projection_misses_the_constrained_minimiser(monkeypatch) -> None:
    monkeypatch.setattr(projected_neighbourhood, "_PROJECTED_NEIGHBOURHOOD_GAMMAS", (0.04, 0.08))
    result = projected_neighbourhood.projected_neighbourhood_measure(
        lambda s, w, _where, g: projected_dgd(s, w, Unconstrained(), g)
    )
    assert len(refuted(result)) == 6, result.verdicts


def test_ascent_leaves_the_bound_of_dgd(monkeypatch) -> None:
    monkeypatch.setattr(dgd_bound, "_STEPS", 800)
    verdict, _ = dgd_bound.under_bound(
        "dgd", lambda step, w, _: DPSGD(step, w, Uphill(Sampled())), dgd, Ring(8)
    )
    assert verdict.outcome is Outcome.REFUTED, verdict


def test_ascent_leaves_the_bound_of_dual_averaging() -> None:
    verdict, _ = dual_averaging_gap.under_bound(
        lambda step, w, where, g: DualAveraging(step, w, where, Uphill(g)), Complete(4), 2200
    )
    assert verdict.outcome is Outcome.REFUTED, verdict


@final
@dataclass(frozen=True)
class Homebound(FaultyMethod):
    """Gossip dual averaging whose guests never leave."""

    right: GossipDualAveraging

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, t, context)._replace(guests=state.guests)


def test_guests_that_stay_leave_the_bias() -> None:
    found = pairwise_bias.visits(wrapped(Homebound, GossipDualAveraging), pairwise_bias.problem())
    assert [v.outcome is Outcome.REFUTED for v in found] == [True] * 4


@pytest.mark.parametrize("graph", [Ring(7), StaticExponential(12)], ids=lambda g: g.name)
def test_moments_are_those_of_the_recursion(graph) -> None:
    """Modes against the covariance matrix, step by step."""
    w, gamma, a, n = graph.matrix(0), 0.3, 0.8, graph.n
    assert modes(graph).shape == (n - 1,)
    spread = np.zeros((n, n))
    centre = np.eye(n) - 1 / n
    for steps in range(1, 30):
        move = w - gamma * a * np.eye(n)
        spread = move @ spread @ move.T + gamma**2 * np.eye(n)
        exact = float((centre @ spread).trace()) / n
        assert noise_spread(graph, gamma, a, steps) == pytest.approx(exact, rel=1e-12)
        mean = spread.mean() + (1 - gamma * a) ** (2 * steps) * 4
        assert mean_error(n, gamma, a, steps, 2.0) == pytest.approx(float(mean), rel=1e-12)


def test_no_exponent_is_no_support() -> None:
    with np.errstate(invalid="ignore"):
        verdict = noise_free_rate(
            np.array([1.0, 2.0, 4.0]), np.array([-1.0, -2.0, -4.0]), 1.0, 0.1, tight=False,
            subject="", claim="", variable="x", problem="", provenance="",
        )  # fmt: skip
    assert verdict.outcome is Outcome.REFUTED


def test_shortened_problems_keep_their_constants() -> None:
    problem, point = settings.setting(16)
    assert float(problem.rows.norm(dim=-1).max()) == pytest.approx(1.0, abs=1e-12)
    twice = replace(problem, rows=2 * problem.rows)
    assert float(twice.value(point)) != float(problem.value(point))
