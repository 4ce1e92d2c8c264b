"""``rateproof figure ying2021-prop1``: exponential graphs, static and one peer at a time."""

from __future__ import annotations

import math

import numpy as np

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.figure_runs.trace import gaussian
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Confidence, Source

_SIZES = (4, 8, 16, 32, 64, 128, 256)
_N, _STEPS = 16, 12


def measure(_: Request) -> Reproduction:
    """Gaps by n, and the error of averaging on 16 workers."""
    gaps = {n: 1 - _second(StaticExponential(n)) for n in _SIZES}
    numbers: list[PublishedNumber] = [
        near(f"static exponential, n = {n}: gap 2/(1 + ceil(log2 n))",
             2 / (1 + math.ceil(math.log2(n))), gap, absolute=1e-10, unit="gap")
        for n, gap in gaps.items()
    ]  # fmt: skip
    graphs: tuple[MixingSequence, ...] = (
        OnePeerExponential(_N), StaticExponential(_N), Torus.square(_N), Ring(_N),
    )  # fmt: skip
    names = ("one peer, exponential", "static exponential", "torus", "ring")
    errors = {name: _errors(graph) for name, graph in zip(names, graphs, strict=True)}
    one = errors[names[0]]
    numbers += [
        near(f"one peer: error after log2 n = 4 rounds, n = {_N}", 0.0, float(one[4] / one[0]),
             absolute=1e-28, unit="of the first error",
             source="Theorem 2: exact averages", confidence=Confidence.CERTAIN),
        at_least("one peer: error after 3 rounds", 1e-3, float(one[3] / one[0]),
                 unit="of the first error"),
    ]  # fmt: skip
    x = np.array(_SIZES, dtype=np.float64)
    t = np.arange(_STEPS + 1.0)
    panels = (
        CurvePanel("", "workers $n$", "spectral gap",
                   (DrawnLine("static exponential", x, np.array(list(gaps.values()))),),
                   (DrawnLine("$2/(1 + \\log_2 n)$", x, 2 / (1 + np.log2(x))),)),
        CurvePanel(f"$n = {_N}$", "rounds", "error of averaging, of the first",
                   tuple(DrawnLine(k, t, e / e[0]) for k, e in errors.items()),
                   scales=("linear", "log"), limits=(1e-8, 2.0)),
    )  # fmt: skip
    return Reproduction(tuple(numbers), panels, columns=2)


def _second(graph: StaticExponential) -> float:
    """||W - J||_2, the second singular value: W is not symmetric."""
    return float(np.linalg.norm(graph.matrix(0) - 1 / graph.n, 2))


def _errors(graph: MixingSequence) -> Floats:
    """sum_i ||x_i - mean||^2 after 0, 1, ... rounds, from Gaussian starts."""
    starts = gaussian(_N * 10).view(_N, 10)
    mean = starts.mean(0)
    found = [
        float((moment.state.x - mean).square().sum())
        for moment in path(
            GossipAveraging(FixedLinks(graph)), standing(starts.numpy()), _STEPS, replicas=1
        )
    ]
    return np.array(found)


FIGURE = PublishedFigure(
    "ying2021-prop1",
    "Exponential graphs: a gap of 1/log n, and exact averages with one peer at a time",
    Source("Ying, Yuan, Chen, Hu, Pan, Yin", 2021, "2110.13363", "Proposition 1, Theorem 2"),
    "the gap is 2/(1 + ceil(log2 n)), and one peer a round averages exactly after log2 n rounds "
    "and not before",
    measure,
)
