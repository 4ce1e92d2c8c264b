"""``rateproof figure cvx-laplacian``: fastest averaging weights on the graph of CVX's example."""

from __future__ import annotations

import math

from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.weights import BestConstant, MaxDegree, MetropolisHastings, Weights
from experiments.figures.reproduced import DotPanel, PublishedDot
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.gossip_averaging.closed_forms import eight_nodes
from theory.claims import Confidence, Source

_PUBLISHED: dict[str, tuple[Weights, tuple[float, float], tuple[float, float]]] = {
    "FDLA": (FDLA(), (0.6433, 2.2671), (0.9021, 9.7037)),
    "FMMC": (FMMC(), (0.6810, 2.6025), (0.9152, 11.2783)),
    "Metropolis-Hastings": (MetropolisHastings(plus_one=False), (0.7743, 3.9094),
                            (0.9489, 19.0839)),
    "max-degree": (MaxDegree(plus_one=False), (0.7793, 4.0093), (0.9706, 33.5236)),
    "best constant": (BestConstant(), (0.7119, 2.9422), (0.9470, 18.3549)),
}  # fmt: skip
"""Weights, then rho and tau on 8 nodes with 13 edges, and on 50 nodes with 200 edges."""

_PRINTED = 5.001e-5  # half a unit of the last printed digit
_PLUS_ONE = 0.8126


def measure(_: Request) -> Reproduction:
    """rho = ||W - J|| and tau = 1/log(1/rho) of five rules on the small graph."""
    numbers: list[PublishedNumber] = []
    for name, (rule, (rho, tau), _larger) in _PUBLISHED.items():
        ours = eight_nodes(rule).constants().need("lam")
        numbers.append(near(f"rho, {name}", rho, ours, absolute=_PRINTED))
        time = 1 / math.log(1 / ours)
        numbers.append(near(f"tau, {name}", tau, time, absolute=_PRINTED, unit="steps"))
    plus = eight_nodes(MetropolisHastings()).constants().need("lam")
    numbers.append(near("rho, Metropolis-Hastings with 1/(1 + max)", _PLUS_ONE, plus,
                        absolute=_PRINTED, confidence=Confidence.DERIVED,
                        source="not CVX's convention; recomputed"))  # fmt: skip
    small = tuple(PublishedDot(n.quantity[5:], n.ours, n.published) for n in numbers if not n.unit)
    large = tuple(
        PublishedDot(name, math.nan, larger[0]) for name, (_, _s, larger) in _PUBLISHED.items()
    )
    return Reproduction(
        tuple(numbers),
        (DotPanel("8 nodes, 13 edges", "$\\rho$", small),
         DotPanel("50 nodes, 200 edges: published only", "$\\rho$", large)),
        ("the 50-node graph is made by a generator of MATLAB's that is not at hand: its published "
         "numbers are drawn, and compared with nothing",),
        columns=2,
    )  # fmt: skip


FIGURE = PublishedFigure(
    "cvx-laplacian",
    "Convergence factors of averaging weights on a small graph",
    Source("Xiao, Boyd", 2004, "", "CVX, examples/graph_laplacian/small_example, published output"),
    "factor and time of all five rules agree to the four printed decimals",
    measure,
)
