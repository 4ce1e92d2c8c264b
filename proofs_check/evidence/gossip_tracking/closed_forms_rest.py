"""Closed forms: fixed points of push-diging and relay-sgd, Push-DIGing over links both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_tracking.push_diging import PushDIGing, PushDIGingState
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD, RelayState
from algorithms.topologies.path import Path
from algorithms.topologies.tree_links import tree_links
from proofs_check.evidence.gossip_tracking.closed_forms_links import DIGRAPH
from proofs_check.evidence.gossip_tracking.instance import (
    drawn_quadratic,
    drawn_weights,
    rows_along,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule and where it mixes."""

_N, _D, _SEED = 6, 3, 64
_STEP = ConstantStep(0.1)

push_rest = ClosedForms("push-diging", "quadratic", name="push_rest")
"""Fixed point and special case of Push-DIGing."""


@push_rest.case("fixed point", f"5 rounds, digraph of 6, seed {_SEED}")
def push_diging_stays(build: Build = PushDIGing) -> Verdict:
    """U = v x*, Y = 0, G = G(x*): the weights go on, the models stay."""
    problem = drawn_quadratic(_N, _D, _SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    g = problem.full_gradient(x, torch.arange(_N))
    ones = torch.ones((1, _N, 1), dtype=torch.float64)
    method = build(_STEP, DIGRAPH)
    *_, last = path(method, problem, 5, state=PushDIGingState(x, ones, torch.zeros_like(x), g))
    return same("models stay at x*", method.models(last.state), x, tolerance=1e-14, on=problem)


@push_rest.case("equal to push-pull", f"40 steps, W symmetric, seed {_SEED}")
def push_diging_both_ways(build: Build = PushDIGing) -> Verdict:
    """Where rows sum to 1 too, all weights stay 1: push-pull with R = C = W."""
    problem, w = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    return same(
        "a symmetric W: push-pull with R = C = W", rows_along(build(_STEP, w), problem, 40),
        rows_along(PushPull(_STEP, w, w), problem, 40), tolerance=1e-12, on=problem,
    )  # fmt: skip


relay_rest = ClosedForms("relay-sgd", "quadratic", name="relay_rest")
"""Fixed point of RelaySGD."""


@relay_rest.case("fixed point", f"20 rounds, path of 6, seed {_SEED}")
def relay_stays(build: Build = RelaySGD) -> Verdict:
    """x* is a fixed point with the sums of y_j = x* - gamma g_j(x*) beyond a link on it."""
    problem = drawn_quadratic(_N, _D, _SEED)
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
