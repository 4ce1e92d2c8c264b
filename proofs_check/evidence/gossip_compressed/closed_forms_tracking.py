"""Closed forms: beer, motef, lead, deepsqueeze, moniqua.

Models by second recursions in numpy as the papers print them, top-1 as the operator; what is kept
whatever the operator; and without compression the rows that they then are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.circle_grid import CircleGrid
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.beer import BEER
from algorithms.methods.gossip_compressed.deep_squeeze import DeepSqueeze
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.evidence.gossip_tracking import (
    drawn_quadratic,
    drawn_weights,
    pair,
    rows_after,
    rows_along,
)
from proofs_check.evidence.gossip_tracking.closed_forms import (
    as_printed,
    exact_diffusion,
    is_fixed_point,
)
from proofs_check.evidence.gossip_tracking.closed_forms import mean_is_gradient_descent as mean_of
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, a topology, an operator and its own rates."""

_TOP, _N, _D, _SEED = TopK(1), 6, 3, 63
_C, _M, _ALPHA = 0.4, 0.25, 0.6

motef = partial(BEER, momentum=_M)
"""MoTEF with a share of 1/4 of the fresh gradient."""


def top1(rows: Floats) -> Floats:
    """The largest entry of every row, in numpy."""
    kept = np.zeros_like(rows)
    place = np.abs(rows).argmax(1)
    at = np.arange(len(rows))
    kept[at, place] = rows[at, place]
    return kept


def printed_beer(
    x: Floats, w: Floats, gamma: float, at: Any, steps: int, momentum: float = 1.0
) -> list[Floats]:
    """X, H, M, V, Z as printed, from H = X and Z = C(V)."""
    pull = w - np.eye(len(w))
    h, m = x.copy(), at(x)
    v = m.copy()
    z, rows = top1(v), [x]
    for _ in range(steps):
        x = x + _C * pull @ h - gamma * v
        h = h + top1(x - h)
        new = (1 - momentum) * m + momentum * at(x)
        v = v + _C * pull @ z + new - m
        z, m = z + top1(v - z), new
        rows.append(x)
    return rows


def printed_lead(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """Y, q, D, H, X as printed, from H = X and D = 0; top-1 takes Q's place."""
    lap = np.eye(len(w)) - w
    h, dual, rows = x.copy(), np.zeros_like(x), [x]
    for _ in range(steps):
        y = x - gamma * at(x) - gamma * dual
        q = top1(y - h)
        dual = dual + _C / (2 * gamma) * lap @ (h + q)
        x = x - gamma * at(x) - gamma * dual
        h = h + _ALPHA * q
        rows.append(x)
    return rows


def printed_squeeze(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """v, C(v), e, x as printed."""
    pull, e, rows = w - np.eye(len(w)), np.zeros_like(x), [x]
    for _ in range(steps):
        v = x - gamma * at(x) + e
        q = top1(v)
        x = x - gamma * at(x) + 0.1 * pull @ q
        e = v - q
        rows.append(x)
    return rows


def _beer(build: Build = BEER, operator: Compressor = _TOP) -> Callable[..., Method[Any]]:
    return lambda rule, topology: build(rule, topology, operator, _C)


def _lead(build: Build = LEAD, operator: Compressor = _TOP) -> Callable[..., Method[Any]]:
    return lambda rule, topology: build(rule, topology, operator, _C, _ALPHA)


def _squeeze(build: Build, operator: Compressor = _TOP) -> Callable[..., Method[Any]]:
    return lambda rule, topology: build(rule, topology, operator, 0.1)


def softened(topology: Topology, c: float) -> FixedMatrix:
    """The softened matrix I + c (W - I)."""
    eye = np.eye(topology.n)
    return FixedMatrix(eye + c * (topology.matrix(0) - eye))


def mean_is_tracked(build: Build) -> Verdict:
    """mean V = mean M after every step, whatever the operator leaves out."""
    method = _beer(build)(ConstantStep(0.05), drawn_weights(_N, _SEED))
    apart = [
        (moment.state.v - moment.state.m).mean(-2)
        for moment in path(method, drawn_quadratic(_N, _D, _SEED), 40)
    ]
    return same(
        "the mean of the trackers is that of what they track", torch.stack(apart), 0.0,
        tolerance=1e-12, words=f"40 steps, top-1 of {_D}, seed {_SEED}", check="conservation",
    )  # fmt: skip


def copies_are_known(method: Method[Any], pairs: tuple[tuple[str, str], ...]) -> Verdict:
    """What workers keep of neighbours is W times the copies."""
    w = torch.from_numpy(drawn_weights(_N, _SEED).matrix(0).copy())
    off = [
        getattr(moment.state, around) - w @ getattr(moment.state, own)
        for moment in path(method, drawn_quadratic(_N, _D, _SEED), 40)
        for own, around in pairs
    ]
    return same(
        "sums over neighbours are W times the copies", torch.stack(off), 0.0, tolerance=1e-12,
        words=f"40 steps, top-1 of {_D}, seed {_SEED}", check="conservation",
    )  # fmt: skip


beer_forms = ClosedForms("beer", "quadratic", name="beer_forms")
"""Closed forms of BEER."""


@beer_forms.case()
def beer_printed(build: Build = BEER) -> Verdict:
    """BEER as it is printed, top-1."""
    return as_printed(_beer(build), printed_beer)


@beer_forms.case()
def beer_mean(build: Build = BEER) -> Verdict:
    """Mean tracker = mean gradient: mean V = mean G."""
    return mean_is_tracked(build)


@beer_forms.case()
def beer_model_mean(build: Build = BEER) -> Verdict:
    """The mean model makes gradient steps, whatever the operator."""
    return mean_of(_beer(build))


@beer_forms.case()
def beer_copies(build: Build = BEER) -> Verdict:
    """W H and W Z as they are kept."""
    method = _beer(build)(ConstantStep(0.05), drawn_weights(_N, _SEED))
    return copies_are_known(method, (("public", "around"), ("tracked", "tracked_around")))


@beer_forms.case("no bias", f"1500 steps of 0.1, top-1 of {_D}, seed {_SEED}")
def beer_settles(build: Build = BEER) -> Verdict:
    """Every worker at x*, whatever the data."""
    problem = drawn_quadratic(_N, _D, _SEED)
    method = _beer(build)(ConstantStep(0.1), drawn_weights(_N, _SEED))
    return same(
        "every worker stops at x* under top-1", rows_after(method, problem, 1500), problem.x_star,
        tolerance=1e-10, on=problem,
    )  # fmt: skip


@beer_forms.case("equal to DIGing")
def beer_is_diging(build: Build = BEER) -> Iterator[Verdict]:
    """C = I: to the bit where all numbers are dyadic, to rounding elsewhere."""
    ones = torch.ones((2, 2), dtype=torch.float64)
    dyadic = Quadratic.from_arrays(
        ones * torch.tensor([[1.0], [2.0]]), torch.tensor([[0.0, 3.0], [1.0, -2.0]]).double()
    )
    rule, c = ConstantStep(0.125), 0.5
    found = rows_along(build(rule, pair(), Identity(), c), dyadic, 6)
    wanted = rows_along(GradientTracking(rule, softened(pair(), c)), dyadic, 6)
    differ = int((found != wanted).sum())
    yield none_wrong(
        "C = I: DIGing on I + c (W - I), bit for bit in dyadic numbers", differ,
        f"{differ} of {found.size} entries differ", words="6 steps of 1/8, c = 1/2, W of quarters",
    )  # fmt: skip
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    yield same(
        "C = I: DIGing on I + c (W - I)",
        rows_along(_beer(build, Identity())(_step(), topology), problem, 60),
        rows_along(GradientTracking(_step(), softened(topology, _C)), problem, 60),
        tolerance=1e-12, words=f"60 steps, seed {_SEED}",
    )  # fmt: skip


def _step() -> Stepsize:
    return ConstantStep(0.1)


motef_forms = ClosedForms("motef", "quadratic", name="motef_forms")
"""Closed forms of MoTEF."""


@motef_forms.case()
def motef_printed(build: Build = motef) -> Verdict:
    """MoTEF as it is printed, top-1, m = 1/4."""
    return as_printed(_beer(build), partial(printed_beer, momentum=_M))


@motef_forms.case()
def motef_mean(build: Build = motef) -> Verdict:
    """Mean tracker = mean momentum: mean V = mean M."""
    return mean_is_tracked(build)


@motef_forms.case("equal to BEER", f"60 steps, top-1 of {_D}, seed {_SEED}")
def motef_is_beer(build: Build = BEER) -> Verdict:
    """m = 1: BEER as it is printed."""
    return as_printed(_beer(partial(build, momentum=1.0)), printed_beer)


lead_forms = ClosedForms("lead", "quadratic", name="lead_forms")
"""Closed forms of LEAD."""


@lead_forms.case()
def lead_printed(build: Build = LEAD) -> Verdict:
    """LEAD as it is printed, top-1 in Q's place: an identity needs no unbiasedness."""
    return as_printed(_lead(build), printed_lead)


@lead_forms.case("conservation", f"40 steps, top-1 of {_D}, seed {_SEED}")
def lead_dual_sum(build: Build = LEAD) -> Verdict:
    """The duals sum to zero: sum D = 0 always."""
    method = _lead(build)(_step(), drawn_weights(_N, _SEED))
    moments = path(method, drawn_quadratic(_N, _D, _SEED), 40)
    sums = torch.stack([moment.state.dual.sum(-2) for moment in moments])
    return same("the dual variables sum to 0", sums, 0.0, tolerance=1e-12)


@lead_forms.case()
def lead_mean(build: Build = LEAD) -> Verdict:
    """The mean model makes gradient steps, whatever the operator."""
    return mean_of(_lead(build))


@lead_forms.case()
def lead_copies(build: Build = LEAD) -> Verdict:
    """The copy of W H as workers keep it."""
    return copies_are_known(
        _lead(build)(_step(), drawn_weights(_N, _SEED)), (("public", "around"),)
    )


@lead_forms.case("equal to exact diffusion", f"60 steps, c = alpha = 1, seed {_SEED}")
def lead_is_diffusion(build: Build = LEAD) -> Verdict:
    """LEAD with Q = I and c = alpha = 1 is exact diffusion."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    return same(
        "Q = I, c = alpha = 1: exact diffusion",
        rows_along(build(_step(), topology, Identity(), 1.0, 1.0), problem, 60),
        rows_along(exact_diffusion(_step(), topology), problem, 60), tolerance=1e-12, on=problem,
    )  # fmt: skip


@lead_forms.case()
def lead_stays(build: Build = LEAD) -> Verdict:
    """X = H = x*, D = -G(x*)."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    g = problem.full_gradient(x, torch.arange(_N))
    return is_fixed_point(
        _lead(build)(_step(), topology), LEADState(x, -g, x, x), problem, "X = H = x*, D = -G(x*)"
    )


squeeze_forms = ClosedForms("deepsqueeze", "quadratic", name="squeeze_forms")
"""Closed forms of DeepSqueeze."""


@squeeze_forms.case()
def squeeze_printed(build: Build = DeepSqueeze) -> Verdict:
    """DeepSqueeze as it is printed, top-1."""
    return as_printed(_squeeze(build), printed_squeeze)


@squeeze_forms.case()
def squeeze_mean(build: Build = DeepSqueeze) -> Verdict:
    """The mean model makes gradient steps, whatever the operator."""
    return mean_of(_squeeze(build))


@squeeze_forms.case("no compression", f"40 steps, seed {_SEED}")
def squeeze_whole(build: Build = DeepSqueeze) -> Verdict:
    """C = I: X+ = (I + eta (W - I)) (X - gamma G)."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    w, a, c = softened(topology, 0.1).matrix(0), problem.a.numpy(), problem.c.numpy()
    rows: list[Floats] = [np.zeros((_N, _D))]
    for _ in range(40):
        rows.append(w @ (rows[-1] - 0.1 * (a * rows[-1] - c)))
    return same(
        "C = I: D-PSGD on I + eta (W - I), adapting first",
        rows_along(_squeeze(build, Identity())(_step(), topology), problem, 40), np.stack(rows),
        tolerance=1e-12, on=problem,
    )  # fmt: skip


_CIRCLE = CircleGrid(4.0, 5)


def _on_circle(build: Build) -> Callable[..., Method[Any]]:
    return lambda rule, topology: build(rule, topology, _CIRCLE)


def printed_moniqua(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """q = Q(x/B mod 1), reading (q B - y) mod B + y in [-B/2, B/2), own reading taken off."""
    length, levels, rows = 4.0, 32, [x]
    for _ in range(steps):
        q = np.round(np.mod(x / length, 1) * levels) % levels / levels * length
        apart = np.mod(q[None] - x[:, None] + length / 2, length) - length / 2
        read = apart + x[:, None]
        own = read[np.arange(len(x)), np.arange(len(x))]
        x = x + np.einsum("ij,ijk->ik", w, read - own[:, None]) - gamma * at(x)
        rows.append(x)
    return rows


moniqua_forms = ClosedForms("moniqua", "quadratic", name="moniqua_forms")
"""Closed forms of Moniqua."""


@moniqua_forms.case()
def moniqua_printed(build: Build = Moniqua) -> Verdict:
    """Moniqua as it is printed, 5 bits on a circle of 4."""
    return as_printed(_on_circle(build), printed_moniqua)


@moniqua_forms.case()
def moniqua_mean(build: Build = Moniqua) -> Verdict:
    """The mean model makes gradient steps while nobody is mistaken."""
    return mean_of(_on_circle(build))


@moniqua_forms.case("error of a reading", f"20000 pairs up to 10^4 large, seed {_SEED}")
def moniqua_reads(circle: CircleGrid = _CIRCLE) -> Iterator[Verdict]:
    """Within theta = B (1/2 - delta) an error is at most delta B; beyond, whole turns are lost."""
    random = np.random.default_rng(_SEED)
    delta, length = 1 / 64, 4.0
    theta = length * (0.5 - delta)
    x = torch.from_numpy(random.uniform(-1e4, 1e4, (20000, 1)))
    world = path(_on_circle(Moniqua)(_step(), pair()), drawn_quadratic(2, 1, _SEED), 0)
    draws = next(iter(world)).context.draws("compress", 0)
    points = circle.decode(circle.encode(x, draws), 1, x.dtype, draws)
    near = x + torch.from_numpy(random.uniform(-theta, theta, (20000, 1)))
    worst = float((circle.read_by(points, near) - x).abs().max())
    yield none_wrong(
        "who is nearer than theta reads x up to delta B, however large it is",
        int(worst > delta * length * (1 + 1e-9)), f"worst error {worst:.6f}, delta B = 0.0625",
    )  # fmt: skip
    far = x + theta + 2 * delta * length
    turns = ((circle.read_by(points, far) - x) / length).round()
    yield same("beyond it x is mistaken for x + B, without a word", turns, 1.0, tolerance=0.0)
