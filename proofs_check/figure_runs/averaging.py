r"""Average consensus with compressed messages: the runs of Figures 2 and 3 of the CHOCO paper.

Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), section 5.2: ring of 25 with weights 1/3, d = 2000,
QSGD with 256 levels, top 1% and random 1%; consensus stepsizes 1, 0.046 and 0.011 there. Starts
here are Gaussian rows of norm 1. Errors are (1/n) sum_i ||x_i - m||^2, m the mean of the starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.figure_runs.trace import ErrorPoint, ErrorTrace
from proofs_check.instruments.paths import path

PAPER = "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 5.2"
SEED = 0
DIVERGED = 1e12  # times the first error: a run that gets here is stopped

Build = Callable[[Topology, Compressor, float], Method[Any]]


@final
@dataclass(frozen=True)
class AveragingSetting:
    """Workers on the ring, dimension, share of coordinates sent, levels, and steps: ``short`` of
    methods that end early, ``long`` of sparsified CHOCO; its consensus stepsizes ``top``, ``rand``.

    Attributes:
        n: number of workers.
        d: number of coordinates.
    """

    n: int = 25
    d: int = 2000
    share: float = 0.01
    levels: int = 256
    short: int = 500
    long: int = 5000
    top: float = 0.046
    rand: float = 0.011

    def problem(self) -> Quadratic:
        """Consensus: worker i starts from a Gaussian row of norm 1."""
        one, workers = torch.tensor(0), torch.arange(self.n)
        rows = Key.seed(SEED).fold("starts").draws(one, workers).normal(self.d, torch.float64)
        rows /= rows.norm(dim=-1, keepdim=True)
        return Quadratic.from_arrays(torch.ones_like(rows), rows, name="consensus")


FULL, SMALL = AveragingSetting(), AveragingSetting(d=400, short=300, long=2400)


class Lines(NamedTuple):
    """All lines of the figure, by name; ``square`` is ||mean of the starts||^2.

    Attributes:
        setting: what was run.
    """

    setting: AveragingSetting
    square: float
    lines: dict[str, ErrorTrace]


def trace(name: str, method: Method[Any], problem: Quadratic, steps: int) -> ErrorTrace:
    """Error and bits every hundredth of the run; ends early where a run explodes."""
    every = max(1, steps // 100)
    mean = problem.start() - problem.mean_gradient(problem.start())
    points: list[ErrorPoint] = []
    for t, state, context in path(method, problem, steps, seed=SEED):
        if t % every:
            continue
        error = float((method.models(state) - mean).square().sum(-1).mean())
        points.append(ErrorPoint.measured(t, error, context))
        if error > DIVERGED * points[0].error:
            break
    return ErrorTrace.from_points(name, points)


def lines(setting: AveragingSetting = FULL, build: Build = ChocoGossip) -> Lines:
    """Exact gossip, CHOCO-Gossip with three operators, Q1 and Q2 with two."""
    ring, problem = Ring(setting.n), setting.problem()
    links = FixedLinks(ring)
    levels, kept = QSGD(setting.levels), RandK(setting.share)
    short, long = setting.short, setting.long
    entries = (
        ("exact", ChocoGossip(ring, Identity(), 1.0), short),
        ("CHOCO QSGD", build(ring, ScaledUnbiased(levels, published=True), 1.0), short),
        ("CHOCO top", build(ring, TopK(setting.share), setting.top), long),
        ("CHOCO rand", build(ring, RandK(setting.share, scaled=False), setting.rand), long),
        ("Q1 QSGD", QuantisedConsensus(links, levels, OwnValue.TOTAL), 2 * short),
        ("Q2 QSGD", QuantisedConsensus(links, levels), 2 * short),
        ("Q1 rand", QuantisedConsensus(links, kept, OwnValue.TOTAL), short),
        ("Q2 rand", QuantisedConsensus(links, kept), short),
    )
    with one_thread():
        found = {name: trace(name, m, problem, steps) for name, m, steps in entries}
    mean = problem.mean_gradient(problem.start())
    return Lines(setting, float(mean.square().sum()), found)


def gap(n: int) -> float:
    """1 - lambda_2 of the ring with weights 1/3, from its closed form."""
    return 2 / 3 * (1 - float(np.cos(2 * np.pi / n)))


def quantisation_floor(setting: AveragingSetting, square: float) -> float:
    r"""Floor of Q2 with QSGD: \frac1n \sum_{k \ge 2} \frac{1-\lambda_k}{1+\lambda_k} \sigma^2.

    x_{t+1} = W x_t + (W - I) \xi_t, and near agreement the errors \xi of all workers have second
    moment \sigma^2 = d \|\bar x\|^2 / (6 s^2): one uniform in its cell has variance 1/6.
    ``square`` is \|\bar x\|^2.
    """
    angles = 2 * np.pi * np.arange(1, setting.n) / setting.n
    modes = (1 + 2 * np.cos(angles)) / 3
    noise = setting.d * square / (6 * setting.levels**2)
    return float(((1 - modes) / (1 + modes)).sum() / setting.n * noise)


def late_rate(line: ErrorTrace) -> float:
    """-d log(error) per step over the last third of a run."""
    k = 2 * len(line.steps) // 3
    drop = np.log(line.error[k] / line.error[-1])
    return float(drop / (line.steps[-1] - line.steps[k]))
