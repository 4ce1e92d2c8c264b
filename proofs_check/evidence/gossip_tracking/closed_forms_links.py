"""Closed forms: qg-momentum, relay-sgd, push-pull, push-diging, k-gt.

Models by second recursions in numpy, RelaySGD's by its closed formula, sums that are kept, fixed
points, and special cases that are other methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_tracking.gradient_tracking import (
    GradientTracking,
    StepOrder,
    TrackingState,
)
from algorithms.methods.gossip_tracking.k_gt import KGT
from algorithms.methods.gossip_tracking.push_diging import PushDIGing
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.complete import Complete
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.path import Path
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.star import Star
from proofs_check.evidence.gossip_tracking import (
    drawn_quadratic,
    drawn_weights,
    force,
    rows_after,
    rows_along,
)
from proofs_check.evidence.gossip_tracking.closed_forms import (
    as_printed,
    corrected_stays,
    corrections_cancel,
    is_fixed_point,
    mean_is_gradient_descent,
    reaches_minimiser,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, where it mixes, and its own numbers."""

_N, _D, _SEED, _BETA, _K = 6, 3, 64, 0.8, 4
_STEP = ConstantStep(0.1)
DIGRAPH = RandomDigraph(_N, 0.5, seed=1)
"""Directed links whose in- and out-degrees differ."""

_FORK = GivenGraph("binary tree", _N, ((0, 1), (0, 2), (1, 3), (1, 4), (2, 5)))
TREES = (Path(_N), Star(_N), _FORK)
"""A chain, a star, and a tree with a fork."""


def printed_quasi_global(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """x_half = x - gamma (beta m + g); x+ = W x_half; m = beta m + (1 - beta)(x - x+)/gamma."""
    m, rows = np.zeros_like(x), [x]
    for _ in range(steps):
        moved = w @ (x - gamma * (_BETA * m + at(x)))
        m = _BETA * m + (1 - _BETA) * (x - moved) / gamma
        x = moved
        rows.append(x)
    return rows


quasi_global_forms = ClosedForms("qg-momentum", "quadratic", name="quasi_global_forms")
"""Closed forms of quasi-global momentum."""


@quasi_global_forms.case()
def quasi_global_printed(build: Build = QuasiGlobalMomentum) -> Verdict:
    """The rule as it is printed, beta = 0.8."""
    return as_printed(lambda rule, w: build(rule, w, _BETA), printed_quasi_global)


@quasi_global_forms.case("equal to D-PSGD", f"40 steps, seed {_SEED}")
def quasi_global_without_momentum(build: Build = QuasiGlobalMomentum) -> Verdict:
    """beta = 0: X+ = W (X - gamma G)."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    at, w, rows = force(problem), topology.matrix(0), [np.zeros((_N, _D))]
    for _ in range(40):
        rows.append(w @ (rows[-1] - 0.1 * at(rows[-1])))
    return same(
        "beta = 0: D-PSGD that adapts first",
        rows_along(build(_STEP, topology, 0.0), problem, 40), np.stack(rows), tolerance=1e-12,
    )  # fmt: skip


@quasi_global_forms.case("limit", f"3000 steps of 0.1, seed {_SEED}")
def quasi_global_limit(build: Build = QuasiGlobalMomentum) -> Verdict:
    """At rest m = 0, so (I - W) x = -gamma W g: the limit of
    D-PSGD that adapts first, at the same stepsize, whatever beta."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    w, a, c = topology.matrix(0), problem.a.numpy(), problem.c.numpy()
    eye = np.eye(_N)
    wanted = np.stack(
        [
            np.linalg.solve(eye - w + 0.1 * w @ np.diag(a[:, j]), 0.1 * w @ c[:, j])
            for j in range(_D)
        ],
        1,
    )
    return same(
        "it rests where D-PSGD does that adapts first, with momentum 0",
        rows_after(build(_STEP, topology, _BETA), problem, 3000), wanted, tolerance=1e-10,
    )  # fmt: skip


relay_forms = ClosedForms("relay-sgd", "quadratic", name="relay_forms")
"""Closed forms of RelaySGD."""


@relay_forms.case("closed formula", f"25 steps, path, star and binary tree of 6, seed {_SEED}")
def relay_formula(build: Build = RelaySGD) -> Verdict:
    """x_i(t+1) = (1/n) sum_j y_j(t - max(dist_ij - 1, 0)), y before the start = x0."""
    problem = drawn_quadratic(_N, _D, _SEED)
    at, found, wanted = force(problem), [], []
    for tree in TREES:
        graph = nx.from_numpy_array(abs(tree.matrix(0)) > 0)
        far = np.array(nx.floyd_warshall_numpy(graph) - 1).clip(0).astype(int)
        x, ys = np.zeros((_N, _D)), []
        rows = [x]
        for t in range(25):
            ys.append(x - 0.1 * at(x))
            late = [
                [ys[t - far[i, j]][j] if t >= far[i, j] else rows[0][j] for j in range(_N)]
                for i in range(_N)
            ]
            x = np.array(late).mean(1)
            rows.append(x)
        found.append(rows_along(build(_STEP, tree), problem, 25))
        wanted.append(np.stack(rows))
    return same(
        "x_i is the mean of all y_j, each as old as its way is long", np.stack(found),
        np.stack(wanted), tolerance=1e-12, on=problem,
    )  # fmt: skip


@relay_forms.case("formula off the origin", f"6 steps, path of 6, x0 = 1, seed {_SEED}")
def relay_start(build: Build = RelaySGD) -> Verdict:
    """What has not arrived is x0, not 0: nobody moves where gradients are 0."""
    ones = torch.ones((_N, _D), dtype=torch.float64)
    problem = drawn_quadratic(_N, _D, _SEED).from_arrays(ones, ones, x0=ones[0])
    found = rows_along(build(_STEP, Path(_N)), problem, 6)
    return same("all stay at a common minimiser, x0", found, 1.0, tolerance=1e-14, on=problem)


@relay_forms.case("no bias", f"600 steps of 0.1, path of 6, seed {_SEED}")
def relay_settles(build: Build = RelaySGD) -> Verdict:
    """Every worker at x* at a constant stepsize, whatever the data."""
    return reaches_minimiser(build(_STEP, Path(_N)), drawn_quadratic(_N, _D, _SEED), 600)


push_pull_forms = ClosedForms("push-pull", "quadratic", name="push_pull_forms")
"""Closed forms of push-pull."""


@push_pull_forms.case("recursion", f"30 steps, digraph of 6, seed {_SEED}")
def push_pull_printed(build: Build = PushPull) -> Verdict:
    """X+ = R (X - gamma Y), Y+ = C Y + G+ - G, by numpy."""
    problem, pull = drawn_quadratic(_N, _D, _SEED), Averaging(DIGRAPH)
    at, r, c = force(problem), pull.matrix(0), DIGRAPH.matrix(0)
    x: Floats = np.zeros((_N, _D))
    y, rows = at(x), [x]
    for _ in range(30):
        moved = r @ (x - 0.1 * y)
        y = c @ y + at(moved) - at(x)
        x = moved
        rows.append(x)
    return same(
        "models of all workers, by the recursion as it is printed",
        rows_along(build(_STEP, pull, DIGRAPH), problem, 30), np.stack(rows), tolerance=1e-12,
    )  # fmt: skip


@push_pull_forms.case("no bias", f"2000 steps of 0.05, digraph of 6, seed {_SEED}")
def push_pull_settles(build: Build = PushPull) -> Verdict:
    """Every worker at x* over links of one direction."""
    method = build(ConstantStep(0.05), Averaging(DIGRAPH), DIGRAPH)
    return reaches_minimiser(method, drawn_quadratic(_N, _D, _SEED), 2000)


@push_pull_forms.case("conservation", f"40 steps, digraph of 6, seed {_SEED}")
def push_pull_sum(build: Build = PushPull) -> Verdict:
    """sum Y = sum G after every step."""
    moments = path(build(_STEP, Averaging(DIGRAPH), DIGRAPH), drawn_quadratic(_N, _D, _SEED), 40)
    apart = torch.stack([(one.state.y - one.state.g).sum(-2) for one in moments])
    return same("the trackers' sum is that of the gradients", apart, 0.0, tolerance=1e-11)


@push_pull_forms.case()
def push_pull_stays(build: Build = PushPull) -> Verdict:
    """The fixed point X = x*, Y = 0 is kept."""
    problem = drawn_quadratic(_N, _D, _SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    rest = TrackingState(x, torch.zeros_like(x), problem.full_gradient(x, torch.arange(_N)))
    method = build(_STEP, Averaging(DIGRAPH), DIGRAPH)
    return is_fixed_point(method, rest, problem, "X = x*, Y = 0, G = G(x*)")


@push_pull_forms.case("equal to tracking", f"30 steps, R = C = W, seed {_SEED}")
def push_pull_is_tracking(build: Build = PushPull) -> Iterator[Verdict]:
    """R = C = W: X'' = 2 W X' - W^2 X - gamma W (G' - G), where DIGing has no W before the
    gradients and ATC tracking W^2, so on the complete graph, W^2 = W, it is ATC tracking."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    at, w, x = force(problem), topology.matrix(0), np.zeros((_N, _D))
    rows = [x, -0.1 * w @ at(x)]
    for _ in range(29):
        old, new = rows[-2:]
        rows.append(2 * w @ new - w @ w @ old - 0.1 * w @ (at(new) - at(old)))
    yield same(
        "between DIGing and ATC tracking",
        rows_along(build(_STEP, topology, topology), problem, 30), np.stack(rows), tolerance=1e-12,
    )  # fmt: skip
    whole = Complete(_N)
    theirs = GradientTracking(_STEP, whole, StepOrder.ADAPT_FIRST)
    yield same(
        "on the complete graph ATC tracking", rows_along(build(_STEP, whole, whole), problem, 30),
        rows_along(theirs, problem, 30), tolerance=1e-12,
    )  # fmt: skip


push_diging_forms = ClosedForms("push-diging", "quadratic", name="push_diging_forms")
"""Closed forms of Push-DIGing."""


@push_diging_forms.case("recursion", f"30 steps, digraph of 6, seed {_SEED}")
def push_diging_printed(build: Build = PushDIGing) -> Verdict:
    """U+ = C (U - gamma Y), v+ = C v, X = U/v, Y+ = C Y + G+ - G, by numpy."""
    problem = drawn_quadratic(_N, _D, _SEED)
    at, c = force(problem), DIGRAPH.matrix(0)
    u, v = np.zeros((_N, _D)), np.ones((_N, 1))
    x: Floats = u / v
    y, rows = at(x), [x]
    for _ in range(30):
        u, v = c @ (u - 0.1 * y), c @ v
        y = c @ y + at(u / v) - at(x)
        x = u / v
        rows.append(x)
    return same(
        "models of all workers, by the recursion as it is printed",
        rows_along(build(_STEP, DIGRAPH), problem, 30), np.stack(rows), tolerance=1e-12,
    )  # fmt: skip


@push_diging_forms.case("no bias", f"2000 steps of 0.05, digraph of 6, seed {_SEED}")
def push_diging_settles(build: Build = PushDIGing) -> Verdict:
    """Every worker at x* over links of one direction."""
    return reaches_minimiser(
        build(ConstantStep(0.05), DIGRAPH), drawn_quadratic(_N, _D, _SEED), 2000
    )


@push_diging_forms.case("conservation", f"40 steps, digraph of 6, seed {_SEED}")
def push_diging_sum(build: Build = PushDIGing) -> Verdict:
    """sum Y = sum G and sum v = n after every step."""
    moments = path(build(_STEP, DIGRAPH), drawn_quadratic(_N, _D, _SEED), 40)
    apart = torch.stack(
        [
            torch.cat(((one.state.y - one.state.g).sum(-2), one.state.v.sum(-2) - _N), -1)
            for one in moments
        ]
    )
    return same("sum Y = sum G and sum v = n", apart, 0.0, tolerance=1e-11)


k_gt_forms = ClosedForms("k-gt", "quadratic", name="k_gt_forms")
"""Closed forms of K-GT."""


def _k_gt(build: Build) -> Callable[..., Method[Any]]:
    return lambda rule, topology: build(rule, topology, _K)


@k_gt_forms.case("recursion", f"10 rounds of 4 local steps, seed {_SEED}")
def k_gt_printed(build: Build = KGT) -> Verdict:
    """Models after every round, by numpy."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    at, w = force(problem), topology.matrix(0)
    x: Floats = np.zeros((_N, _D))
    c, rows = np.zeros_like(x), [x]
    for _ in range(10):
        y = x
        for _ in range(_K):
            y = y - 0.1 * (at(y) + c)
        z = (x - y) / (_K * 0.1)
        x, c = w @ (x - _K * 0.1 * z), c - z + w @ z
        rows.append(x)
    return same(
        "models after every round, by the recursion as it is printed",
        rows_along(_k_gt(build)(_STEP, topology), problem, 10 * _K)[::_K], np.stack(rows),
        tolerance=1e-12,
    )  # fmt: skip


@k_gt_forms.case("equal to SCAFFOLD", f"10 rounds of 4 local steps, W = J, seed {_SEED}")
def k_gt_is_scaffold(build: Build = KGT) -> Verdict:
    """W = J: y -= gamma (g - c_i + c), c_i+ = c_i - c + (x - y)/(K gamma), by numpy."""
    problem = drawn_quadratic(_N, _D, _SEED)
    at, x, rows = force(problem), np.zeros((1, _D)), [np.zeros((_N, _D))]
    own = np.zeros((_N, _D))
    for _ in range(10):
        y = np.repeat(x, _N, 0)
        for _ in range(_K):
            y = y - 0.1 * (at(y) - own + own.mean(0))
        own = own - own.mean(0) + (x - y) / (_K * 0.1)
        x = y.mean(0, keepdims=True)
        rows.append(np.repeat(x, _N, 0))
    return same(
        "on the complete graph it is SCAFFOLD, option II, controls from 0",
        rows_along(_k_gt(build)(_STEP, Complete(_N)), problem, 10 * _K)[::_K], np.stack(rows),
        tolerance=1e-12,
    )  # fmt: skip


@k_gt_forms.case("conservation", f"40 steps, seed {_SEED}")
def k_gt_sum(build: Build = KGT) -> Verdict:
    """The corrections sum to zero: sum c = 0 always."""
    return corrections_cancel(
        _k_gt(build)(_STEP, drawn_weights(_N, _SEED)), drawn_quadratic(_N, _D, _SEED)
    )


@k_gt_forms.case("no bias", f"4000 steps of 0.05, K = 4, seed {_SEED}")
def k_gt_settles(build: Build = KGT) -> Verdict:
    """Every worker at x* whatever the data and K."""
    method = _k_gt(build)(ConstantStep(0.05), drawn_weights(_N, _SEED))
    return reaches_minimiser(method, drawn_quadratic(_N, _D, _SEED), 4000)


@k_gt_forms.case()
def k_gt_stays(build: Build = KGT) -> Verdict:
    """The fixed point X = x*, c = -G(x*) is kept."""
    return corrected_stays(
        build(_STEP, drawn_weights(_N, _SEED), 1), drawn_quadratic(_N, _D, _SEED)
    )


@k_gt_forms.case()
def k_gt_mean(build: Build = KGT) -> Verdict:
    """K = 1: the mean model makes gradient steps, also while they fall."""
    return mean_is_gradient_descent(lambda rule, topology: build(rule, topology, 1))
