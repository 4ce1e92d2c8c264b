"""Is a topology what it claims to be? Stochasticity, spectrum, contraction, published values."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import torch
from scipy.sparse.csgraph import connected_components

from algorithms.kernels.mixing import mix
from algorithms.topologies.base import MixingSequence, Topology, product
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from proofs_check.topologies.stochastic import line_sums, topology_verdict
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.mixing import MixingError, check_sequence, spectrum

_IDENTITY = 1e-12  # tolerance of identities in double precision

REFERENCE: tuple[tuple[Topology, float], ...] = (
    (Ring(4), 0.33333333),
    (Ring(8), 0.80473785),
    (Ring(16), 0.94925302),
    (Ring(32), 0.98719019),
    (Hypercube(8), 0.5),
    (Star(8), 0.875),
)
"""Second moduli as another program computed them, to 8 decimals; rings (1 + 2 cos(2 pi / n)) / 3,
hypercube 1 - 2 / (log2 n + 1), star 1 - 1 / n."""


def check_topology(topology: Topology) -> tuple[Verdict, ...]:
    """All checks that apply to one topology; a W that is not doubly stochastic is refuted."""
    try:
        matrices = [topology.matrix(t) for t in range(topology.period)]
    except MixingError as error:
        return (
            topology_verdict(
                topology, "W is a mixing matrix", "weights", Outcome.REFUTED, str(error)
            ),
        )
    verdicts = [line_sums(topology, matrices), connected(topology, matrices)]
    if any(v.outcome is Outcome.REFUTED for v in verdicts):
        return tuple(verdicts)
    verdicts += [lists(topology, matrices), contraction(topology)]
    stated = topology.stated_lam()
    if stated is not None:
        verdicts.append(closed_form(topology, stated))
    if topology.period == 1 and _normal(matrices[0]) and _lam(topology) > _IDENTITY:
        verdicts.append(attained(topology))
    if isinstance(topology, OnePeerExponential):
        verdicts.append(exact_average(topology))
    if isinstance(topology, Lazy):
        verdicts.append(lazy_spectrum(topology))
    return tuple(verdicts)


def check_reference() -> tuple[Verdict, ...]:
    """lam of rings, a hypercube and a star against :data:`REFERENCE`, to its 8 decimals."""
    return tuple(
        _near(t, "lam equals its published value", "reference value", _lam(t), value, 5e-9)
        for t, value in REFERENCE
    )


def connected(topology: Topology, matrices: list[Floats]) -> Verdict:
    """All workers hear from each other over one period, by scipy's components too; of two copies
    side by side, which never meet, the door says that they do not."""
    claim, said = "the graph of one period joins all workers", ""
    try:
        check_sequence(matrices, signed=topology.signed)
    except MixingError as error:
        said = str(error)
    linked = np.any([m != 0.0 for m in matrices], axis=0)
    parts = int(connected_components(linked, directed=False, return_labels=False))
    if not said and parts > 1:
        said = f"it has {parts} components, which were not refused"
    apart = np.eye(2)
    with suppress(MixingError):
        check_sequence([np.kron(apart, m) for m in matrices], signed=topology.signed)
        said = said or "two copies of it that never meet were not refused"
    if said:
        return topology_verdict(topology, claim, "graph search", Outcome.REFUTED, said)
    said = f"{topology.n} workers, period {topology.period}"
    return topology_verdict(topology, claim, "graph search", Outcome.PROVED, said)


def lists(topology: MixingSequence, matrices: list[Floats]) -> Verdict:
    """Action of the code on unit vectors, through its lists of neighbours, is W bit for bit."""
    unit = torch.eye(topology.n, dtype=torch.float64)
    wrong = 0
    for t, w in enumerate(matrices):
        near = topology.neighbours(t)
        mixed = mix(unit, near.index, near.weight)
        wrong += int((mixed != torch.tensor(w)).sum())
    outcome = Outcome.REFUTED if wrong else Outcome.AGREES
    said = f"{wrong} of {len(matrices) * topology.n**2} weights differ"
    claim = "one step of gossip by the code is x <- W x"
    return topology_verdict(topology, claim, "unit vectors", outcome, said, float(wrong), 0.0)


def closed_form(topology: Topology, stated: float) -> Verdict:
    """The closed form of lam against the singular values of the weights, to 1e-12."""
    claim = "lam by its closed form is the second singular value of W over one period"
    return _near(topology, claim, "closed form", _lam(topology), stated, _IDENTITY)


def contraction(topology: Topology, periods: int = 20, d: int = 8, seed: int = 0) -> Verdict:
    r"""$\|W^t x - \bar x\|_F \le \lambda^t \|x - \bar x\|_F$ along gossip run by the code.

    t counts whole periods; x is drawn at random. Rounding allows 1e-12 of the start.
    """
    x = np.random.default_rng(seed).standard_normal((topology.n, d))
    lam = topology.constants().need("lam")
    distances = _gossip(topology, x, periods)
    allowed = lam ** np.arange(1, periods + 1) * distances[0]
    excess = float((distances[1:] - allowed).max()) / max(distances[0], 1.0)
    outcome = Outcome.SUPPORTED if excess <= _IDENTITY else Outcome.REFUTED
    said = f"{periods} periods from a random x, d = {d}: largest excess {excess:.2g} of the start"
    claim = "gossip contracts by lam per period: ||W^t x - xbar|| <= lam^t ||x - xbar||"
    return topology_verdict(topology, claim, "gossip", outcome, said, excess, 0.0, f"seed {seed}")


def attained(topology: Topology, steps: int = 10) -> Verdict:
    """Equality in the contraction on the eigenvector of the second modulus (normal W only).

    A complex eigenvector enters as two columns, its real and imaginary part.
    """
    w = topology.matrix(0)
    values, vectors = np.linalg.eig(w - 1.0 / topology.n)
    v = vectors[:, int(np.abs(values).argmax())]
    distances = _gossip(topology, np.stack([v.real, v.imag], axis=1), steps)
    wanted = topology.constants().need("lam") ** np.arange(steps + 1) * distances[0]
    off = float(np.abs(distances - wanted).max())
    said = f"{steps} steps from the eigenvector: largest |distance - lam^t| = {off:.2g}"
    claim = "the contraction by lam is attained on an eigenvector"
    return topology_verdict(
        topology, claim, "gossip on the eigenvector", _equal(off), said, off, 0.0, "numpy's eig"
    )


def exact_average(topology: OnePeerExponential) -> Verdict:
    """log2 n steps of the code average whole numbers exactly: halves of integers are exact."""
    n = topology.n
    start = np.stack([np.arange(n) * n, np.eye(n)[0] * n**2], axis=1).astype(np.float64)
    x = rows_after(topology, start, topology.period)
    left = float(np.abs(x - start.mean(axis=0)).max())
    outcome = Outcome.REFUTED if left else Outcome.AGREES
    said = f"after {topology.period} steps the largest distance from the mean is {left:g}"
    claim = "log2 n steps average exactly"
    source = "Ying et al. 2021, arXiv:2110.13363"
    return topology_verdict(topology, claim, "whole numbers", outcome, said, left, 0.0, source)


def lazy_spectrum(topology: Lazy) -> Verdict:
    """Eigenvalues of (W + W^T) / 2 move to (1 + mu) / 2, for every matrix of the period."""
    off = 0.0
    for t in range(topology.period):
        before, after = (_eigenvalues(p.matrix(t)) for p in (topology.topology, topology))
        off = max(off, float(np.abs(after - (1.0 + before) / 2.0).max()))
    said = f"largest distance {off:.2g} over {topology.period} matrices"
    claim = "lazy weights move every eigenvalue mu to (1 + mu) / 2"
    return topology_verdict(topology, claim, "eigenvalues", _equal(off), said, off, 0.0)


def _eigenvalues(w: Floats) -> Floats:
    return np.asarray(np.linalg.eigvalsh((w + w.T) / 2.0))


def _normal(w: Floats) -> bool:
    return w.shape[0] > 1 and bool(np.abs(w @ w.T - w.T @ w).max() < 1e-14)


def _lam(topology: Topology) -> float:
    return spectrum(product(topology)).lam


def rows_after(topology: MixingSequence, x: Floats, steps: int) -> Floats:
    """Rows after ``steps`` steps of gossip, by the kernel that methods run."""
    rows = torch.from_numpy(x)
    for t in range(steps):
        near = topology.neighbours(t)
        rows = mix(rows, near.index, near.weight)
    return np.asarray(rows.numpy())


def _gossip(topology: Topology, x: Floats, periods: int) -> Floats:
    """Distances ||x_t - xbar_0||_F after 0, 1, ..., ``periods`` periods."""
    mean = x.mean(axis=0)
    distances = [np.linalg.norm(x - mean)]
    for _ in range(periods):
        x = rows_after(topology, x, topology.period)
        distances.append(np.linalg.norm(x - mean))
    return np.asarray(distances)


def _equal(distance: float) -> Outcome:
    return Outcome.AGREES if distance <= _IDENTITY else Outcome.REFUTED


def _near(
    topology: Topology, claim: str, check: str, value: float, wanted: float, tolerance: float
) -> Verdict:
    outcome = Outcome.AGREES if abs(value - wanted) <= tolerance else Outcome.REFUTED
    said = f"lam = {value:.15g}, stated {wanted:.15g}, tolerance {tolerance:g}"
    return topology_verdict(topology, claim, check, outcome, said, value, wanted)
