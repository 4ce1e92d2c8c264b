"""``rateproof figure smith2018-fig1``: decaying the stepsize or growing the batch."""

from __future__ import annotations

import numpy as np

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from experiments.figures.lines import over_runs
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean
from theory.claims import Source
from theory.rules.batch_rules import StagedBatch
from theory.stepsizes import ConstantStep, StepDecay

_GAMMA, _STAGE, _STAGES, _REPLICAS = 0.1, 300, 3, 256
_BAND = f"10 to 90% of {_REPLICAS} runs"


def measure(_: Request) -> Reproduction:
    """f - f* at the ends of stages; what is spent is gradients, what is saved is steps."""
    stage = Quadratic.strongly_convex(4, 20, mu=0.2, sigma2=1.0)
    steps = _STAGE * (_STAGES + 1)
    decay = _run(BSP(StepDecay(ConstantStep(_GAMMA), _STAGE)), stage, steps)
    grow = _run(Batched(BSP(ConstantStep(_GAMMA)), StagedBatch(_STAGE)), stage, steps)
    flat = _run(BSP(ConstantStep(_GAMMA)), stage, steps)
    numbers: list[PublishedNumber] = []
    for k in range(1, _STAGES + 1):
        end = slice((k + 1) * _STAGE - 40, (k + 1) * _STAGE)
        means = [t.suboptimality[:, end].mean(1) for t in (decay, grow, flat)]
        ratio = means[1].mean() / means[0].mean()
        numbers += [
            near(f"stage {k}: error of growing batches, of decaying stepsizes", 1.0, float(ratio),
                 relative=0.15, unit="ratio"),
            at_most(f"stage {k}: ... of neither", 0.75 * 0.75 ** (k - 1),
                    MeasuredMean.from_samples(means[1] / means[2].mean()), unit="ratio"),
        ]  # fmt: skip
    t = np.arange(1.0, steps + 1)
    lines = tuple(
        over_runs(name, t, trace.suboptimality[:, 1:])
        for name, trace in (("neither", flat), ("decaying stepsize", decay),
                            ("growing batch", grow))
    )  # fmt: skip
    panel = CurvePanel("halved, or doubled, every 300 steps", "steps", "$f(x_t) - f^*$", lines,
                       scales=("linear", "log"), band=_BAND)  # fmt: skip
    note = "a noisy quadratic in place of wide ResNets: the noise scale is all that the claim is of"
    return Reproduction(tuple(numbers), (panel,), (note,))


def _run(method: BSP | Batched, stage: Quadratic, steps: int) -> Trace:
    return run(method, stage, steps=steps, replicas=_REPLICAS, points=steps + 1)


FIGURE = PublishedFigure(
    "smith2018-fig1",
    "Growing the batch does what decaying the stepsize does",
    Source("Smith, Kindermans, Ying, Le", 2018, "1711.00489", "Figures 1 and 2"),
    "errors at the ends of stages agree to 15 percent, and fall where those of neither do not",
    measure,
)
