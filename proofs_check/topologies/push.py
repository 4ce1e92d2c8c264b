"""Is a push topology what it claims to be? Columns, links, and push-sum run by the code."""

from __future__ import annotations

import math

import numpy as np

from algorithms.topologies.base import PushTopology, product
from proofs_check.topologies.mixing import lists, rows_after
from proofs_check.topologies.stochastic import column_sums, topology_verdict
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.mixing import MixingError, check_push_sequence

_AGREED = 1e-13  # |lambda_2|^k at which push-sum is looked at
_ROUNDING = 1e-9  # allowed of values of order 1 after that many steps


def check_push(topology: PushTopology) -> tuple[Verdict, ...]:
    """All checks of one push topology; one whose columns or links are at fault is refuted."""
    try:
        matrices = [topology.matrix(t) for t in range(topology.period)]
    except MixingError as error:
        claim = "P is a push matrix"
        return (topology_verdict(topology, claim, "weights", Outcome.REFUTED, str(error)),)
    verdicts = (column_sums(topology, matrices), joined(topology, matrices))
    if any(v.outcome is Outcome.REFUTED for v in verdicts):
        return verdicts
    return (*verdicts, lists(topology, matrices), push_sum(topology), one_limit(topology))


def joined(topology: PushTopology, matrices: list[Floats]) -> Verdict:
    """Everyone hears from everyone over one period, and keeps a part of its own."""
    claim = "all workers hear from each other along directed links of one period"
    try:
        check_push_sequence(matrices)
    except MixingError as error:
        return topology_verdict(topology, claim, "graph search", Outcome.REFUTED, str(error))
    said = f"{topology.n} workers, period {topology.period}"
    return topology_verdict(topology, claim, "graph search", Outcome.PROVED, said)


def push_sum(topology: PushTopology, seed: int = 0) -> Verdict:
    r"""x_{t+1} = P_t x_t, w_{t+1} = P_t w_t from w_0 = 1: x_i / w_i goes to the mean of x_0.

    Run by the kernel that methods use until the second eigenvalue of a period's product has fallen
    to 1e-13; the ratios must be the mean to 1e-9.
    """
    start = np.random.default_rng(seed).standard_normal((topology.n, 4))
    steps = topology.period * _periods(topology)
    after = rows_after(topology, np.column_stack([start, np.ones(topology.n)]), steps)
    off = float(np.abs(after[:, :-1] / after[:, -1:] - start.mean(axis=0)).max())
    lost = float(np.abs(after.sum(axis=0)[:-1] - start.sum(axis=0)).max())
    worst = max(off, lost)
    outcome = Outcome.AGREES if worst <= _ROUNDING else Outcome.REFUTED
    said = f"{steps} steps: largest distance from the mean {off:.2g}, lost of the sum {lost:.2g}"
    claim = "push-sum reaches the exact mean, and loses nothing of the sum"
    return topology_verdict(
        topology, claim, "push-sum", outcome, said, worst, _ROUNDING,
        f"Kempe, Dobra, Gehrke 2003; Assran et al. 2019, arXiv:1811.10792; seed {seed}",
    )  # fmt: skip


def one_limit(topology: PushTopology) -> Verdict:
    """Powers of the product go to pi 1^T: every column alike, as eigenvectors say."""
    limit = np.linalg.matrix_power(product(topology), _periods(topology))
    values, vectors = np.linalg.eig(product(topology))
    pi = np.real(vectors[:, int(np.abs(values - 1.0).argmin())])
    off = float(np.abs(limit - (pi / pi.sum())[:, None]).max())
    outcome = Outcome.AGREES if off <= _ROUNDING else Outcome.REFUTED
    said = f"largest distance of a power from the eigenvector {off:.2g}"
    claim = "what a worker has ends up shared as the eigenvector of eigenvalue 1 says"
    return topology_verdict(topology, claim, "eigenvector", outcome, said, off, _ROUNDING)


def _periods(topology: PushTopology) -> int:
    moduli = np.sort(np.abs(np.linalg.eigvals(product(topology))))
    second = float(moduli[-2]) if topology.n > 1 else 0.0
    return 1 + math.ceil(math.log(_AGREED) / math.log(min(max(second, _AGREED), 1 - 1e-4)))
