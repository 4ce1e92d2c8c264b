"""Seconds on clusters: advise, scaling, timeline, calibrate, predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, final

from experiments.advice.evidence import AdvisedEvidence
from experiments.advice.portfolios import AdviceChange
from experiments.outputs.schema import PrintedAs, fields_of
from experiments.predictions.errors import ErrorSummary
from experiments.predictions.findings import Finding
from experiments.predictions.stated import StatedThroughput
from experiments.scaling.points import ScalingPoint


@final
@dataclass(frozen=True)
class PortfolioLine:
    """A way of training.

    Attributes:
        row: the method.
        architecture: how messages are summed.
        schedule: when gradients are sent.
        method: with its stepsize.
        steps: to the target.
        seconds: to the target.
        bytes: that a worker sends until then.
        limit: what limits it, and by which share.
    """

    row: str
    architecture: str
    schedule: str
    method: str
    steps: float
    seconds: float
    bytes: float
    limit: tuple[str, float]


@final
@dataclass(frozen=True)
class AdviceOutput:
    """How to train a model on a cluster.

    Attributes:
        basis: what the advice rests on.
        portfolios: the quickest ways first.
        flips: changes of an assumption that change the advice.
        margins: factors of steps that change it.
        not_reached: methods that miss the target.
        assumed_coding: compressors whose seconds are assumed.
        left_out: methods that cannot be weighed there, and why.
        evidence: of each row that the advice names.
        files: what was drawn.
    """

    basis: str
    portfolios: list[PortfolioLine]
    flips: list[Annotated[Any, PrintedAs(fields_of(AdviceChange))]]
    margins: list[Annotated[Any, PrintedAs(fields_of(AdviceChange))]]
    not_reached: list[str]
    assumed_coding: list[str]
    left_out: dict[str, str]
    evidence: list[Annotated[Any, PrintedAs(fields_of(AdvisedEvidence, check=str))]]
    files: list[str]


@final
@dataclass(frozen=True)
class ScalingOutput:
    """Seconds to a target as workers are added.

    Attributes:
        row: the method.
        model: that is trained.
        cluster: where.
        target: error that is to be reached.
        points: numbers of workers.
        description: what they say, in words.
        files: what was written.
    """

    row: str
    model: str
    cluster: str
    target: float
    points: list[Annotated[Any, PrintedAs(fields_of(ScalingPoint))]]
    description: list[str]
    files: list[str]


@final
@dataclass(frozen=True)
class TimelineOutput:
    """When the tasks of a training step run.

    Attributes:
        model: that is trained.
        schedule: when gradients are sent.
        workers: how many.
        seconds: of a step.
        compute: seconds of computing.
        description: of the step, in words.
        files: what was written.
    """

    model: str
    schedule: str
    workers: int
    seconds: float
    compute: float
    description: str
    files: list[str]


@final
@dataclass(frozen=True)
class CalibrationOutput:
    """A machine that was measured as a cluster.

    Attributes:
        file: that was written.
        source: how it was measured.
        machines: how many.
        workers: how many.
        network: its links, as the file has them.
        inside: links inside a machine.
        ring_bits: length of the message of the test.
        ring_seconds: that an all-reduce of it took.
        ring_predicted: by the cluster's links.
    """

    file: str
    source: str
    machines: int
    workers: int
    network: list[Any]
    inside: list[Any]
    ring_bits: float
    ring_seconds: float
    ring_predicted: float


@final
@dataclass(frozen=True)
class PredictionOutput:
    """A published figure, predicted from a part of its data.

    Attributes:
        predictions: how many.
        file: that was written.
        hop: seconds of a hop.
        left: share that is left of a link.
        calibrated_on: how many points.
        left_out: errors with parts of the data left out.
        beyond: errors beyond what was calibrated on.
        stated: numbers of the survey's text, with their relative errors.
        crossings: where an order is reversed.
        fastest: methods, by model.
        findings: of the survey.
    """

    predictions: int
    file: str
    hop: float
    left: float
    calibrated_on: int
    left_out: list[Annotated[Any, PrintedAs(fields_of(ErrorSummary))]]
    beyond: list[Annotated[Any, PrintedAs(fields_of(ErrorSummary))]]
    stated: list[Annotated[Any, PrintedAs(fields_of(StatedThroughput, error=float))]]
    crossings: list[str]
    fastest: list[str]
    findings: list[Annotated[Any, PrintedAs(fields_of(Finding))]]


OUTPUTS = (
    ("advise", AdviceOutput),
    ("scaling", ScalingOutput),
    ("timeline", TimelineOutput),
    ("calibrate", CalibrationOutput),
    ("predict", PredictionOutput),
)
