"""``rateproof figure vogels2022-random-quadratics``: n_W tells the stepsize, the gap does not."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.problems.random_quadratic import RandomQuadratic, one_minimum
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Source
from theory.networks.effective_neighbours import effective_neighbours
from theory.networks.mixing import spectrum
from theory.networks.random_quadratic import exact_rate, longest_step, norms, rate_by_neighbours
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _REPLICAS, _SEED = 16, 10, 10, 2048, 22
_EXCESS = _D + 1.0
_STEP = 0.25
_ALIKE: tuple[Topology, ...] = (Ring(_N), Torus(4, 4), Hypercube(_N), Complete(_N))
_TWO = Barbell(_N // 2)


def squares(topology: Topology, step: float = _STEP) -> Floats:
    """Workers' mean squared distance from the minimum by steps, ``[R, T + 1]``."""
    problem = one_minimum(_N, _D)
    assert isinstance(problem, RandomQuadratic)
    method = Cooperative(ConstantStep(step), Gossip(topology))
    found = [
        (method.models(moment.state) - problem.x_star).square().sum(-1).mean(-1)
        for moment in path(method, problem, _STEPS, seed=_SEED, replicas=_REPLICAS)
    ]
    return np.asarray(torch.stack(found, dim=1).double().numpy())


def measure(_: Request) -> Reproduction:
    """Rates by n_W and by the exact covariance, runs, and longest stepsizes beside gaps."""
    numbers: list[PublishedNumber] = []
    runs, laws = [], []
    times = np.arange(_STEPS + 1.0)
    for topology in (*_ALIKE, _TWO):
        w = topology.matrix(0)
        law = np.array(norms(w, _STEP, _EXCESS, _STEPS))
        seen = squares(topology)
        means = [MeasuredMean.from_samples(seen[:, k]) for k in range(1, _STEPS + 1)]
        mean, low, high = (np.array(column) for column in zip(*means, strict=True))
        runs.append(DrawnLine(topology.name, times[1:], mean, low, high))
        laws.append(DrawnLine("", times, law))
        numbers.append(
            near(f"{topology.name}: E||x_i||^2 after {_STEPS} steps of {_STEP}", law[-1], means[-1],
                 relative=0.1, source="the covariance recursion, exact")
        )  # fmt: skip
    for topology in _ALIKE:
        w = topology.matrix(0)
        numbers.append(
            near(f"{topology.name}: rate r at {_STEP} by n_W",
                 rate_by_neighbours(w, _STEP, _EXCESS), exact_rate(w, _STEP, _EXCESS),
                 relative=1e-9)
        )  # fmt: skip
    gaps = {one.name: spectrum(one.matrix(0)).gap for one in (*_ALIKE, _TWO)}
    longest = {one.name: longest_step(one.matrix(0), _EXCESS) for one in (*_ALIKE, _TWO)}
    ring, two = _ALIKE[0].name, _TWO.name
    numbers += [
        at_least("rate of two cliques at the longest step of the ring", 0.1,
                 exact_rate(_TWO.matrix(0), longest[ring], _EXCESS)),
        at_least("and have the smaller gap, ring's over theirs", 1.0, gaps[ring] / gaps[two]),
    ]  # fmt: skip
    steps = np.linspace(0.02, 0.62, 16)
    rates = tuple(
        DrawnLine(one.name, steps, np.array([rate(one.matrix(0), s, _EXCESS) for s in steps]))
        for one, rate in (*((one, rate_by_neighbours) for one in _ALIKE), (_TWO, exact_rate))
    )
    names = sorted(longest, key=lambda name: longest[name])
    by_name = {one.name: one.matrix(0) for one in (*_ALIKE, _TWO)}
    at_edge = [effective_neighbours(by_name[k], (1 - longest[k]) ** 2) for k in names]
    reach = np.array([longest[k] for k in names])
    order = np.argsort([gaps[k] for k in names])
    panels = (
        CurvePanel(f"$n = {_N}$, $d = {_D}$, $\\eta = {_STEP}$", "steps", "$E\\Vert x_i\\Vert^2$",
                   tuple(runs), tuple(laws), scales=("linear", "log")),
        CurvePanel("", "stepsize $\\eta$", "rate $r$", rates, scales=("linear", "linear")),
        CurvePanel("longest stepsize", "$n_W$ there, or $n$ times the gap", "$\\eta$",
                   (DrawnLine("by $n_W$", np.array(at_edge), reach),
                    DrawnLine("by the gap", _N * np.array([gaps[k] for k in names])[order],
                              reach[order])),
                   scales=("log", "linear")),
    )  # fmt: skip
    return Reproduction(tuple(numbers), panels, columns=3)


FIGURE = PublishedFigure(
    "vogels2022-random-quadratics",
    "Gossip on random quadratics: effective neighbours tell rate and stepsize, the gap does not",
    Source("Vogels, Hendrikx, Jaggi", 2022, "2206.03093", "Section 3.1"),
    "runs follow the exact covariance, rates by n_W are exact where all workers are alike, and two "
    "cliques take longer steps than a ring though their gap is smaller",
    measure,
)
