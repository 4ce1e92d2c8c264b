"""Steady variance of gossip is that of one worker over n_W, whatever the spectral gap says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.whitened import models_at_end
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.effective_neighbours import diffusion_variance, effective_neighbours
from theory.networks.mixing import spectrum
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep

COVERS = ("cooperative-sgd",)

_N, _D, _STEPS, _STEP, _SEED = 12, 16, 60, 0.3, 9
_LEFT = (1 - _STEP) ** 2
_SOURCE = "Vogels, Hendrikx, Jaggi 2022, arXiv:2206.03093, Definition A"

Neighbours = Callable[[Floats, float], float]


def by_the_gap(w: Floats, _decay: float) -> float:
    """A wrong count: as if the spectral gap told it, 1 + (n - 1) gap."""
    return 1 + (len(w) - 1) * spectrum(w).gap


def steady_variance(topology: Topology, count: Neighbours = effective_neighbours) -> Verdict:
    """Mean square of workers' models around x* over that of one worker alone, by n_W."""
    one = torch.ones(_N, _D, dtype=torch.float64)
    problem = Quadratic.from_arrays(one, torch.zeros_like(one), sigma2=float(_D))
    method = Cooperative(ConstantStep(_STEP), Gossip(topology))
    got = models_at_end(method, problem, _STEPS, _SEED)
    w = topology.matrix(0)
    expected = _STEP**2 / (1 - _LEFT) / count(w, _LEFT)
    gap = spectrum(w).gap
    return mean_value(
        "cooperative-sgd",
        f"on a {topology.name} the steady variance is that of one worker over n_W",
        np.square(got).mean(axis=1), expected, check="effective neighbours", problem="quadratic",
        provenance=f"{_SOURCE}; {_STEPS} steps, seed {_SEED}",
        note=f"n_W({_LEFT:.2g}) = {effective_neighbours(w, _LEFT):.4g} of {_N}, gap {gap:.3g}",
    )  # fmt: skip


def closed_form_is_the_limit(topology: Topology) -> Verdict:
    """Eigenvalues against the covariance recursion, run until nothing changes."""
    w, ones = topology.matrix(0), np.ones((_N, 1))
    law = linear_moments(
        [w] * 400, ones, 0 * ones, np.zeros(1), step=_STEP, variance=1.0
    )  # fmt: skip
    return identity(
        "cooperative-sgd", f"on a {topology.name} n_W is the limit of the covariance recursion",
        np.trace(law.covariance[0]) / _N, diffusion_variance(w, _STEP, 1.0, 1.0),
        check="effective neighbours", provenance=_SOURCE,
    )  # fmt: skip


def effective_neighbours_law() -> tuple[Verdict, ...]:
    """A ring and a barbell: the barbell has the smaller gap and the more effective neighbours."""
    pair = (Ring(_N), Barbell(_N // 2))
    return (
        *(closed_form_is_the_limit(one) for one in pair),
        *(steady_variance(one) for one in pair),
    )


CLOSED_FORMS = (effective_neighbours_law,)
