"""ADMM: closed forms on quadratics, planted faults, logistic regression at its minimiser."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import problem
from algorithms.methods.admm_graph import GraphADMM
from algorithms.methods.admm_linearised import LinearisedADMM
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm import admm
from proofs_check.closed_forms.paths import path
from proofs_check.mutants.admm import METHOD_MUTANTS
from proofs_check.mutants.methods import MethodMutant
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep


def test_closed_forms_hold() -> None:
    assert [v for v in admm() if v.outcome is not Outcome.PROVED] == []


@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda m: m.name)
def test_planted_faults_are_seen(mutant: MethodMutant) -> None:
    assert mutant.refute().outcome is Outcome.REFUTED
    assert mutant.genuine().outcome is Outcome.PROVED


@pytest.mark.parametrize("coupling", [0.0, -1.0])
def test_coupling_must_be_positive(coupling: float) -> None:
    with pytest.raises(ValueError, match=f"got coupling={coupling}"):
        LinearisedADMM(ConstantStep(1.0), Ring(4), coupling=coupling)


def test_d_admm_needs_as_many_workers_as_nodes() -> None:
    p = problem("quadratic-sc", 4)
    with pytest.raises(ValueError, match=f"n={p.n + 1} nodes"):
        next(path(GraphADMM(ConstantStep(1.0), Ring(p.n + 1)), p, 1))


def test_d_admm_ends_at_the_centralised_logistic_minimiser() -> None:
    """Against the minimiser that conjugate gradients and Newton find for the pooled data."""
    p = problem("logreg-breast-cancer", 4).double()
    assert p.x_star is not None
    *_, last = path(GraphADMM(ConstantStep(10.0), Ring(p.n)), p, 300)
    assert torch.allclose(last.state.x[0], p.x_star.expand(p.n, -1), rtol=0, atol=1e-8)
