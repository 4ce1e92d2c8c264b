"""Base-(k+1) graphs, which average exactly; fixed points of Push-DIGing and RelaySGD."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking
from algorithms.methods.gossip_tracking.push_diging import PushDIGing, PushDIGingState
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD, RelayState
from algorithms.topologies.base_graph import BaseGraph
from algorithms.topologies.path import Path
from algorithms.topologies.tree_links import tree_links
from proofs_check.evidence.gossip_tracking import (
    Build,
    drawn_quadratic,
    drawn_weights,
    rows_after,
    rows_along,
)
from proofs_check.evidence.gossip_tracking.closed_forms_links import DIGRAPH
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.finite_time import Round, base_graph, round_matrix, simple_base
from theory.stepsizes import ConstantStep

_HALF = Fraction(1, 2)
FIVE_BY_TWO: tuple[Round, ...] = (
    {(0, 1): _HALF, (2, 3): _HALF},
    {(0, 2): _HALF, (1, 3): _HALF},
    {(0, 1): _HALF, (3, 4): Fraction(4, 5)},
    {(0, 1): _HALF, (2, 3): _HALF},
    {(0, 2): _HALF, (1, 3): _HALF},
)
"""The base-2 graph of five workers."""

_SIZES, _MOST = range(2, 34), (1, 2, 3)
_SEED = 62


base_graph_forms = ClosedForms("gradient-tracking", "quadratic", name="base_graph_forms")
"""Closed forms of base-(k+1) graphs, and of tracking over them."""


def _is_mean(matrices: list[Any], n: int) -> bool:
    """Whether the product is J, by whole numbers over a common denominator of each round."""
    whole, over = np.eye(n, dtype=np.int64).astype(object), 1
    for w in matrices:
        common = math.lcm(*(share.denominator for share in w.flat))
        whole, over = (w * common).astype(int).astype(object).dot(whole), over * common
    return bool((whole * n == over).all())


@base_graph_forms.case("finite time", "n = 2, ..., 33 and k = 1, 2, 3, in fractions")
def averages_exactly(graph: Callable[[int, int], list[Round]] = base_graph) -> Iterator[Verdict]:
    """The product of the rounds is J, none has more than k neighbours or a negative weight."""
    apart, crowded = [], []
    for n in _SIZES:
        for k in _MOST:
            matrices = [round_matrix(one, n) for one in graph(n, k)]
            if not _is_mean(matrices, n):
                apart.append((n, k))
            others = [(w != 0).sum(1) - (np.diag(w) != 0) for w in matrices]
            if any((one > k).any() for one in others) or any((w < 0).any() for w in matrices):
                crowded.append((n, k))
    yield none_wrong(
        "the product of a base-(k+1) graph's rounds is exactly J", len(apart),
        f"of {len(_SIZES) * len(_MOST)} pairs (n, k) these are not: {apart}",
    )  # fmt: skip
    yield none_wrong(
        "no worker has more than k neighbours in a round, no weight is negative", len(crowded),
        f"of {len(_SIZES) * len(_MOST)} pairs (n, k) these do: {crowded}",
    )  # fmt: skip


@base_graph_forms.case("finite time", "n = 2, ..., 33 and k = 1, 2, 3")
def rounds_are_few() -> Verdict:
    """The simple graph has at most 2 log_{k+1} n + 2 rounds."""
    long = [
        (n, k)
        for n in _SIZES
        for k in _MOST
        if len(simple_base(range(n), k)) > 2 * math.log(n, k + 1) + 2
    ]
    return none_wrong(
        "a simple base-(k+1) graph has at most 2 log_{k+1} n + 2 rounds", len(long),
        f"longer: {long}",
    )  # fmt: skip


@base_graph_forms.case("published example", "n = 5 and 6, k = 1")
def five_and_six() -> Iterator[Verdict]:
    """The rounds of five workers; lengths for six, where a factor is split off."""
    wrong = sum(a != b for a, b in zip(base_graph(5, 1), FIVE_BY_TWO, strict=True))
    yield none_wrong("the base-2 graph of five workers", wrong, f"{wrong} of 5 rounds differ")
    yield same(
        "six workers: simple base-2 graph 5 rounds, base-2 graph 4",
        [len(simple_base(range(6), 1)), len(base_graph(6, 1))], [5, 4],
    )  # fmt: skip


@base_graph_forms.case("no bias", f"600 steps of 0.1, n = 6, base-2 graph, seed {_SEED}")
def tracking_over_a_period(build: Build = GradientTracking) -> Verdict:
    """DIGing on matrices that change with time stops at x*."""
    problem = drawn_quadratic(6, 3, _SEED)
    found = rows_after(build(ConstantStep(0.1), BaseGraph(6)), problem, 600)
    return same(
        "DIGing over a base-2 graph: every worker stops at x*", found, problem.x_star,
        tolerance=1e-10, on=problem,
    )  # fmt: skip


@base_graph_forms.case("recursion", f"30 steps, n = 5, base-2 graph, seed {_SEED}")
def tracking_by_phase(build: Build = GradientTracking) -> Verdict:
    """X+ = W_t X - gamma Y, Y+ = W_{t+1} Y + G+ - G, by numpy."""
    problem, topology, gamma = drawn_quadratic(5, 3, _SEED), BaseGraph(5), 0.05
    a, c = problem.a.numpy(), problem.c.numpy()
    x: Floats = np.zeros((5, 3))
    y, rows = a * x - c, [x]
    for t in range(30):
        moved = topology.matrix(t) @ x - gamma * y
        y = topology.matrix(t + 1) @ y + a * (moved - x)
        x = moved
        rows.append(x)
    return same(
        "DIGing over the base-2 graph of five workers, by a second recursion",
        rows_along(build(ConstantStep(gamma), topology), problem, 30), np.stack(rows),
        tolerance=1e-12, on=problem,
    )  # fmt: skip


# Closed forms: fixed points of push-diging and relay-sgd, Push-DIGing over links both ways.

FixedPointBuild = Callable[..., Method[Any]]
"""A method of a stepsize rule and where it mixes."""

_N, _D, _FIXED_POINT_SEED = 6, 3, 64
_STEP = ConstantStep(0.1)

push_rest = ClosedForms("push-diging", "quadratic", name="push_rest")
"""Fixed point and special case of Push-DIGing."""


@push_rest.case("fixed point", f"5 rounds, digraph of 6, seed {_FIXED_POINT_SEED}")
def push_diging_stays(build: FixedPointBuild = PushDIGing) -> Verdict:
    """U = v x*, Y = 0, G = G(x*): the weights go on, the models stay."""
    problem = drawn_quadratic(_N, _D, _FIXED_POINT_SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    g = problem.full_gradient(x, torch.arange(_N))
    ones = torch.ones((1, _N, 1), dtype=torch.float64)
    method = build(_STEP, DIGRAPH)
    *_, last = path(method, problem, 5, state=PushDIGingState(x, ones, torch.zeros_like(x), g))
    return same("models stay at x*", method.models(last.state), x, tolerance=1e-14, on=problem)


@push_rest.case("equal to push-pull", f"40 steps, W symmetric, seed {_FIXED_POINT_SEED}")
def push_diging_both_ways(build: FixedPointBuild = PushDIGing) -> Verdict:
    """Where rows sum to 1 too, all weights stay 1: push-pull with R = C = W."""
    problem, w = drawn_quadratic(_N, _D, _FIXED_POINT_SEED), drawn_weights(_N, _FIXED_POINT_SEED)
    return same(
        "a symmetric W: push-pull with R = C = W", rows_along(build(_STEP, w), problem, 40),
        rows_along(PushPull(_STEP, w, w), problem, 40), tolerance=1e-12, on=problem,
    )  # fmt: skip


relay_rest = ClosedForms("relay-sgd", "quadratic", name="relay_rest")
"""Fixed point of RelaySGD."""


@relay_rest.case("fixed point", f"20 rounds, path of 6, seed {_FIXED_POINT_SEED}")
def relay_stays(build: FixedPointBuild = RelaySGD) -> Verdict:
    """x* is a fixed point with the sums of y_j = x* - gamma g_j(x*) beyond a link on it."""
    problem = drawn_quadratic(_N, _D, _FIXED_POINT_SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    y = x - 0.1 * problem.full_gradient(x, torch.arange(_N))
    method = build(_STEP, Path(_N))
    partners = tree_links(Path(_N)).partners
    incoming = torch.zeros_like(x).repeat_interleave(len(partners), -1)
    for place, partner in enumerate(partners):
        for i, j in enumerate(partner.tolist()):
            beyond = y[:, j:].sum(1) if j > i else y[:, : j + 1].sum(1)
            if j != i:
                incoming[:, i, place * _D : (place + 1) * _D] = beyond
    state = RelayState(x, torch.zeros_like(x), incoming)
    late = _N  # all have heard from all: nothing of x0 is left
    context = next(iter(path(method, problem, 0))).context
    for t in range(late, late + 20):
        state = method.step(state, t, context)
    return same("models stay at x*", state.x, x, tolerance=1e-13, on=problem)
