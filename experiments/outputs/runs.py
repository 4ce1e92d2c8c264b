"""Runs and comparisons: run, compare, tune, sweep, power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, final

from algorithms.tuning.grid import Best
from experiments.compare.ranking import ComparedRow
from experiments.compare.single import Quantity
from experiments.outputs.schema import PrintedAs, fields_of
from experiments.sweeps.sweeping import SweepCost


@final
@dataclass(frozen=True)
class RunCurvesOutput:
    """Curves of a run; all lists are of one length.

    Attributes:
        steps: numbers of steps.
        mean: the error, typical of the replicas.
        low: lower end of its band.
        high: upper end of its band.
        bits: sent by all until then.
        seconds: until then; null: no clock was asked for.
        bound: the theorem's; null: no theorem speaks.
    """

    steps: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]
    bits: list[float]
    seconds: list[float] | None
    bound: list[float] | None


@final
@dataclass(frozen=True)
class RunOutput:
    """One method on one problem.

    Attributes:
        row: key of the method.
        method: its name with its parts.
        problem: what it ran on.
        n: workers.
        d: dimension.
        steps: how many there were.
        replicas: independent runs.
        seed: of all draws.
        time: how seconds are counted.
        stepsize: the rule; null: the method has none.
        theorem: that gave the stepsize and the bound.
        vacuous: whether the bound is above the error at the start; null: no bound.
        parameters: of the method, as text.
        metric: what is bounded.
        not_covered_by: why theorems of the method do not apply.
        level: of all intervals.
        centre: mean, or median where errors have no variance.
        final: numbers at the end.
        curves: over steps.
        files: what was written.
        tuning: how the stepsize was chosen.
    """

    row: str
    method: str
    problem: str
    n: int
    d: int
    steps: int
    replicas: int
    seed: int
    time: str
    stepsize: str | None
    theorem: str | None
    vacuous: bool | None
    parameters: dict[str, str]
    metric: str
    not_covered_by: list[str]
    level: float
    centre: str
    final: list[Annotated[Any, PrintedAs(fields_of(Quantity, half_width=float))]]
    curves: RunCurvesOutput
    files: list[str]
    tuning: str


@final
@dataclass(frozen=True)
class ComparisonOutput:
    """Methods at an equal budget, the best first.

    Attributes:
        problem: what they ran on.
        n: workers.
        seed: of all draws.
        equal: what is equal.
        budget: how much of it.
        quantity: what the error is.
        target: the error that is to be reached.
        level: of all intervals.
        centre: mean, or median where errors have no variance.
        tested: how differences were tested.
        rows: the methods.
        files: what was written.
    """

    problem: str
    n: int
    seed: int
    equal: str
    budget: float
    quantity: str
    target: float
    level: float
    centre: str
    tested: str
    rows: list[Annotated[Any, PrintedAs(fields_of(ComparedRow, half_width=float, verdict=str))]]
    files: list[str]


@final
@dataclass(frozen=True)
class SweepOutput:
    """A finished grid of runs.

    Attributes:
        name: of the study.
        runs: how many there are.
        files: of data.
        reused_files: that were there already.
        failed_files: whose runs failed.
        seconds: that it took.
        data: the folder.
        figures: that were drawn.
        failures: by number of the file, what was raised.
    """

    name: str
    runs: int
    files: int
    reused_files: int
    failed_files: int
    seconds: float
    data: str
    figures: list[str]
    failures: dict[str, str]


@final
@dataclass(frozen=True)
class UnseenMutant:
    """A planted fault that no check saw.

    Attributes:
        file: where it was planted.
        line: of the file.
        function: that holds it.
        kind: of the fault.
        before: the expression.
        after: what it was made.
        standing: survived, or why it does not count.
        why: the reason, or who judged it.
        tests: the test that saw it, empty where none did; left out where none was shown it.
    """

    file: str
    line: int
    function: str
    kind: str
    before: str
    after: str
    standing: str
    why: str
    tests: str = ""


@final
@dataclass(frozen=True)
class PowerOutput:
    """The mutation score of a row.

    Attributes:
        seed: by which faults were drawn.
        faults: how many count.
        seen: how many of them a check saw.
        outcomes: how many there are of each.
        kinds: by kind of fault, how many were seen and how many there are.
        seconds: of processor time.
        unseen: those that no check saw.
    """

    seed: int
    faults: int
    seen: int
    outcomes: dict[str, int]
    kinds: dict[str, list[int]]
    seconds: int
    unseen: list[UnseenMutant]


OUTPUTS = (
    ("run", RunOutput),
    ("compare", ComparisonOutput),
    ("tune", dict[str, dict[str, Annotated[Any, PrintedAs(fields_of(Best))]]]),
    ("sweep", SweepOutput | fields_of(SweepCost, name=str, left_out=list[str])),
    ("power", PowerOutput | dict[str, PowerOutput]),
)
