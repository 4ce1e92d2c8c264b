"""``rateproof figure kempe2003-pushsum``: sums and weights on directed graphs."""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.directed_ring import DirectedRing
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.gossip_directed.closed_forms import DIGRAPH, ratios
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Confidence, Source

_ROUNDS, _RING = 60, 8


def measure(_: Request) -> Reproduction:
    """Errors by round of push-sum and of averaging with row-stochastic weights."""
    n = DIGRAPH.n
    starts = np.arange(1.0, n + 1)[:, None]
    mean = float(starts.mean())
    sums, weights, least = [], [], []
    for moment in path(PushSum(FixedLinks(DIGRAPH)), standing(starts), _ROUNDS):
        z, w = ratios(moment.state), moment.state.w
        sums.append(float((z - mean).abs().max()))
        weights.append(float(w.sum()))
        least.append(float(w.min()))
    plain, limit = _plain(starts), float(_perron() @ starts[:, 0])
    t = np.arange(_ROUNDS + 1.0)
    ring = _ring_error()
    numbers = (
        near("push-sum: largest error after 60 rounds", 0.0, sums[-1], absolute=1e-9, unit="x"),
        near("sum of the weights, after all rounds", n, weights[-1], absolute=1e-12, unit="weight"),
        at_least("smallest weight of all rounds", 1e-3, min(least), unit="weight"),
        near("row-stochastic averaging ends at the Perron mean", limit, plain[-1][0],
             absolute=1e-9, unit="x", source="left Perron vector", confidence=Confidence.CERTAIN),
        at_least("... which is off the mean by", 0.05, abs(limit - mean), unit="x"),
        near(f"directed ring of {_RING}: slowest mode contracts by cos(pi/n)",
             math.cos(math.pi / _RING), ring, absolute=1e-9, unit="factor a round",
             confidence=Confidence.DERIVED, source="circulant of (I + P)/2"),
    )  # fmt: skip
    error = np.array([np.abs(row - mean).max() for row in plain])
    panel = CurvePanel(
        f"directed graph of {n}, in-degrees differ", "rounds", "$\\max_i |z_i - \\bar x|$",
        (DrawnLine("push-sum", t, np.array(sums)), DrawnLine("plain averaging", t, error)),
        (DrawnLine("$|\\pi^T x - \\bar x|$", t, 0 * t + abs(limit - mean)),),
        scales=("linear", "log"),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


def _plain(starts: Floats) -> list[Floats]:
    method = GossipAveraging(FixedLinks(Averaging(DIGRAPH)))
    return [
        moment.state.x[0, :, 0].numpy().copy() for moment in path(method, standing(starts), _ROUNDS)
    ]


def _perron() -> Floats:
    """Stationary vector of the row-stochastic weights."""
    values, vectors = np.linalg.eig(Averaging(DIGRAPH).matrix(0).T)
    found = vectors[:, np.abs(values - 1).argmin()].real
    return np.asarray(found / found.sum())


def _ring_error() -> float:
    """Factor by which the slowest mode shrinks in the last of 20 rounds."""
    b = torch.cos(2 * math.pi * torch.arange(_RING, dtype=torch.float64) / _RING)[:, None]
    *_, before, after = path(PushSum(FixedLinks(DirectedRing(_RING))), standing(b.numpy()), 20)
    return float(ratios(after.state).norm() / ratios(before.state).norm())


FIGURE = PublishedFigure(
    "kempe2003-pushsum",
    "Push-sum reaches the mean of a directed graph, plain averaging another value",
    Source("Kempe, Dobra, Gehrke", 2003, "", "FOCS, section 2"),
    "sums over weights reach the mean, weights stay positive with sum n, and row-stochastic "
    "averaging ends at the Perron-weighted mean",
    measure,
)
