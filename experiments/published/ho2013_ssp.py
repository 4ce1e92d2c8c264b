"""``rateproof figure ho2013-ssp``: stale synchronous parallel by its bound on staleness."""

from __future__ import annotations

import numpy as np

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Pareto
from algorithms.synchronisation.stale import SSP
from experiments.figures.lines import over_runs
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.synchronous.closed_forms_barriers import ahead_and_unseen
from proofs_check.evidence.synchronous.closed_forms_barriers import barriers_drawn as drawn
from proofs_check.figure_runs.trace import MeasuredMean
from theory.claims import Source
from theory.stepsizes import ConstantStep

_N, _TICKS, _REPLICAS = 8, 640, 32
_STALE = (0, 1, 3, 10)


def measure(_: Request) -> Reproduction:
    """Leads of workers in drawn schedules, equality with BSP, and error against time."""
    numbers: list[PublishedNumber] = []
    for s in _STALE:
        seen = [ahead_and_unseen(x, 0) for x in drawn(SSP(s))]
        ahead, unseen = (max(values) for values in zip(*seen, strict=True))
        numbers += [at_most(f"s = {s}: clocks ahead of the slowest", s, ahead, unit="clocks"),
                    at_most(f"s = {s}: clocks not yet seen", s, unseen, unit="clocks")]  # fmt: skip
    traces = {s: _run(SSP(s), _TICKS if s else _TICKS // _N) for s in _STALE}
    bulk = _run(Bulk(), _TICKS // _N)
    same = float(np.abs(traces[0].model.numpy() - bulk.model.numpy()).max())
    numbers.append(near("s = 0 and BSP: largest difference of models", 0.0, same, unit="x"))
    seconds = {s: trace.seconds[:, -1] / trace.gradients[:, -1] for s, trace in traces.items()}
    for s in _STALE[1:]:
        ratio = MeasuredMean.from_samples(seconds[s] / seconds[0])
        numbers.append(at_most(f"s = {s}: seconds a gradient, of BSP's", 1.0, ratio,
                               unit="ratio"))  # fmt: skip
    lines = tuple(
        over_runs("BSP, s = 0" if s == 0 else f"s = {s}", trace.seconds.mean(0)[1:],
                  trace.suboptimality[:, 1:])
        for s, trace in traces.items()
    )  # fmt: skip
    by_gradient = tuple(
        line._replace(x=trace.gradients.mean(0)[1:] * _N)
        for line, trace in zip(lines, traces.values(), strict=True)
    )
    band = f"10 to 90% of {_REPLICAS} runs"
    up, view = "$f(x_t) - f^*$", ("linear", "log")
    panels = (
        CurvePanel("", "modelled time [s]", up, lines, scales=view, band=band),
        CurvePanel("", "gradients of all workers", up, by_gradient, scales=view, band=band),
    )
    return Reproduction(tuple(numbers), panels, columns=2)


def _run(barrier: Barrier, ticks: int) -> Trace:
    """Eight workers with heavy-tailed times; an arrival moves by gamma/n."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    method = ParameterServer(
        ConstantStep(1 / 4), ticks, Pareto(1e-3, tail=2.5), barrier, Weighting.ALL,
        replicas=_REPLICAS,
    )  # fmt: skip
    return run(method, stage, steps=ticks, replicas=_REPLICAS, points=80)


FIGURE = PublishedFigure(
    "ho2013-ssp",
    "Stale synchronous parallel: bounded leads, and less waiting",
    Source("Ho et al.", 2013, "", "NIPS, sections 3 and 5"),
    "nobody is more than s clocks ahead or blind for more than s, s = 0 is BSP to the last bit, "
    "and a gradient takes less time with s > 0",
    measure,
)
