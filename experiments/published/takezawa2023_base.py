"""``rateproof figure takezawa2023-base``: exact averages of any number of workers."""

from __future__ import annotations

import math

import numpy as np

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.base_graph import BaseGraph
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.figure_runs.trace import gaussian
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Confidence, Source

_SIZES, _DEGREES = range(2, 34), (1, 2, 4)
_N, _STEPS, _D = 25, 20, 10


def _graph(n: int, k: int) -> BaseGraph:
    return BaseGraph(n, k)


def _errors(graph: MixingSequence, n: int, rounds: int) -> Floats:
    """sum_i ||x_i - mean||^2 after 0, 1, ... rounds, of the first, from Gaussian starts."""
    starts = gaussian(n * _D).view(n, _D)
    method, problem = GossipAveraging(FixedLinks(graph)), standing(starts.numpy())
    found = [
        float((moment.state.x - starts.mean(0)).square().sum())
        for moment in path(method, problem, rounds, replicas=1)
    ]
    return np.array(found) / found[0]


def _most_neighbours(graph: BaseGraph) -> int:
    """Largest number of others that a worker meets in one round."""
    rounds = (graph.matrix(t) for t in range(graph.period))
    return max(int(((w != 0).sum(1) - (np.diag(w) != 0)).max()) for w in rounds)


def measure(_: Request) -> Reproduction:
    """Periods, degrees and what is left after one period, of all sizes; curves at n = 25."""
    left, late, wide = 0.0, -math.inf, -math.inf
    for k in _DEGREES:
        for n in _SIZES:
            graph = _graph(n, k)
            left = max(left, float(_errors(graph, n, graph.period)[-1]))
            late = max(late, graph.period - 2 * math.log(n, k + 1) - 2)
            wide = max(wide, _most_neighbours(graph) - k)
    graphs: dict[str, MixingSequence] = {
        "base-2 graph": _graph(_N, 1),
        "base-5 graph": _graph(_N, 4),
        "static exponential": StaticExponential(_N),
        "torus": Torus.square(_N),
        "ring": Ring(_N),
    }
    errors = {name: _errors(graph, _N, _STEPS) for name, graph in graphs.items()}
    others = min(float(e[_STEPS]) for name, e in errors.items() if not name.startswith("base"))
    certain = {"confidence": Confidence.CERTAIN, "source": "Theorem 1"}
    sizes = f"n = {_SIZES[0]}..{_SIZES[-1]}, k = {', '.join(map(str, _DEGREES))}"
    numbers = (
        at_most(f"{sizes}: largest error after one period", 1e-26, left, unit="of the first error",
                **certain),
        at_most(f"{sizes}: most rounds of a period beyond 2 log_(k+1) n + 2", 0.0, late,
                unit="rounds", **certain),
        at_most(f"{sizes}: most neighbours of a round beyond k", 0.0, wide, unit="neighbours",
                **certain),
        at_least(f"n = {_N}: least error of the other graphs after {_STEPS} rounds", 1e-26, others,
                 unit="of the first error", source="Figure 1: they agree in the limit alone"),
    )  # fmt: skip
    t = np.arange(_STEPS + 1.0)
    lines = tuple(DrawnLine(name, t, np.maximum(e, 1e-32)) for name, e in errors.items())
    panel = CurvePanel(f"$n = {_N}$", "rounds", "error of averaging, of the first", lines,
                       scales=("linear", "log"), limits=(1e-33, 2.0))  # fmt: skip
    return Reproduction(numbers, (panel,))


FIGURE = PublishedFigure(
    "takezawa2023-base",
    "Base-(k+1) graphs: exact averages after a few rounds, whatever the number of workers",
    Source("Takezawa, Sato, Bao, Niwa, Yamada", 2023, "2305.11420", "Theorem 1, Figure 1"),
    "at every n and k workers agree to rounding after one period of at most 2 log_(k+1) n + 2 "
    "rounds with at most k neighbours each, and at n = 25 no other graph does in 20 rounds",
    measure,
)
