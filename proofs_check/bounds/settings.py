"""Problems, statements and methods that settings of bounds share."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.compressors.base import Compressor
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.least_squares_data import rising
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser
from proofs_check.bounds.check import Make
from theory.constants import Constants

STRONG = L2(0.5)
BOUNDED = BoundedNonconvex(0.1)
SC, IID, PL = "quadratic-sc", "quadratic-sc-iid", "quadratic-pl"
NONCONVEX, LOGREG = "nonconvex-breast-cancer", "logreg-breast-cancer, lam 0.5"
RISING = "least squares, rising curvature"  # no uniform zeta2: Hessians differ


def same_shards(n: int, regulariser: Regulariser) -> Problem:
    """All n workers hold the whole of breast_cancer: one objective, independent minibatches."""
    whole = breast_cancer(1, regulariser)
    rows = whole.rows.expand(n, -1, -1).contiguous()
    return Logistic(whole.name, rows, regulariser, whole.batch, "all of it on every worker")


def one_objective(problem: Problem) -> Constants:
    """zeta2 = 0, as all workers hold the same samples."""
    return Constants().state(zeta2=0.0)


def from_the_origin(problem: Problem) -> Constants:
    """Models and public copies all start at 0."""
    return Constants().state(initial_potential=0.0)


def second_moment(problem: Problem) -> Constants:
    """The problem's G2, good in a ball around 0; the check verifies that the run stays in it."""
    c = problem.constants()
    return Constants().state(c.statements["G2"], G2=c.need("G2"))


def both(problem: Problem) -> Constants:
    """The second moment, and a start at 0."""
    return second_moment(problem).merge(from_the_origin(problem))


def bsp(compressor: Compressor) -> Make:
    """BSP-SGD with a compressor and without memory."""
    return lambda step, _p, _t: BSP(step, compressor)


def feedback(compressor: Compressor) -> Make:
    """BSP-SGD with error feedback."""
    return lambda step, _p, _t: BSP(step, compressor, ErrorFeedback())


def entry(name: str, n: int = 8) -> Callable[[], Problem]:
    """The catalogue's problem of that name over n workers."""
    return lambda: entries.problem(name, n)


def logreg(n: int) -> Callable[[], Problem]:
    """Logistic regression with a regulariser of 1/2, strongly convex."""
    return lambda: breast_cancer(n, STRONG)


def uneven(n: int) -> Callable[[], Problem]:
    """Non-convex logistic regression on shards of uneven labels."""
    return lambda: breast_cancer(n, BOUNDED, partition=Dirichlet(0.3))


UNEQUAL: tuple[tuple[str, Callable[[], Problem]], ...] = (
    (RISING, rising),
    (LOGREG, logreg(8)),
)
"""Problems whose workers have different Hessians, by name."""
