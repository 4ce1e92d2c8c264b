"""Do weights sum to 1? In exact arithmetic, for mixing and for push matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from algorithms.topologies.base import MixingSequence, PushTopology, Topology
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

_SNAP = 2.0**-50  # how near a weight must be to the rational it stands for
_DENOMINATOR = 4096  # largest denominator of a weight that is read as a rational
_ROUNDING = Fraction(1, 10**12)  # allowed of sums of other weights


def line_sums(topology: Topology, matrices: list[Floats]) -> Verdict:
    """Rows and columns sum to 1: exactly, if every weight is a rational of small denominator.

    A weight within 2^-50 of p / q, q <= 4096, is read as p / q (two such rationals are at least
    2^-24 apart) and sums are taken in fractions: proved. Other weights are summed as the dyadic
    fractions that they are, which must give 1 within 1e-12: agrees.
    """
    sign = "" if topology.signed else "is non-negative and "
    claim = f"every row and column of W {sign}sums to 1"
    return _sums(topology, claim, matrices, rows=True, signed=topology.signed)


def column_sums(topology: PushTopology, matrices: list[Floats]) -> Verdict:
    """Columns sum to 1, in fractions as :func:`line_sums`; rows need not."""
    claim = "every column of P is non-negative and sums to 1"
    return _sums(topology, claim, matrices, rows=False, signed=False)


def _sums(
    topology: MixingSequence, claim: str, matrices: list[Floats], *, rows: bool, signed: bool
) -> Verdict:
    check, exact, worst = "exact arithmetic", True, Fraction(0)
    for w in matrices:
        if not np.isfinite(w).all() or (not signed and (w < 0).any()):
            said = "a weight is negative or not finite"
            return topology_verdict(topology, claim, check, Outcome.REFUTED, said)
        rational, entries = _fractions(w)
        exact = exact and rational
        lines = [*zip(*entries, strict=True), *(map(tuple, entries) if rows else ())]
        worst = max(worst, *(abs(sum(line, Fraction(0)) - 1) for line in lines))
    if exact:
        outcome = Outcome.REFUTED if worst else Outcome.PROVED
    else:
        outcome = Outcome.REFUTED if worst > _ROUNDING else Outcome.AGREES
    kind = "rational" if exact else "dyadic"
    said = f"{kind} weights of {len(matrices)} matrices; largest |sum - 1| = {float(worst):.3g}"
    return topology_verdict(topology, claim, check, outcome, said, float(worst), 0.0)


def _fractions(w: Floats) -> tuple[bool, list[list[Fraction]]]:
    """Whether all weights are small rationals, and the weights as fractions."""
    values = {float(v): Fraction(float(v)) for v in np.unique(w)}
    small = {v: f.limit_denominator(_DENOMINATOR) for v, f in values.items()}
    rational = all(abs(small[v] - values[v]) <= Fraction(_SNAP) for v in values)
    table = small if rational else values
    return rational, [[table[float(v)] for v in row] for row in w]


def topology_verdict(
    topology: MixingSequence,
    claim: str,
    check: str,
    outcome: Outcome,
    evidence: str,
    statistic: float | None = None,
    bound: float | None = None,
    provenance: str = "",
) -> Verdict:
    """A verdict on a topology."""
    return Verdict(
        topology.name, claim, check, outcome, statistic, bound,
        kind=CheckKind.TOPOLOGY, evidence=evidence, provenance=provenance,
    )  # fmt: skip
