"""``rateproof figure shi2020-fig4``: throughputs of seven methods, predicted from two."""

from __future__ import annotations

import math

import numpy as np

from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel, DotPanel, PublishedDot
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.predictions.cluster import MODELS, NETWORKS, SIZES, calibrated, fit_set
from experiments.predictions.errors import left_out
from experiments.predictions.fig4 import METHODS, predicted
from experiments.predictions.throughputs import read_throughputs
from experiments.published.figure import CostClass, PublishedFigure, Request
from theory.claims import Source

_PRINTED = {
    ("ResNet-50", "100GbIB", "ByteScheduler-PS", 32): (31.6, 253.1),
    ("BERT-Base", "100GbIB", "MG-WFBP", 32): (23.2, 212.8),
}
"""Speedups in the survey's text, and samples a second of one GPU."""

_STATED = (("BERT-Base", 32), ("BERT-Large", 16), ("BERT-Large", 32))


def measure(request: Request) -> Reproduction:
    """Calibrate on BSP-A2A and WFBP-A2A alone, then predict.

    Raises:
        ValueError: the folder's file is missing or not the published one.
    """
    if request.data is None:
        note = "the published throughputs are not packaged: --data FOLDER with fig4_throughput.csv"
        dots = tuple(
            PublishedDot(f"{place[2]}, {place[0]}, 32 GPUs", math.nan, speedup)
            for place, (speedup, _) in _PRINTED.items()
        )
        return Reproduction((), (DotPanel("published only", "speedup", dots),), (note,))
    points = read_throughputs(request.data)
    model = calibrated(fit_set(points))
    made = predicted(model)
    rates = {(p.model, p.network, p.method, p.gpus): p.samples_per_second for p in made}
    numbers: list[PublishedNumber] = [
        near(f"{place[2]}, {place[0]}, 32 GPUs on 100GbIB: speedup, predicted", speedup,
             rates[place] / single, relative=0.15, unit="speedup")
        for place, (speedup, single) in _PRINTED.items()
    ]  # fmt: skip
    apart = [one for one in left_out(points) if one.group.startswith("WFBP-A2A")]
    slower = sum(
        rates[m, net, "MG-WFBP", n] < (1 - 1e-9) * rates[m, net, "WFBP-A2A", n]
        for m in MODELS for net in NETWORKS for n in SIZES
    )  # fmt: skip
    numbers += [
        at_most("WFBP-A2A on 100GbIB: largest error of a size or model left out of the fit", 0.15,
                max(abs(one.worst) for one in apart), unit="relative"),
        near("places where MG-WFBP is slower than WFBP-A2A", 0, slower, unit="places"),
        *(at_most(f"WFBP-A2A of BSP-A2A, {m} on 100GbIB, {n} GPUs: it falls behind", 1.0,
                  rates[m, "100GbIB", "WFBP-A2A", n] / rates[m, "100GbIB", "BSP-A2A", n],
                  unit="ratio") for m, n in _STATED),
    ]  # fmt: skip
    alone = {p.model: p.single for p in points}
    known = {(p.model, p.network, p.method, p.gpus): p.mean for p in points}
    x = np.array(SIZES, dtype=np.float64)
    panels = tuple(
        CurvePanel(
            f"{name}, 100GbIB", "GPUs", "of as many single GPUs",
            tuple(DrawnLine(k, x, np.array([rates[name, "100GbIB", k, n] for n in SIZES])
                            / (x * alone[name]))
                  for k in METHODS), (),
            tuple(DrawnLine(k, x, np.array([known[name, "100GbIB", k, n] for n in SIZES])
                            / (x * alone[name]))
                  for k in ("BSP-A2A", "WFBP-A2A")),
            scales=("log", "linear"),
        )
        for name in MODELS
    )  # fmt: skip
    note = "of five methods only the speedups in the survey's text are at hand"
    return Reproduction(tuple(numbers), panels, (note,))


FIGURE = PublishedFigure(
    "shi2020-fig4",
    "Throughputs of seven methods, predicted from BSP-A2A and WFBP-A2A",
    Source("Shi, Tang, Chu, Liu, Wang, Li", 2020, "2005.13247", "Figure 4"),
    "speedups in the text are predicted to 15 percent, MG-WFBP is nowhere slower than WFBP, and "
    "WFBP falls behind BSP where the survey says so",
    measure,
    CostClass.NORMAL,
    options=frozenset({"data"}),
)
