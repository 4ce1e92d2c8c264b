"""Problems, statements and methods that settings of bounds share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache, partial

import numpy as np
import torch

from algorithms.catalogue import row
from algorithms.compressors.base import Compressor
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.absolute import Absolute
from algorithms.problems.base import Problem
from algorithms.problems.least_squares_data import rising
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.quadratic import Law, Quadratic
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser
from algorithms.topologies.base import MixingSequence
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.instruments.gradient_responses import LinearMethod
from theory.constants import Constants, Kind, Statement
from theory.rules.virtual_iterate_deviation import Reach
from theory.theorem import Theorem
from theory.theorems.ef_sgd_variance import ef_sgd_variance
from theory.theorems.perturbed_iterate import perturbed_iterate

STRONG = L2(0.5)
BOUNDED = BoundedNonconvex(0.1)
SC, IID, PL = "quadratic-sc", "quadratic-sc-iid", "quadratic-pl"
NONCONVEX, LOGREG = "nonconvex-breast-cancer", "logreg-breast-cancer, lam 0.5"
RISING = "least squares, rising curvature"  # no uniform zeta2: Hessians differ


def same_shards(n: int, regulariser: Regulariser, scale: float = 1.0) -> Problem:
    """All n workers hold the whole of breast_cancer, features times ``scale``: one objective,
    independent minibatches."""
    whole = breast_cancer(1, regulariser)
    rows = scale * whole.rows.expand(n, -1, -1)
    return Logistic(whole.name, rows, regulariser, whole.batch, "all of it on every worker")


def one_objective(problem: Problem) -> Constants:
    """zeta2 = 0, as all workers hold the same samples."""
    return Constants().state(zeta2=0.0)


def straight(problem: Problem) -> Constants:
    """A quadratic's second derivatives are the same everywhere."""
    return Constants().state(hessian_lipschitz=0.0)


def bent(problem: Problem) -> Constants:
    """One objective, and third derivatives of log(1 + e^-u), 1/(6 sqrt(3)) at most: the mean of the
    cubes of the samples' norms times this; a quadratic regulariser adds none."""
    assert isinstance(problem, Logistic) and isinstance(problem.regulariser, L2)
    cubes = float(problem.rows.norm(dim=-1).pow(3).mean())
    known = Statement(Kind.UPPER, "uniform", "largest third derivative of the loss")
    return one_objective(problem).state(known, hessian_lipschitz=cubes / (6 * 3**0.5))


def from_the_origin(problem: Problem) -> Constants:
    """Models and public copies all start at 0."""
    return Constants().state(initial_potential=0.0)


MILD = "quadratic, condition number 2"
BALL = 2.5
"""Radius around the minimum 0 in which :func:`moment_in_ball` holds."""


def mild(
    n: int, zeta2: float, d: int = 10, sigma2: float = 0.5, law: Law = Law.GAUSSIAN
) -> Quadratic:
    """Condition number 2 and little noise: small gradients within :data:`BALL`."""
    return Quadratic.strongly_convex(
        n, d, L=1.0, mu=0.5, sigma2=sigma2, zeta2=zeta2, R2=4.0, law=law
    )


EQUAL_CURVATURES = "quadratic, all curvatures 1"


def equal_curvatures(n: int, sigma2: float = 1.0, zeta2: float = 0.0, d: int = 100) -> Quadratic:
    """L = mu = 1: no step of a derivation loses more than a factor near 2, where the noise floor
    and the stepsize rule meet; the bound is loose by what the theorem itself gives away."""
    return Quadratic.strongly_convex(n, d, L=1.0, mu=1.0, sigma2=sigma2, zeta2=zeta2, R2=4.0)


NOISY = "quadratic, condition number 2, much noise"


def noisy(n: int, sigma2: float = 20.0) -> Quadratic:
    """The noise rules second moments, so that bounds which ask for these lose little by it."""
    return mild(n, 0.0, 4, sigma2)


def moment_in_ball(problem: Problem) -> Constants:
    """G2 = max_i (L_max BALL + ||grad f_i(0)||)^2 + sigma2 around x* = 0."""
    c, origin = problem.constants(), torch.zeros(problem.n, problem.d, dtype=torch.float64)
    slopes = problem.full_gradient(origin, torch.arange(problem.n)).norm(dim=-1)
    G2 = (c.need("L_max") * BALL + float(slopes.max())) ** 2 + c.need("sigma2")
    known = Statement(Kind.UPPER, f"within {BALL} of 0", "gradients of a quadratic, and noise")
    return Constants().state(known, G2=G2)


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


def by_variance(key: str, compressor: Compressor) -> BoundCheck:
    """A row with error feedback on the mild quadratic of four coordinates, by its variance."""
    return BoundCheck(
        key, f"{MILD}, four coordinates", ef_sgd_variance, partial(mild, 4, 0.25, 4),
        feedback(compressor), 600,
    )  # fmt: skip


def of_row(key: str) -> Make:
    """The method as the catalogue's row composes it."""
    return row(key).ready().build  # itself, so that a check rests on this row and no other


def fed_back(key: str, theorem: Theorem, make: Make | None = None, *, d: int = 10) -> BoundCheck:
    """A row with error feedback, four workers that differ on the mild quadratic: by second moments
    within its ball."""
    setting = partial(mild, 4, 0.25, d)
    return BoundCheck(key, MILD, theorem, setting, make or of_row(key), 600, moment_in_ball, BALL)


def near(
    key: str, reach: Callable[[], Reach], make: Make, steps: int, *,
    n: int = 4, d: int = 10, zeta2: float = 0.25, rated: bool = True,
) -> BoundCheck:  # fmt: skip
    """A row whose gradients are taken within ``reach`` of a virtual iterate, as
    :func:`by_moments`."""

    def stated() -> dict[str, float]:
        return asdict(reach())

    return by_moments(
        key, perturbed_iterate, make, steps, stated, n=n, d=d, zeta2=zeta2, rated=rated
    )


@cache
def _responded(make: Make, steps: int, *, in_turn: bool = False, calls: int = 1) -> Reach:
    """Reach of a method that is linear in the gradients of four workers, by its code's responses;
    kept, since an attack asks again."""
    return LinearMethod(make, 4, steps, in_turn=in_turn, calls=calls).reach()


def linear(
    key: str, steps: int, *, make: Make | None = None, look: int = 160, rated: bool = True
) -> BoundCheck:
    """A row that is linear in its gradients, whose responses die out within ``look`` steps."""
    made = make or of_row(key)
    return near(key, partial(_responded, made, look), made, steps, rated=rated)


def arriving(key: str, make: Make, steps: int, *, calls: int = 1, look: int = 120) -> BoundCheck:
    """A row of four workers of one objective who arrive in turn, linear in their gradients, K =
    ``calls`` gradients an arrival, while which the model that is looked at stays.

    By calls the bound has gain a, K T of them and the noise of one gradient, a sigma2. By arrivals
    that is gain K a, and K a (sigma2 + b G2)/4 is no less where b = 4/K - 1, since G2 >= sigma2.
    """

    def stated() -> dict[str, float]:
        own = _responded(make, look, in_turn=True, calls=calls)
        told = replace(own, gain=calls * own.gain, excess=max(0.0, 4 / calls - 1))
        return {**asdict(told), "zeta2": 0.0}

    return by_moments(key, perturbed_iterate, make, steps, stated, zeta2=0.0, rated=False)


def by_moments(
    key: str, theorem: Theorem, make: Make, steps: int,
    more: Callable[[], dict[str, float]] = dict, *,
    n: int = 4, d: int = 10, zeta2: float = 0.25, rated: bool = True,
) -> BoundCheck:  # fmt: skip
    """A row on the mild quadratic, by second moments within its ball and ``more`` constants, which
    are asked for when the check runs: some play a schedule, which no import should do."""
    known = Statement(Kind.UPPER, "this method", "theory.rules.virtual_iterate_deviation")

    def constants(problem: Problem) -> Constants:
        return moment_in_ball(problem).state(known, **more())

    return BoundCheck(
        key, MILD, theorem, partial(mild, n, zeta2, d), make, steps, constants, BALL, rated
    )


def delta_of(compressor: Compressor, d: int) -> float:
    """The best contraction that an operator claims on R^d."""
    return operator_constants(compressor, d).need("delta")


def residual_mixing_sum(topology: MixingSequence) -> float:
    """sum_k ||W_t ... W_{t-k+1} - J||_2 over all ages k of a step, for the worst t.

    Raises:
        ValueError: rows or columns of a matrix do not sum to 1, or workers do not come together.
    """
    n, period = topology.n, topology.period
    matrices = [np.asarray(topology.matrix(t), dtype=np.float64) for t in range(period)]
    if not all(np.allclose(w.sum(axis), 1) for w in matrices for axis in (0, 1)):
        raise ValueError(f"{topology.name} must be doubly stochastic; push-sum needs more")
    longest = np.zeros(period + 1)
    for t in range(period):
        product = np.eye(n)
        for k in range(period + 1):
            longest[k] = max(longest[k], float(np.linalg.norm(product - 1 / n, 2)))
            product = product @ matrices[(t - k) % period]
    if not longest[period] < 1:
        raise ValueError(f"{topology.name} must bring workers together in {period} rounds")
    return float(longest[:period].sum() / (1 - longest[period]))


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


def near_minimum(problem: Problem) -> Constants:
    """All points of a run are taken to lie no farther apart than twice the start from the minimum,
    which the check looks at."""
    known = Statement(Kind.UPPER, "along the run", "looked at by the check")
    return Constants().state(known, diameter=2 * problem.constants().need("R2") ** 0.5)


ALIGNED = "least absolute deviations, samples of one direction"


def aligned(n: int) -> Absolute:
    """Eight samples a worker along almost one direction, targets without error; one a gradient.

    f - f* at the start is almost the product of its slope and the distance, which is what bounds
    for Lipschitz functions compare with.
    """
    tilt = torch.linspace(-0.2, 0.2, 8 * n, dtype=torch.float64)
    rows = torch.stack((torch.ones_like(tilt), tilt, -tilt), dim=-1)
    features = (rows / rows.norm(dim=-1, keepdim=True)).reshape(n, 8, 3)
    truth = torch.tensor([2.0, 0.0, 0.0], dtype=torch.float64)
    return Absolute(ALIGNED, features, features @ truth, 0.0, 1)
