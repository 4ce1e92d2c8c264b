r"""CHOCO-SGD beside exact, difference- and extrapolation-compressed gossip: the runs of a figure.

Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), section 5.3: nine workers on a ring, l2 logistic
regression with lambda = 1/m, m the number of samples, one sample a step, stepsizes a m / (t + tau),
data dealt at random or sorted by label. There 1% of d = 2000 coordinates are sent in each of
444,000 steps; what counts is steps times share times gap, so with 5000 steps the share here is 20%.
The data are those that scikit-learn brings; f* is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

from algorithms.compressors.base import Compressor
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer, digits
from algorithms.problems.partitions import Iid, SortedByLabel
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.figure_runs.trace import ErrorPoint, ErrorTrace
from proofs_check.instruments.paths import path
from theory.stepsizes import InverseTimeStep, Stepsize

PAPER = "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 5.3"
SEED, LOOKS = 0, 50
SPREAD, HOPELESS = 1e6, 10.0  # a run is lost with models beyond this, or this many first errors
PATIENCE = 0.25  # ... or if it is no better than its start after this part of the steps

BuildChoco = Callable[[Stepsize, Topology, Compressor, float], Method[Any]]
BuildOther = Callable[[Stepsize, Topology, Compressor], Method[Any]]


@final
@dataclass(frozen=True)
class TrainingSetting:
    """Workers, steps, runs averaged; share of coordinates, levels; consensus stepsizes; the
    stepsize is a m / (t + shift d), ``factors`` are tried for DCD and ECD beside a = ``scale``.

    Attributes:
        n: number of workers.
        replicas: runs averaged.
        top: consensus stepsize with top-k.
        rand: consensus stepsize with rand-k.
        qsgd: consensus stepsize with QSGD.
    """

    n: int = 9
    steps: int = 5000
    replicas: int = 5
    share: float = 0.2
    levels: int = 16
    top: float = 0.5
    rand: float = 0.3
    qsgd: float = 0.34
    scale: float = 0.1
    shift: float = 4.0
    factors: tuple[float, ...] = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6)

    def step(self, problem: Logistic, factor: float = 1.0) -> Stepsize:
        """a m / (t + shift d), a = factor scale."""
        samples = problem.n * problem.rows.shape[1]
        return InverseTimeStep(factor * self.scale * samples, self.shift * problem.d)


def problems(n: int) -> dict[str, Logistic]:
    """Two data sets, sorted by label and dealt at random, by name."""
    dealt = (SortedByLabel(), Iid())
    cancer, numbers = n * (569 // n), n * (1797 // n)
    made = [breast_cancer(n, L2(1 / cancer), batch=1, partition=p) for p in dealt]
    made += [digits(n, L2(1 / numbers), batch=1, partition=p) for p in dealt]
    names = ("breast cancer, sorted", "breast cancer, iid", "digits, sorted", "digits, iid")
    return dict(zip(names, made, strict=True))


def train(
    name: str, method: Method[Any], problem: Logistic, setting: TrainingSetting, factor: float = 1.0
) -> ErrorTrace:
    """One run of all replicas, looked at every fiftieth of it; ends where it is lost."""
    every, lost = max(1, setting.steps // LOOKS), False
    points: list[ErrorPoint] = []
    for t, state, context in path(
        method, problem, setting.steps, seed=SEED, replicas=setting.replicas
    ):
        rows = method.models(state)
        lost = t % 10 == 0 and not float(rows.abs().amax()) < SPREAD
        if lost or t % every == 0:
            values = problem.value(context.network.mean_over_workers(rows))
            points.append(ErrorPoint.of_runs(t, values - (problem.f_star or 0.0), context))
            ratio = points[-1].error / points[0].error
            lost = lost or ratio > (HOPELESS if t <= PATIENCE * setting.steps else 1.0)
        if lost:
            break
    return ErrorTrace.from_points(name, points, lost=lost, factor=factor)


def exact_and_choco(
    problem: Logistic, setting: TrainingSetting, build: BuildChoco = ChocoSGD
) -> dict[str, ErrorTrace]:
    """D-PSGD, and CHOCO-SGD with three operators at the same stepsizes."""
    ring, step = Ring(setting.n), setting.step(problem)
    methods = {
        "exact": DPSGD(step, ring),
        "CHOCO top": build(step, ring, TopK(setting.share), setting.top),
        "CHOCO rand": build(step, ring, RandK(setting.share, scaled=False), setting.rand),
        "CHOCO QSGD": build(
            step, ring, ScaledUnbiased(QSGD(setting.levels), published=True), setting.qsgd
        ),
    }
    with one_thread():
        return {name: train(name, m, problem, setting) for name, m in methods.items()}


def others(setting: TrainingSetting) -> dict[str, tuple[BuildOther, Compressor]]:
    """DCD-PSGD and ECD-PSGD with the unbiased operators."""
    kept, levels = RandK(setting.share), QSGD(setting.levels)
    return {
        "DCD rand": (DCDPSGD, kept),
        "ECD rand": (ECDPSGD, kept),
        "DCD QSGD": (DCDPSGD, levels),
        "ECD QSGD": (ECDPSGD, levels),
    }


def searched(
    name: str, build: BuildOther, operator: Compressor, problem: Logistic, setting: TrainingSetting
) -> Iterator[ErrorTrace]:
    """Runs with every stepsize of the grid, from the largest on."""
    for factor in setting.factors:
        method = build(setting.step(problem, factor), Ring(setting.n), operator)
        with one_thread():
            yield train(name, method, problem, setting, factor)


def largest_usable(runs: Iterator[ErrorTrace]) -> ErrorTrace:
    """The first run that is not lost, or else the last."""
    for line in runs:
        if not line.lost:
            break
    return line
