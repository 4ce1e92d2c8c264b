"""Results: theorems with bounds, orders without constants, and laws of mean estimation.

A :class:`Theorem` lives in ``theory/theorems/``, one per file, and is an instance of a final
subclass. It reads :class:`~theory.constants.Constants` and nothing else; it says which assumption
is missing if one is. An :class:`OrderOnly` (``theory/orders/``) has no bound that could be
asserted; a :class:`MeanEstimation` (``theory/estimation/``) speaks of one round of messages, not of
iterates.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import Stepsize

HALF = Fraction(1, 2)


class Metric(Enum):
    """Quantity that a bound bounds; x_t is the mean model after t steps, E over all randomness."""

    AVERAGE_SQUARED_GRADIENT = "(1/T) sum_{t<T} E||grad f(x_t)||^2"
    MINIMUM_SQUARED_GRADIENT = "min_{t<T} E||grad f(x_t)||^2"
    SUBOPTIMALITY = "E f(x_T) - f*"
    WEIGHTED_SUBOPTIMALITY = "E f(sum_t w_t x_t / sum_t w_t) - f*"
    SQUARED_DISTANCE = "E||x_T - x*||^2"
    CONSENSUS_POTENTIAL = "E sum_i ||x_i - xbar||^2 + ||x_i - xhat_i||^2"
    PUSH_SUM_POTENTIAL = "E sum_i ||s_i - w_i xbar||^2"
    AVERAGE_REGRET = "(1/T) sum_{t<T} f_t(x_t) - f_t(x*), x_t what the worker of gradient t read"
    AVERAGE_GRADIENT_ONE_NORM = "(1/T) sum_{t<T} E||grad f(x_t)||_1"
    AVERAGE_GRADIENT_NORM = "(1/T) sum_{t<T} E||grad f(x_t)||"
    AVERAGE_SUBOPTIMALITY = "(1/T) sum_{t<T} E f(x_t) - f*"
    ERGODIC_OBJECTIVE = "|E (1/n) sum_i f_i(average over t of x_{i,t}) - f*|"
    ERGODIC_DISAGREEMENT = "E||differences of workers' averages over t of x_{i,t}||"

    @property
    def of_agreement(self) -> bool:
        """Whether it says how far workers are from one another, not from a minimum."""
        return self in (Metric.CONSENSUS_POTENTIAL, Metric.PUSH_SUM_POTENTIAL)


@final
@dataclass(frozen=True)
class Order:
    """Leading order of a bound as exponents, e.g. {"T": -1/2, "n": -1/2} for 1/sqrt(nT).

    ``linear``: it falls as q^T with some q < 1, faster than every power of T.
    """

    exponents: Mapping[str, Fraction | int]
    linear: bool = False

    def __str__(self) -> str:
        if self.linear:
            return "O(q^T)"
        parts = [f"{name}^{power}" for name, power in self.exponents.items() if power]
        return "O(" + (" ".join(parts) or "1") + ")"


class Result(ABC):
    """Statement of the literature, or of a derivation here, on a row.

    Attributes of every member: ``name`` (stem of its file), ``title``, ``source``, ``confidence``,
    ``statement`` (LaTeX).
    """

    name: str
    title: str
    source: Source
    confidence: Confidence
    statement: str

    def __str__(self) -> str:
        return f"{self.title} ({self.source}; {self.confidence.value})"


@final
@dataclass(frozen=True)
class OrderOnly(Result):
    """A stated rate whose constants are not known for certain: compared, never asserted.

    ``metric`` is what falls, ``order`` its leading order in T (and n), None where the statement has
    another form (linear, a threshold); ``assumes`` names what the source asks beyond smoothness.

    Attributes:
        name: the name of the method and case, as the row's page shows it.
        title: one line about the result.
        confidence: how surely the statement is known.
        homogeneous: whether it speaks of one objective for all workers only.
        growing_batch: whether it speaks of batches only that grow with the number of steps.
        by_horizon: what else the source lets follow the number of steps, stepsizes apart; a method
            that keeps it fixed is not spoken of. Empty: nothing.
        step_power: constant stepsizes fall with that power of the number of steps, negated.
        step_workers: constant stepsizes grow with that power of the number of workers.
        inverse_time: whether stepsizes fall as 1/t where f is strongly convex.

    Raises:
        ValueError: the confidence is one that a hard check could rest on.
    """

    name: str
    title: str
    source: Source
    confidence: Confidence
    statement: str
    metric: Metric | None
    order: Order | None
    assumes: str = ""
    homogeneous: bool = False
    growing_batch: bool = False
    by_horizon: str = ""
    step_power: Fraction = HALF
    step_workers: Fraction = HALF
    inverse_time: bool = False

    def __post_init__(self) -> None:
        if self.confidence.assertable:
            raise ValueError(
                f"confidence must be MEMORY or ORDER for a rate without a bound, got "
                f"confidence={self.confidence.name}; a Theorem would do"
            )


class MeanEstimation(Result):
    r"""E||mean of n messages - true mean||^2 in one round, each worker with its own randomness."""

    @abstractmethod
    def omega(self, d: int) -> float:
        """The constant of E||C(x) - x||^2 <= omega ||x||^2 that follows for one message."""

    @abstractmethod
    def bits(self, d: int, float_bits: int = 32) -> float:
        """Length [bits] of one message as the source counts it."""

    def bound(self, n: int, d: int, average_square: float) -> float:
        r"""The mean squared error, at most omega/n times (1/n) sum ||x_i||^2 [its unit].

        Raises:
            ValueError: n or d below 1, or a negative average.
        """
        if n < 1 or d < 1 or average_square < 0:
            raise ValueError(
                f"n and d must be at least 1 and average_square at least 0, got n={n}, d={d}, "
                f"average_square={average_square}"
            )
        return self.omega(d) * average_square / n


class Theorem(Result):
    """One convergence result.

    Class attributes of every member, besides those of a result: ``needs`` (names in Constants),
    ``metric``, ``order``, ``tight`` (whether the order is attained, so that rate checks are
    two-sided), ``example`` (constants at which it applies, for tests and readers). ``unmeasured``
    says why no run is held against the bound; empty where one is. ``any_scale`` says that it holds
    for stepsizes of its kind however large, ``changing_network`` that W may be another in every
    round, ``lam`` being the largest of all rounds'.

    ``statement`` stands once, in the docstring of the member's file: the ``.. math::`` block there
    whose label is the theorem's name. A class without such a block gives ``statement`` itself.
    """

    needs: tuple[str, ...]
    metric: Metric
    order: Order
    tight: bool
    example: Constants
    unmeasured: str = ""
    any_scale: bool = False
    changing_network: bool = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        name = vars(cls).get("name")
        if isinstance(name, str) and "statement" not in vars(cls):
            cls.statement = labelled_formula(sys.modules[cls.__module__].__doc__, name)

    @abstractmethod
    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        """Assumptions that fail for these constants, this stepsize and ``horizon`` steps.

        Empty when the theorem applies. Missing constants are named first; the stepsize is judged
        where all else holds.
        """

    @abstractmethod
    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        """The stepsize rule the theorem prescribes for ``horizon`` steps.

        Raises:
            ValueError: horizon < 1.
            MissingConstants: a constant it needs is not stated.
            Inapplicable: the constants are outside what has a stepsize.
        """

    @abstractmethod
    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        """The bound on ``metric`` after each of ``times`` steps, shape of ``times``.

        Raises:
            MissingConstants: a constant it needs is not stated.
            Inapplicable: the bound is no finite number there (at no steps it may be infinite).
            TypeError: the stepsize is not of the kind the theorem is about.
        """

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        """Weight w_t of x_t in the averaged output (WEIGHTED_SUBOPTIMALITY only)."""
        raise NotImplementedError(f"{self.name} is not about a weighted average")

    def logarithm(self, c: Constants, horizon: int) -> float:
        """The logarithm in the bound at the prescribed stepsize that ``order`` leaves out, or 1."""
        return 1.0

    def applies(self, c: Constants, step: Stepsize, horizon: int) -> bool:
        """Whether no assumption fails."""
        return not self.violations(c, step, horizon)


def labelled_formula(text: str | None, label: str) -> str:
    """The LaTeX of the ``.. math::`` block with this label, without its last full stop.

    Empty where there is no text at all (Python strips docstrings under -OO).

    Raises:
        TypeError: the text has no such block.
    """
    if text is None:
        return ""
    found = re.search(rf"\.\. math::\n +:label: {label}\n\n((?: +\S[^\n]*\n?)+)", text)
    if found is None:
        raise TypeError(
            f"the docstring of the file of {label!r} must hold its statement as a '.. math::' "
            f"block with ':label: {label}'; a class attribute statement would do too"
        )
    return " ".join(found[1].split()).rstrip(".,:;")


def missing_sentence(theorem: Theorem, c: Constants) -> tuple[str, ...]:
    """One sentence naming the constants that are needed but not stated, or nothing."""
    missing = c.missing(theorem.needs)
    if not missing:
        return ()
    return (
        f"this theorem needs {', '.join(missing)}; stated are {', '.join(c.stated()) or 'none'}",
    )
