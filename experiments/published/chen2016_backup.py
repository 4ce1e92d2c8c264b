"""``rateproof figure chen2016-backup``: seconds of a step with backup workers."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Exponential, Pareto
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.synchronous.closed_forms_barriers import harmonic
from proofs_check.figure_runs.trace import MeasuredMean
from theory.claims import Confidence, Source

_N, _STEPS, _REPLICAS = 16, 100, 128
_SPARE = (0, 1, 2, 4, 8)


def measure(_: Request) -> Reproduction:
    """Mean seconds of a step by number of backups, exponential and heavy-tailed times."""
    found = {b: _seconds(b, Exponential()) for b in _SPARE}
    heavy = {b: _seconds(b, Pareto(1.0, tail=2.5)) for b in _SPARE}
    numbers: list[PublishedNumber] = [
        near(f"exponential times, {b} backups: H_n - H_b", harmonic(_N) - harmonic(b), found[b],
             relative=0.03, unit="s", source="order statistics of exponentials",
             confidence=Confidence.CERTAIN)
        for b in _SPARE
    ]  # fmt: skip
    ratio = heavy[2].mean / heavy[0].mean
    numbers.append(at_most("heavy tail: 2 backups of 16, of waiting for all", 0.75, ratio,
                           unit="ratio"))  # fmt: skip
    x = np.array(_SPARE, dtype=np.float64)
    lines = tuple(
        DrawnLine(name, x, *(np.array(column) for column in zip(*means.values(), strict=True)))
        for name, means in (("exponential", found), ("Pareto, tail 2.5", heavy))
    )
    exact = DrawnLine("$H_n - H_b$", x, np.array([harmonic(_N) - harmonic(b) for b in _SPARE]))
    up = "time of a step [mean times of a gradient]"
    panel = CurvePanel(f"{_N} workers", "backup workers $b$", up, lines, (exact,),
                       scales=("linear", "linear"), limits=(0.0, 4.0))  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _seconds(spare: int, times: ComputeTimes) -> MeasuredMean:
    ids = torch.arange(_REPLICAS)
    schedule = BackupWorkers(spare).schedule(_N, _STEPS, times, Key.seed(61), ids)
    return MeasuredMean.from_samples((schedule.seconds[-1] / _STEPS).numpy())


FIGURE = PublishedFigure(
    "chen2016-backup",
    "Backup workers: seconds of a step when the slowest are not waited for",
    Source("Chen, Pan, Monga, Bengio, Jozefowicz", 2016, "1604.00981", "section 4, Figure 4"),
    "steps take H_n - H_b with exponential times, and two backups of sixteen save a quarter where "
    "tails are heavy",
    measure,
)
