"""Worst cases and problems: worst-case, assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class SpectralWorstCase:
    """The worst rate of a decentralised method over a spectral range.

    Attributes:
        method: its name.
        lo: the least eigenvalue.
        hi: the largest below one.
        alpha: the stepsize times L.
        above: no instance is worse; null: no certificate.
        below: attained by an instance.
    """

    method: str
    lo: float
    hi: float
    alpha: float
    above: float | None
    below: float


@final
@dataclass(frozen=True)
class FeedbackWorstCase:
    """The worst rate of a method with error feedback.

    Attributes:
        method: its name.
        delta: of the operator.
        mu: of the functions, of L = 1.
        eta: the stepsize.
        formula: the published rate.
        above: by a semidefinite programme.
    """

    method: str
    delta: float
    mu: float
    eta: float
    formula: float
    above: float | None


@final
@dataclass(frozen=True)
class LocalWorstCase:
    """The worst rate of local gradient descent.

    Attributes:
        method: its name.
        H: local steps.
        alpha: the stepsize times L.
        above: no instance is worse.
        below: attained by an instance.
    """

    method: str
    H: int
    alpha: float
    above: float | None
    below: float


@final
@dataclass(frozen=True)
class WorstConstant:
    """A theorem's bound beside the worst case at the same constants.

    Attributes:
        theorem: its name.
        row: of the method.
        metric: what is bounded.
        T: steps.
        stepsize: the rule.
        constants: what the theorem is told.
        instance: its numbers, by name.
        bound: of the theorem.
        above: no function of the class is worse.
        below: what a run on the worst function attains.
        proved: what multipliers in fractions prove from above, rounded up.
        factor_above: above as a share of the bound.
        factor_below: below as a share of the bound.
        programmes: settings that were solved.
        formula: the derivation whose number meets ``above`` at this setting, if one does.
        formula_value: its number at this setting.
    """

    theorem: str
    row: str
    metric: str
    T: int
    stepsize: str
    constants: dict[str, float]
    instance: dict[str, Any]
    bound: float
    above: float
    below: float
    proved: float
    factor_above: float
    factor_below: float
    programmes: int
    formula: str | None
    formula_value: float | None


@final
@dataclass(frozen=True)
class WorstCaseOutput:
    """All that is kept of worst cases.

    Attributes:
        spectral: rates of decentralised methods.
        feedback: rates of error feedback.
        local: rates of local steps.
        constants: of theorems.
    """

    spectral: list[SpectralWorstCase]
    feedback: list[FeedbackWorstCase]
    local: list[LocalWorstCase]
    constants: list[WorstConstant]


@final
@dataclass(frozen=True)
class SampledRunsOutput:
    """Runs along which constants were estimated.

    Attributes:
        steps: of each run.
        gammas: stepsizes.
        points: that were looked at.
    """

    steps: int
    gammas: list[float]
    points: int


@final
@dataclass(frozen=True)
class EstimatedConstant:
    """A constant of a problem: as it is stated, and as it was found.

    Attributes:
        name: of the constant.
        stated: its value; null: nobody states it.
        kind: lower bound, upper bound or exact.
        stated_where: along runs or everywhere.
        why: it is stated.
        side: of the truth on which the estimate lies.
        found: the estimate.
        numerical_error: of the estimate.
        along_runs: the same along runs alone.
        interval: of what was drawn at random.
        error: probability that the interval misses.
        method: of the estimate.
        where: it was found.
        stated_over_found: the two, divided.
        outcome: of the check.
    """

    name: str
    stated: float | bool | str | None
    kind: str | None
    stated_where: str | None
    why: str | None
    side: str
    found: float
    numerical_error: float
    along_runs: float
    interval: list[float] | None
    error: float
    method: str
    where: str
    stated_over_found: float | None
    outcome: str | None


@final
@dataclass(frozen=True)
class HeterogeneityPoint:
    """The heterogeneity at a step.

    Attributes:
        step: of the run.
        value: (1/n) sum ||grad f_i - grad f||^2.
    """

    step: int
    value: float


@final
@dataclass(frozen=True)
class LackOutput:
    """What a theorem lacks.

    Attributes:
        missing: constants that nobody states.
        violated: assumptions that fail.
    """

    missing: list[str]
    violated: list[str]


@final
@dataclass(frozen=True)
class TheoremStanding:
    """A theorem, and whether it applies to the problem.

    Attributes:
        name: of the theorem.
        title: in words.
        row: through which it applies.
        standing: applies, applies along runs, does not apply.
        lacks: by what is stated.
        leans_on: constants that are found and not stated.
        lacks_with_measured: when these are taken too.
    """

    name: str
    title: str
    row: str
    standing: str
    lacks: LackOutput
    leans_on: list[str]
    lacks_with_measured: LackOutput


@final
@dataclass(frozen=True)
class AssumptionsOutput:
    """Constants of a problem, and the theorems.

    Attributes:
        problem: its name.
        n: workers.
        d: dimension.
        runs: along which constants were estimated.
        seed: of the runs.
        constants: that were estimated.
        unestimated: taken as stated.
        heterogeneity: along the first run.
        theorems: whether they apply.
    """

    problem: str
    n: int
    d: int
    runs: SampledRunsOutput
    seed: int
    constants: list[EstimatedConstant]
    unestimated: list[str]
    heterogeneity: list[HeterogeneityPoint]
    theorems: list[TheoremStanding]


OUTPUTS = (("worst-case", WorstCaseOutput), ("assumptions", AssumptionsOutput))
