"""``rateproof figure boyd2006-section4``: randomised gossip on complete graphs and rings."""

from __future__ import annotations

import math

import numpy as np

from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.gossip_pairwise.studies import decay
from proofs_check.figure_runs.trace import MeasuredMean
from theory.arrays import Floats
from theory.claims import Confidence, Source

_N = 20
_SIZES = (8, 16, 32, 64, 128)


def measure(_: Request) -> Reproduction:
    """Mean squares of the slowest mode by ticks, and averaging times by n."""
    complete, ring = RandomEdge(Complete(_N)), RandomEdge(Ring(_N))
    lam = complete.contraction()
    times, square = decay(GossipAveraging, complete, 40)
    slow, along = decay(GossipAveraging, ring, 400)
    times_by = {
        name: np.array([-1 / math.log(RandomEdge(graph(n)).contraction()) for n in _SIZES])
        for name, graph in (("complete", Complete), ("ring", Ring))
    }
    x = np.array(_SIZES, dtype=np.float64)
    numbers: list[PublishedNumber] = [
        near("lambda_2(E W), complete graph of 20: 1 - 1/(n - 1)", 0.947368, lam, absolute=5.1e-7),
        near("complete graph: E||z_t||^2 after 40 ticks", lam**40,
        MeasuredMean.from_samples(square[:, -1]),
             relative=0.2, source="equality in expectation", confidence=Confidence.CERTAIN),
    ]  # fmt: skip
    numbers += [
        at_most(f"ring: E||z_t||^2 after {t:.0f} ticks under lambda_2^t",
                ring.contraction() ** t, MeasuredMean.from_samples(along[:, k]))
        for k, t in enumerate(slow) if k in (4, len(slow) - 1)
    ]  # fmt: skip
    for name, power in (("complete", 1.0), ("ring", 3.0)):
        slope = np.log(times_by[name][-1] / times_by[name][-2]) / np.log(2)
        numbers.append(near(f"{name}: averaging time grows as n to the", power, float(slope),
                            absolute=0.05, unit="exponent"))  # fmt: skip
    panels = (
        CurvePanel(f"$n = {_N}$, slowest mode", "ticks", "$E\\Vert z_t\\Vert^2$",
                   (_band("complete", times, square), _band("ring", slow, along)),
                   (DrawnLine("$(1-1/(n-1))^t$", times, lam**times),
                    DrawnLine("$\\lambda_2^t$, ring", slow, ring.contraction() ** slow)),
                   scales=("linear", "log")),
        CurvePanel("", "workers $n$", "ticks for a factor $e$",
                   tuple(DrawnLine(name, x, times_by[name]) for name in times_by),
                   (DrawnLine("$n$", x, x), DrawnLine("$n^3/(2\\pi^2)$", x, x**3 / 2 / np.pi**2))),
    )  # fmt: skip
    return Reproduction(tuple(numbers), panels, columns=2)


def _band(name: str, times: Floats, square: Floats) -> DrawnLine:
    means = [MeasuredMean.from_samples(square[:, k]) for k in range(1, len(times))]
    mean, low, high = (np.array(column) for column in zip(*means, strict=True))
    return DrawnLine(name, times[1:], mean, np.maximum(low, mean / 10), high)


FIGURE = PublishedFigure(
    "boyd2006-section4",
    "Randomised gossip: contraction a tick, and averaging times by graph",
    Source("Boyd, Ghosh, Prabhakar, Shah", 2006, "", "Theorem 3 and section IV"),
    "the complete graph contracts by 1 - 1/(n - 1) in mean square, the ring no slower than "
    "lambda_2(E W), and averaging times grow as n and n^3",
    measure,
)
