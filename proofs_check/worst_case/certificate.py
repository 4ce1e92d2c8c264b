"""Certificates: multipliers that prove a programme's value from above, checked in fractions.

For conditions a_i <= 0 and e_j = 0, multipliers l_i >= 0 and m_j of any sign: where goal -
sum l_i a_i - sum m_j e_j has no function value in it and its quadratic part is negative
semidefinite, its constant is at least the goal. Coefficients are the doubles of the programme; as
sums of a few products of doubles they may be off by their rounding, which the margin covers.
Directions of which no condition speaks, as of gradients at x* where heterogeneity has no limit,
are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from proofs_check.worst_case.gram import Expression
from proofs_check.worst_case.programme import Programme, Unsolved
from theory.arrays import Floats

_LIFTS = (1e-8, 1e-7, 1e-6)  # of the goal by a share of all squares, so that multipliers have room
_DENOMINATOR = 2**40
_ROUNDED = Fraction(1, 10**14)  # a coefficient's own error, as a share of those that made it

Matrix = list[list[Fraction]]


@final
@dataclass(frozen=True)
class Certificate:
    """Multipliers of a programme's conditions.

    Attributes:
        limits: of the inequalities, none below 0.
        equal: of the equalities.
    """

    limits: tuple[Fraction, ...]
    equal: tuple[Fraction, ...]


def certificate(programme: Programme, goal: Expression) -> Certificate:
    """Multipliers whose :func:`bound` is near the programme's value.

    Raises:
        Unsolved: none are found.
        ImportError: cvxpy is not installed.
    """
    squares = Expression(_seen_squares(programme, goal), np.zeros(0))
    scale = max(programme.largest(goal).above, 1e-12)
    for lift in _LIFTS:
        try:
            found = programme.multipliers(goal + lift * scale * squares)
        except Unsolved:
            continue
        made = _balanced(programme, goal, *found)
        if made is not None and bound(programme, goal, made) is not None:
            return made
    raise Unsolved("no multipliers are found that prove it in fractions")


def bound(programme: Programme, goal: Expression, given: Certificate) -> Fraction | None:
    """What a certificate proves of a goal from above, in fractions; None: nothing.

    Raises:
        ValueError: as many multipliers as there are conditions are needed, and no matrices.
    """
    if programme.matrices or (len(given.limits), len(given.equal)) != (
        len(programme.limits), len(programme.equal)
    ):  # fmt: skip
        raise ValueError(
            f"{len(programme.limits)} inequalities and {len(programme.equal)} equalities need as "
            f"many multipliers, got {len(given.limits)} and {len(given.equal)}"
        )
    if min(given.limits, default=Fraction(0)) < 0:
        return None
    quadratic, linear, constants = programme.rows([*programme.limits, *programme.equal, goal])
    weights = [-one for one in (*given.limits, *given.equal)] + [Fraction(1)]
    used = [(w, k) for k, w in enumerate(weights) if w]
    if any(sum(w * Fraction(linear[k, j]) for w, k in used) for j in range(programme.count)):
        return None
    for place in programme.parts():
        spoken = [place[i] for i in _seen(quadratic[:, place][:, :, place])]
        if not semidefinite(_left(quadratic[:, spoken][:, :, spoken], used)):
            return None
    return sum((w * Fraction(constants[k]) for w, k in used), Fraction(0))


def semidefinite(given: Matrix) -> bool:
    """Whether a symmetric matrix of fractions is positive semidefinite, by elimination."""
    rows = [list(row) for row in given]
    for k, row in enumerate(rows):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and any(row[k + 1 :])):
            return False
        for below in rows[k + 1 :]:
            if below[k]:
                share = below[k] / pivot
                below[k:] = [one - share * two for one, two in zip(below[k:], row[k:], strict=True)]
    return True


def _left(quadratic: Floats, used: Sequence[tuple[Fraction, int]]) -> Matrix:
    """What multipliers leave of the goal, turned round, less a margin for rounding."""
    size = range(quadratic.shape[-1])
    left = [[Fraction(0) for _ in size] for _ in size]
    margin = Fraction(0)
    for weight, k in used:
        for i, row in enumerate(quadratic[k].tolist()):
            for j, entry in enumerate(row):
                part = weight * Fraction(entry)
                left[i][j] -= part
                margin += abs(part) * _ROUNDED
    for i in size:
        left[i][i] -= margin
    return left


def _seen(quadratic: Floats) -> list[int]:
    """Columns of matrices ``[K, k, k]`` that span them all: in the others nothing more is seen."""
    rows = {tuple(row) for matrix in quadratic.tolist() for row in matrix if any(row)}
    return _reduced([[Fraction(one) for one in row] for row in rows])[1]


def _seen_squares(programme: Programme, goal: Expression) -> Floats:
    """The projector ``[k, k]`` on what conditions and goal speak of, block by block."""
    quadratic, _, _ = programme.rows([*programme.limits, *programme.equal, goal])
    found = np.zeros(quadratic.shape[1:])
    for place in programme.parts():
        rows = quadratic[:, place][:, :, place].reshape(-1, len(place))
        _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
        spoken = basis[sizes > 1e-9 * max(float(sizes.max(initial=0.0)), 1e-300)]
        found[np.ix_(place, place)] = spoken.T @ spoken
    return found


def _balanced(
    programme: Programme, goal: Expression, limits: Floats, equal: Floats
) -> Certificate | None:
    """Multipliers in fractions that leave no function value: the largest give way, exactly."""
    found = [Fraction(round(max(x, 0.0) * _DENOMINATOR), _DENOMINATOR) for x in limits]
    found += [Fraction(round(x * _DENOMINATOR), _DENOMINATOR) for x in equal]
    _, linear, _ = programme.rows([*programme.limits, *programme.equal, goal])
    due = [
        Fraction(linear[-1, j]) - sum(w * Fraction(linear[k, j]) for k, w in enumerate(found))
        for j in range(programme.count)
    ]
    order = sorted(range(len(found)), key=lambda k: -abs(found[k]))
    moves = _solved([[Fraction(linear[k, j]) for k in order] for j in range(len(due))], due)
    if moves is None:
        return None
    for k, move in zip(order, moves, strict=True):
        found[k] += move
    count = len(programme.limits)
    return Certificate(tuple(found[:count]), tuple(found[count:]))


def _solved(rows: Matrix, due: Sequence[Fraction]) -> list[Fraction] | None:
    """A solution of linear equations in the first unknowns that have one; None: there is none."""
    width = len(rows[0]) if rows else 0
    left, pivots = _reduced([[*row, right] for row, right in zip(rows, due, strict=True)])
    if width in pivots:
        return None
    found = [Fraction(0)] * width
    for at, k in enumerate(pivots):
        found[k] = left[at][-1]
    return found


def _reduced(rows: Matrix) -> tuple[Matrix, list[int]]:
    """The reduced echelon form, and its columns with a pivot."""
    left, pivots = [list(row) for row in rows], list[int]()
    for k in range(len(left[0]) if left else 0):
        at = len(pivots)
        best = next((i for i in range(at, len(left)) if left[i][k]), None)
        if best is None:
            continue
        left[at], left[best] = left[best], left[at]
        left[at] = [one / left[at][k] for one in left[at]]
        for i, row in enumerate(left):
            if i != at and row[k]:
                share = row[k]
                left[i] = [one - share * two for one, two in zip(row, left[at], strict=True)]
        pivots.append(k)
    return left, pivots
