"""Worst-case instances: the constants of a class, a stepsize and a length; functions follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method
from algorithms.problems.base import Problem, exact, upper
from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance
from proofs_check.refute.measured import Unfit, known, method_of, rule
from proofs_check.refute.operators import WorstContraction, WorstUnbiased
from proofs_check.refute.parts import changed
from proofs_check.refute.posed import PosedRecord, WorkersAllowed, WorstSamples, class_of
from proofs_check.refute.recorded import (
    ROOM,
    AnswerBook,
    Making,
    RecordedContraction,
    RecordedProblem,
    RecordedUnbiased,
    recorded,
)
from proofs_check.refute.reduction import reduced
from proofs_check.worst_case.functions import Lipschitz, Smooth
from proofs_check.worst_case.gram import Expression
from proofs_check.worst_case.programme import Unsolved, WorstCase
from theory.constants import Constants
from theory.stepsizes import Stepsize

_AGREE = 1e-6
"""How far a programme's value and its multipliers' may lie apart, as a share."""


@final
@dataclass(frozen=True)
class WorstInstance(Instance):
    """Functions with L = 1 (or subgradients up to 1), started within 1 of x*, f(x_0) - f* <= 1,
    whichever of these the theorem speaks of; which functions, the programme finds.

    Attributes:
        n: workers.
        mu: strong convexity, where the theorem asks for some.
        zeta: how far gradients may lie apart.
        moment: the longest gradient that is met, where the theorem speaks of one.
        delta: the operators' constant.
        gamma: the stepsize; None: by the theorem's rule.
        steps: length of the run.
        parts: numbers that the method's parts are changed by.
    """

    n: int
    mu: float
    zeta: float
    moment: float
    delta: float
    gamma: float | None
    steps: int
    parts: tuple[float, ...] = ()

    @property
    def omega(self) -> float:
        """That of an unbiased operator, which divided by 1 + omega contracts by delta."""
        return 1 / self.delta - 1

    def simpler(self) -> Iterator[WorstInstance]:
        for n in range(1, self.n):
            yield replace(self, n=n)
        yield from self.rounded()


def stated(claim: Claim, instance: WorstInstance) -> Constants:
    """Constants of the class and of the start.

    Raises:
        Unfit: mu or delta are none that functions with L = 1 or operators have.
    """
    if not (0 < instance.mu < 1 and 0 < instance.delta <= 1):
        raise Unfit(f"mu must lie in (0, 1), delta in (0, 1], got {instance.mu}, {instance.delta}")
    needs, metric = claim.theorem.needs, claim.theorem.metric
    kind = class_of(needs, metric, instance.mu)
    by_class, of_run = exact("of the class"), upper("of the programme")
    c = Constants().state(by_class, n=instance.n, sigma2=0.0, f_star=0.0)
    if isinstance(kind, Lipschitz):
        c = c.state(by_class, lipschitz=kind.radius, convex=True)
    elif isinstance(kind, Smooth):
        c = c.state(by_class, L=kind.L, L_max=kind.L, convex=kind.mu >= 0)
        if kind.mu > 0:
            c = c.state(by_class, mu=kind.mu, mu_min=kind.mu, pl=kind.mu)
    if "zeta2" in needs:
        c = c.state(of_run, zeta2=0.0 if instance.n == 1 else instance.zeta**2)
    if "zeta2_star" in needs:
        c = c.state(of_run, zeta2_star=0.0 if instance.n == 1 else instance.zeta**2)
    if "G2" in needs:
        c = c.state(of_run, G2=instance.moment**2)
    return c.state(of_run, **{name: 1.0 for name in ("R2", "initial_gap") if name in needs})


def allowed(claim: Claim, instance: WorstInstance, c: Constants) -> WorkersAllowed:
    """What the programme lets the workers' functions be."""
    needs = claim.theorem.needs
    kind = class_of(needs, claim.theorem.metric, instance.mu)
    convex = not isinstance(kind, Smooth) or kind.mu >= 0
    shared = claim.one_objective or instance.n == 1 or instance.zeta == 0
    bounds = {name: getattr(c, name) if name in needs else None for name in ("R2", "initial_gap")}
    return WorkersAllowed(
        instance.n, kind, apart=convex and not shared and "zeta2" not in needs,
        zeta2=0.0 if shared else c.zeta2 if "zeta2" in needs else None,
        G2=instance.moment**2 if "G2" in needs else None, R2=bounds["R2"],
        initial_gap=bounds["initial_gap"], delta=instance.delta, omega=instance.omega,
        zeta2_star=c.zeta2_star if "zeta2_star" in needs else None,
    )  # fmt: skip


def making(claim: Claim, instance: WorstInstance, step: Stepsize | None) -> Making:
    """The claim's method with its parts as the instance says, operators asking a book."""

    def make(book: AnswerBook, problem: Problem) -> Method[Any]:
        def answers(x: Tensor, workers: Tensor) -> Tensor:
            return book.answered(x, workers, book.messages)

        def errors(x: Tensor, workers: Tensor) -> Tensor:
            return book.answered(x, workers, book.noises)

        unbiased = RecordedUnbiased(instance.omega, errors)
        return with_operators(claim, instance, step, problem, answers, unbiased)

    return make


def with_operators(
    claim: Claim, instance: WorstInstance, step: Stepsize | None, problem: Problem, answers: Any,
    unbiased: Compressor,
) -> Method[Any]:  # fmt: skip
    """The method whose contractions answer as ``answers`` says, with that unbiased operator.

    Raises:
        Unfit: it cannot be made.
    """
    try:
        method = method_of(claim, step, problem, instance.steps)
        method = changed(method, claim.theorem, problem, instance.parts)
        contraction = RecordedContraction(instance.delta, answers)
        new = {
            name: contraction if isinstance(part, WorstContraction) else unbiased
            for name, part in vars(method).items()
            if isinstance(part, WorstContraction | WorstUnbiased)
        }
        return replace(method, **new) if new else method  # type: ignore[type-var]
    except (ValueError, TypeError, ArithmeticError) as error:
        raise Unfit(str(error)) from error


@final
@dataclass(frozen=True)
class SolvedInstance:
    """A worst-case instance, solved.

    Attributes:
        worst: the programme's solution.
        posed: what was solved.
        constants: what the theorem is given.
        step: the stepsize rule.
    """

    worst: WorstCase
    posed: PosedRecord
    constants: Constants
    step: Stepsize

    @property
    def samples(self) -> WorstSamples:
        """The worst functions, one per worker."""
        return self.posed.samples(self.worst)


def constants_of(claim: Claim, instance: WorstInstance) -> Constants:
    """What the theorem is given of an instance.

    Raises:
        Unfit: something is missing, or an assumption fails.
    """
    given = stated(claim, instance)
    book = AnswerBook(np.eye(ROOM))
    problem = RecordedProblem("recorded", book, given, instance.n)
    return known(claim, making(claim, instance, None)(book, problem), problem)


class PosedInstance(NamedTuple):
    """A worst-case instance as a programme.

    Attributes:
        posed: what is asked of functions and operators.
        goal: the metric.
        constants: what the theorem is given.
        step: the stepsize rule.
    """

    posed: PosedRecord
    goal: Expression
    constants: Constants
    step: Stepsize


def posed(claim: Claim, instance: WorstInstance) -> PosedInstance:
    """The programme of an instance.

    Raises:
        Unfit: the claim does not allow it, or no programme says its metric.
    """
    c = constants_of(claim, instance)
    step = rule(claim, c, instance.gamma, instance.steps)
    record = recorded(
        making(claim, instance, step), stated(claim, instance), instance.n, instance.steps
    )
    found = PosedRecord(
        record, allowed(claim, instance, c), lambda t: claim.theorem.weight(c, step, t)
    )
    return PosedInstance(found, found.metric(claim.theorem.metric), c, step)


def solved(claim: Claim, instance: WorstInstance) -> SolvedInstance:
    """The worst functions and operators of an instance.

    Raises:
        Unfit: the claim does not allow it, or the solver finds none.
    """
    found, goal, c, step = posed(claim, instance)
    try:
        worst = found.solved(goal)
    except Unsolved as error:
        raise Unfit(str(error)) from error
    if not abs(worst.value - worst.above) <= _AGREE * max(abs(worst.above), 1e-9):
        raise Unfit("the solver's value and its multipliers' do not agree")
    return SolvedInstance(worst, found, c, step)


def any_number(claim: Claim, instance: WorstInstance) -> bool:
    """Whether the programme of two workers is that of every larger number: its data by means and
    deviations are those of three, and so is the bound.

    Raises:
        Unfit: as :func:`solved`.
    """
    found, bounds = [], []
    for n in (2, 3):
        one = replace(instance, n=n)
        c = constants_of(claim, one)
        step = rule(claim, c, one.gamma, one.steps)
        record = recorded(making(claim, one, step), stated(claim, one), n, one.steps)
        found.append(reduced(record, n))
        bounds.append(claim.theorem.bound(c, step, np.array([float(one.steps)])))
    two, three = found
    if two is None or three is None or not two.same(three):
        return False
    own = allowed(claim, replace(instance, n=2), constants_of(claim, replace(instance, n=2))).apart
    return (own or two.shared) and bool(np.allclose(bounds[0], bounds[1], rtol=1e-9))
