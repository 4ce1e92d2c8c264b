"""Facts of a check for pages: frozen dataclasses of words and numbers, each known by its type.

They are plain data like the curves, and are stored beside them, so that a page about an operator or
a topology is made from results alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class ClaimFacts:
    """One claim of an operator as it is printed.

    Attributes:
        text: the claim.
        source: authors, year and place.
        confidence: how sure the source is.
        tight: whether its constant is attained.
    """

    text: str
    source: str
    confidence: str
    tight: bool


@final
@dataclass(frozen=True)
class CoordinateFacts:
    """Outcomes of one coordinate of a vector.

    Attributes:
        x: the coordinate.
        outcomes: its values with their probabilities.
    """

    x: int
    outcomes: str


@final
@dataclass(frozen=True)
class LawFacts:
    """An operator's exact law at one vector.

    Attributes:
        x: the vector.
        kind: whether anything is drawn, and how.
        error: E||C(x) - x||^2, a fraction where it is short.
        mean: E C(x), coordinate by coordinate.
        coordinates: the marginal law of each coordinate.
    """

    x: str
    kind: str
    error: str
    mean: str
    coordinates: tuple[CoordinateFacts, ...]


@final
@dataclass(frozen=True)
class OperatorFacts:
    """Facts on an operator for its page.

    Attributes:
        name: its reported name.
        family: the name of its class.
        d: dimension that claims and length are stated for.
        definition: paragraphs of its docstring, without the list of errors.
        claims: what it claims on R^d.
        bits: length of a message on R^d in single precision.
        law: its exact law at one vector, or None.
        no_law: why there is none; empty where there is.
    """

    name: str
    family: str
    d: int
    definition: tuple[str, ...]
    claims: tuple[ClaimFacts, ...]
    bits: str
    law: LawFacts | None
    no_law: str


@final
@dataclass(frozen=True)
class TopologyFacts:
    """Spectrum and traffic of a topology.

    Attributes:
        name: its reported name.
        n: number of workers.
        period: steps after which its matrices come round again.
        lam: max(|lambda_2|, |lambda_n|) of one period.
        gap: 1 - lam.
        lam_n: smallest eigenvalue, or None.
        beta: ||I - W||_2, or None.
        symmetric: whether its matrices are, or None.
        stated_lam: lam by a closed form, or None.
        rounds: steps to reduce the disagreement by e; infinite where it does not shrink.
        messages: messages that a worker sends in a step, in the mean.
    """

    name: str
    n: int
    period: int
    lam: float
    gap: float
    lam_n: float | None
    beta: float | None
    symmetric: bool | None
    stated_lam: float | None
    rounds: float
    messages: float


@final
@dataclass(frozen=True)
class TrafficFacts:
    """The bill of a run behind a cell of survey 002's Table IV, means over replicas.

    Attributes:
        line: architecture, synchronisation and compression, as the table's line is called.
        objective: the column.
        method: the method's name.
        numbers: N, the length of a model.
        workers: n.
        iterations: T, gradients of one worker.
        peers: messages that a worker sends for one gradient.
        period: local steps between two rounds.
        kept: coordinates of a sparse message, or 0.
        coded: bits of a quantised coordinate, scales included, or 0.
        float_bits: bits of a float.
        sent: bits that a worker sent.
        sent_by_all: bits that all workers sent.
        heard_by_all: bits that all workers received.
    """

    line: str
    objective: str
    method: str
    numbers: int
    workers: int
    iterations: float
    peers: int
    period: int
    kept: float
    coded: float
    float_bits: int
    sent: float
    sent_by_all: float
    heard_by_all: float


@final
@dataclass(frozen=True)
class VariantFacts:
    """An exponent measured again with one thing changed.

    Attributes:
        name: what was changed.
        slope: the exponent, NaN where there is none.
        half_width: of its interval.
        standing: how it stands to the order.
    """

    name: str
    slope: float
    half_width: float
    standing: str


@final
@dataclass(frozen=True)
class ExponentFacts:
    """Provenance of an exponent of survey 002's Table IV.

    Attributes:
        line: the table's line.
        objective: the column.
        variable: what was varied.
        exact: whether by exact moments, without noise.
        bound_slope: the exponent of the bound of the cell's result at the same points, or None.
        instance: the problem and the constants it states, in words.
        unstated: which kind of reason there is for no order; empty where one is stated.
        variants: the same with another seed, horizon or first stepsize.
    """

    line: str
    objective: str
    variable: str
    exact: bool
    bound_slope: float | None
    instance: str
    unstated: str
    variants: tuple[VariantFacts, ...]


@final
@dataclass(frozen=True)
class TunedFacts:
    """Best place of a grid for a row, and the runs that decided it.

    Attributes:
        row: the row as it was named.
        method: the name of its method there.
        power: the stepsize is 2^power / L; None for a method without one.
        stepsize: that stepsize; None for a method without one.
        settings: names of the parameters that were tuned beside it.
        values: their values.
        score: the error at the end of the best.
        places: how many places were tried.
        steps: of each of these runs.
        replicas: runs at each place.
    """

    row: str
    method: str
    power: int | None
    stepsize: float | None
    settings: tuple[str, ...]
    values: tuple[float, ...]
    score: float
    places: int
    steps: int
    replicas: int


@final
@dataclass(frozen=True)
class StandingFacts:
    """Result of a comparison for a row.

    Attributes:
        row: the row as it was named.
        error: its error at the budget.
        low: lower end of its 95% interval.
        high: upper end of it.
        ratio: error over that of the best.
        p: of the paired test against the best, times the number of pairs; NaN for the best itself.
        spent: what it spends until the target; infinite if it never reaches it.
        steps: of its run.
        standing: in words.
    """

    row: str
    error: float
    low: float
    high: float
    ratio: float
    p: float
    spent: float
    steps: int
    standing: str


@final
@dataclass(frozen=True)
class ContestFacts:
    """Comparison at an equal budget.

    Attributes:
        axis: what is equal.
        budget: how much of it each row may spend.
        quantity: what the error is.
        target: the error that ``spent`` is about.
        tested: what p is, in words.
        standings: of the rows, the best first.
        heavy: whether errors have no mean, so that medians are compared.
    """

    axis: str
    budget: float
    quantity: str
    target: float
    tested: str
    standings: tuple[StandingFacts, ...]
    heavy: bool = False


Facts = OperatorFacts | TopologyFacts | TrafficFacts | ExponentFacts | TunedFacts | ContestFacts
