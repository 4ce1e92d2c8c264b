"""Lyapunov functions of one step: the least factor by which one of a family must fall.

For a state xi and its successor xi+ the search asks for P positive semidefinite, p >= 0 and
multipliers l >= 0 of the conditions M_j <= 0 such that, as matrices and coefficients of values,
xi+' P xi+ + p f+ - rho (xi' P xi + p f) <= sum_j l_j M_j (Taylor, Van Scoy, Lessard 2018,
arXiv:1803.06073; Upadhyaya, Banert, Taylor, Giselsson 2023, arXiv:2302.06713).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from proofs_check.worst_case.gram import Expression, Vector
from proofs_check.worst_case.programme import Programme, Unsolved, WorstCase, solve
from theory.arrays import Floats
from theory.optional import need_cvxpy

_PRECISION = 1e-9
_FLOOR = 1e-4
"""The least eigenvalue of P, whose trace is 1: what is weighed by less than the solver's error is
weighed by nothing."""

_FEASIBLE = 1e-9
"""How far below 0 the margin of a search may lie: solvers find 1e-9."""


@final
@dataclass(frozen=True)
class Lyapunov:
    """A function that falls at every step by ``rate``.

    Attributes:
        rate: the least factor that the search found.
        weights: P of each block of the state.
        linear: p, the weights of the function values.
    """

    rate: float
    weights: tuple[Floats, ...]
    linear: Floats


@final
class LyapunovSearch:
    """A step's conditions with the states before and after it.

    All conditions must be homogeneous: the origin is x*, and no bound is put on the state.

    Raises:
        ValueError: states of two lengths, or a condition with a constant.
    """

    def __init__(
        self,
        programme: Programme,
        before: Sequence[Vector],
        after: Sequence[Vector],
        values: Sequence[tuple[Expression, Expression]] = (),
    ) -> None:
        if len(before) != len(after):
            raise ValueError("a state and its successor must have as many parts as each other")
        if any(one.constant for one in (*programme.limits, *programme.equal)):
            raise ValueError("conditions must be homogeneous")
        self._programme, self._values = programme, tuple(values)
        self._before, self._after = self._coefficients(before), self._coefficients(after)

    def _coefficients(self, state: Sequence[Vector]) -> Floats:
        rows = np.zeros((len(state), len(self._programme.blocks)))
        for row, one in zip(rows, state, strict=True):
            row[: len(one.coefficients)] = one.coefficients
        return rows

    def least(
        self, low: float = 0.0, high: float = 1.0, precision: float = _PRECISION
    ) -> Lyapunov | None:
        """The least rate in [low, high], to ``precision``; None: not even ``high`` is one.

        Raises:
            ImportError: cvxpy is not installed.
        """
        posed = self._posed()
        found = self._tried(posed, high)
        if found is None:
            return None
        while high - low > precision * high:
            middle = (low + high) / 2
            better = self._tried(posed, middle)
            if better is None:
                low = middle
            else:
                found, high = better, middle
        return found

    def worst(self, found: Lyapunov) -> WorstCase:
        """The largest value of a Lyapunov function after the step where it is at most 1 before:
        its rate by another programme, which puts the search's tolerance in numbers.

        Raises:
            Unsolved: it has none, or the solver does not find it.
        """
        given = self._programme
        size = len(given.blocks)
        forms = np.zeros((2, size, size))
        for place, P in zip(given.parts(), found.weights, strict=True):
            part, kept = self._block(place)
            for form, state in zip(forms, part, strict=True):
                form[np.ix_(place, place)] = state[kept].T @ P @ state[kept]
        before, after = (Expression(form, np.zeros(0)) for form in forms)
        for weight, pair in zip(found.linear, self._values, strict=True):
            before, after = before + weight * pair[0], after + weight * pair[1]
        bounded = given.copied()
        bounded.at_most(before, 1.0)
        return bounded.largest(after)

    def _tried(self, posed: Any, rate: float) -> Lyapunov | None:
        cp = need_cvxpy("worst cases")
        problem, rho, weights, linear = posed
        rho.value = rate
        try:
            solve(cp, problem)
        except Unsolved:
            return None
        if problem.value is None or problem.value < -_FEASIBLE:
            return None
        found = tuple(np.array(one.value) for one in weights)
        return Lyapunov(rate, found, np.zeros(0) if linear is None else np.array(linear.value))

    def _posed(self) -> Any:
        """The search for one rho, a parameter: the largest margin of the inequality."""
        cp = need_cvxpy("worst cases")
        given = self._programme
        rho, margin = cp.Parameter(nonneg=True), cp.Variable()
        conditions = [*given.limits, *given.equal]
        quadratic, linear, _ = given.rows(conditions)
        many = len(given.limits)
        l = cp.Variable(len(conditions))  # noqa: E741
        duals = [cp.Variable((len(m), len(m)), PSD=True) for m in given.matrices]
        flat = [given.rows([e for row in m for e in row]) for m in given.matrices]
        p = cp.Variable(len(self._values), nonneg=True) if self._values else None
        limits: list[Any] = [l[:many] >= 0]
        weights, size = [], 0.0 if p is None else cp.sum(p)
        for place in given.parts():
            part, kept = self._block(place)
            P = cp.Variable((len(kept), len(kept)), PSD=True)
            weights.append(P)
            limits.append(P >> _FLOOR * np.eye(len(kept)))
            size = size + cp.trace(P)
            x, y = (part[0][kept], part[1][kept])
            left = y.T @ P @ y - rho * (x.T @ P @ x)
            flatter = quadratic[:, place][:, :, place].reshape(len(conditions), -1)
            right = cp.reshape(l @ flatter, (len(place), len(place)), order="C")
            for dual, (q, _, _) in zip(duals, flat, strict=True):
                rows = q[:, place][:, :, place].reshape(len(q), -1)
                right = right + cp.reshape(
                    cp.vec(dual, order="C") @ rows, (len(place), len(place)), order="C"
                )
            gap = right - left
            limits.append((gap + gap.T) / 2 >> margin * np.eye(len(place)))
        if given.count:
            before, after = (given.rows([v[k] for v in self._values])[1] for k in (0, 1))
            change = l @ linear
            if p is not None:
                change = change - p @ after + rho * (p @ before)
            limits.append(change == 0)
        limits += [size == 1, margin <= 0]
        return cp.Problem(cp.Maximize(margin), limits), rho, weights, p

    def _block(self, place: list[int]) -> tuple[tuple[Floats, Floats], list[int]]:
        """The state before and after in one block, and parts of it that say what all say."""
        x, y = self._before[:, place], self._after[:, place]
        kept: list[int] = []
        for k in range(len(x)):
            if np.linalg.matrix_rank(x[[*kept, k]]) > len(kept):
                kept.append(k)
        return (x, y), kept
