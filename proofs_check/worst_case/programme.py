"""Programmes: the largest value of an expression over all that conditions allow."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse

from proofs_check.worst_case.functions import FunctionClass, SampledPoint
from proofs_check.worst_case.gram import DEVIATION, MEAN, Expression, Vector
from theory.arrays import Floats
from theory.optional import need_cvxpy

_EXACT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


class Unsolved(RuntimeError):
    """The solver found no worst case: it is unbounded, or the programme is beyond the solver."""


@final
@dataclass(frozen=True)
class WorstCase:
    """What a programme found.

    Attributes:
        value: the largest value, of the instance that ``gram`` and ``values`` are.
        above: what the multipliers prove of it from above; both agree to the solver's error.
        gram: inner products of all basis vectors.
        values: function values.
    """

    value: float
    above: float
    gram: Floats
    values: Floats

    def number(self, expression: Expression) -> float:
        """An expression at the worst case."""
        k, m = len(expression.quadratic), len(expression.linear)
        found = (expression.quadratic * self.gram[:k, :k]).sum()
        return float(found + expression.linear @ self.values[:m] + expression.constant)

    def points(self, vectors: Sequence[Vector], tolerance: float = 1e-7) -> Floats:
        """Coordinates of vectors ``[k, r]``, r the rank of the Gram matrix."""
        eigen, basis = np.linalg.eigh(self.gram)
        kept = eigen > tolerance * max(float(eigen[-1]), 1e-300)
        root = basis[:, kept] * np.sqrt(eigen[kept])
        rows = np.zeros((len(vectors), len(root)))
        for row, one in zip(rows, vectors, strict=True):
            row[: len(one.coefficients)] = one.coefficients
        found: Floats = (rows @ root)[:, ::-1].copy()
        return found


@final
class Programme:
    """Vectors, function values, and what is asked of them."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.count = 0
        self.limits: list[Expression] = []
        self.equal: list[Expression] = []
        self.matrices: list[list[list[Expression]]] = []

    def copied(self) -> Programme:
        """The same, for more conditions."""
        new = Programme()
        new.blocks, new.count = list(self.blocks), self.count
        new.limits, new.equal = list(self.limits), list(self.equal)
        new.matrices = list(self.matrices)
        return new

    def vector(self, block: str = MEAN) -> Vector:
        """A new basis vector of the Gram matrix."""
        self.blocks.append(block)
        k = len(self.blocks)
        return Vector(np.eye(k)[k - 1], self.blocks)

    def agent(self) -> Vector:
        """A vector of every agent, all of them alike: a mean and a deviation of it."""
        return self.vector() + self.vector(DEVIATION)

    def zero(self) -> Vector:
        """The origin, a vector of zeros."""
        return Vector(np.zeros(0), self.blocks)

    def value(self) -> Expression:
        """A new variable for a function value."""
        self.count += 1
        return Expression(np.zeros((0, 0)), np.eye(self.count)[self.count - 1])

    def at_most(self, expression: Expression, bound: float = 0.0) -> None:
        """Ask for ``expression`` <= ``bound``."""
        self.limits.append(expression - bound)

    def equate(self, expression: Expression) -> None:
        """Ask for ``expression`` = 0."""
        self.equal.append(expression)

    def negative(self, matrix: list[list[Expression]]) -> None:
        """Ask for a symmetric matrix to be negative semidefinite."""
        self.matrices.append(matrix)

    def function(self, kind: FunctionClass, samples: Sequence[SampledPoint]) -> None:
        """Ask for samples to be those of one function of a class."""
        self.limits.extend(kind.conditions(samples))

    def rows(self, expressions: Sequence[Expression]) -> tuple[Floats, Floats, Floats]:
        """Expressions as rows: of the Gram matrix ``[m, k, k]``, of values ``[m, v]``, constants
        ``[m]``."""
        k = len(self.blocks)
        quadratic = np.zeros((len(expressions), k, k))
        linear = np.zeros((len(expressions), self.count))
        for i, one in enumerate(expressions):
            size = len(one.quadratic)
            quadratic[i, :size, :size] = one.quadratic
            linear[i, : len(one.linear)] = one.linear
        return quadratic, linear, np.array([one.constant for one in expressions])

    def parts(self) -> list[list[int]]:
        """Indices of the basis vectors of each block."""
        names = list(dict.fromkeys(self.blocks))
        return [[i for i, one in enumerate(self.blocks) if one == name] for name in names]

    def largest(self, goal: Expression) -> WorstCase:
        """The largest value of ``goal``.

        Raises:
            Unsolved: there is none, or the solver does not find it.
            ImportError: cvxpy is not installed.
        """
        model = _Model(self)
        cp, posed = model.cp, model.posed()
        wanted = model.affine([goal])[0]
        problem = cp.Problem(cp.Maximize(wanted), posed)
        solve(cp, problem)
        return WorstCase(
            float(wanted.value), float(model.above(goal)), model.gram_value(),
            np.array(model.values.value) if model.values is not None else np.zeros(0),
        )  # fmt: skip

    def multipliers(self, goal: Expression) -> tuple[Floats, Floats]:
        """Those of the inequalities and of the equalities at the largest value of ``goal``.

        Raises:
            Unsolved: there is none, or the solver does not find it.
            ImportError: cvxpy is not installed.
        """
        model = _Model(self)
        posed = model.posed()
        solve(model.cp, model.cp.Problem(model.cp.Maximize(model.affine([goal])[0]), posed))
        duals = [np.atleast_1d(np.asarray(one.dual_value, dtype=np.float64)) for one in posed]
        limits = duals.pop(0) if self.limits else np.zeros(0)
        return limits, duals.pop(0) if self.equal else np.zeros(0)


def solve(cp: Any, problem: Any) -> None:
    """Solve with Clarabel.

    Raises:
        Unsolved: no optimum was found.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # says that a solution may be inaccurate
        try:
            problem.solve(solver=cp.CLARABEL, **_EXACT)
        except cp.error.SolverError as error:
            raise Unsolved(str(error)) from error
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        raise Unsolved(f"the programme is {problem.status}")


@final
class _Model:
    """A programme in cvxpy's terms."""

    def __init__(self, programme: Programme) -> None:
        self.cp = need_cvxpy("worst cases")
        self.programme = programme
        self.places = programme.parts()
        self.grams = [self.cp.Variable((len(p), len(p)), PSD=True) for p in self.places]
        self.values = self.cp.Variable(programme.count) if programme.count else None
        self.constraints: list[Any] = []

    def affine(self, expressions: Sequence[Expression]) -> Any:
        """Expressions as one vector."""
        quadratic, linear, constants = self.programme.rows(expressions)
        found: Any = constants
        for place, gram in zip(self.places, self.grams, strict=True):
            rows = quadratic[:, place][:, :, place].reshape(len(expressions), -1)
            found = found + sparse.csr_matrix(rows) @ self.cp.vec(gram, order="C")
        if self.values is not None:
            found = found + sparse.csr_matrix(linear) @ self.values
        return found

    def posed(self) -> list[Any]:
        """All constraints: limits, equalities, matrices."""
        given = self.programme
        if given.limits:
            self.constraints.append(self.affine(given.limits) <= 0)
        if given.equal:
            self.constraints.append(self.affine(given.equal) == 0)
        for matrix in given.matrices:
            size = len(matrix)
            flat = self.affine([one for row in matrix for one in row])
            square = self.cp.reshape(flat, (size, size), order="C")
            self.constraints.append((square + square.T) / 2 << 0)
        return self.constraints

    def above(self, goal: Expression) -> float:
        """The dual's value: goal <= its constant - sum of multipliers times constants."""
        given = self.programme
        found, k = goal.constant, 0
        for group in (given.limits, given.equal):
            if group:
                dual = np.asarray(self.constraints[k].dual_value)
                found -= float(dual @ np.array([one.constant for one in group]))
                k += 1
        return found

    def gram_value(self) -> Floats:
        """The Gram matrix of all basis vectors."""
        size = len(self.programme.blocks)
        found = np.zeros((size, size))
        for place, gram in zip(self.places, self.grams, strict=True):
            found[np.ix_(place, place)] = gram.value
        return (found + found.T) / 2
