"""Averaging of quantised values: levels at which it stalls, means that are kept or walk; CEDAS.

With errors of one law whatever x (an additive probe) everything is linear: Q1, x+ = W Q(x), and Q2,
x+ = x + (W - I) Q(x), stall at levels in closed form; a compensating meeting of a random pair on
the complete graph follows E V+ = (1 - 1/(n - 1)) E V + v exactly. (Carli, Fagnani, Frasca, Zampieri
2010, arXiv:0907.0748; Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 3.1.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_compressed.closed_forms_difference import AdditiveNoise, apart
from proofs_check.evidence.gossip_compressed.closed_forms_tracking import copies_are_known, top1
from proofs_check.evidence.gossip_tracking import (
    drawn_quadratic,
    drawn_weights,
    force,
    rows_along,
)
from proofs_check.evidence.gossip_tracking.closed_forms import exact_diffusion, is_fixed_point
from proofs_check.evidence.gossip_tracking.closed_forms import mean_is_gradient_descent as mean_of
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.compressed_gossip import (
    relative_growth_of_differences,
    stall_of_differences,
    stall_of_sums,
)
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorems.quantised_consensus import quantised_consensus as theorem

Build = Callable[[Exchange, Compressor], Method[Any]]

_SEED = 71


def others(topology: Topology) -> list[float]:
    """Eigenvalues of W but the largest."""
    return [float(v) for v in np.linalg.eigvalsh(topology.matrix(0))[:-1]]


def sums(exchange: Exchange, compressor: Compressor) -> QuantisedConsensus:
    """Totally quantised consensus, Q1: x becomes W Q(x)."""
    return QuantisedConsensus(exchange, compressor, OwnValue.TOTAL)


_QUANTISED_CONSENSUS_FORMS = ClosedForms("quantised-consensus")


@_QUANTISED_CONSENSUS_FORMS.case("stall level")
def level(build: Build, expected: Callable[[list[float], float], float]) -> Verdict:
    """Disagreement of the ring of 8 after 150 rounds, where every mode but the mean has settled."""
    d, replicas, scale = 8, 300, 0.1
    problem, topology = consensus_problem(8, d, 72), Ring(8)
    method = build(FixedLinks(topology), AdditiveNoise(scale))
    *_, last = path(method, problem, 150, seed=_SEED, replicas=replicas)
    return mean_is(
        f"{method.name} stalls at its level", apart(method.models(last.state)).numpy(),
        expected(others(topology), d * scale**2), on=problem,
        words=f"seed {_SEED}, {replicas} replicas, 150 rounds, errors of variance {scale**2:g}",
    )  # fmt: skip


def level_of_sums(build: Build = sums) -> Verdict:
    """Q1: v sum lambda_k^2/(1 - lambda_k^2)."""
    return level(build, stall_of_sums)


def level_of_differences(build: Build = QuantisedConsensus) -> Verdict:
    """Q2: v sum (1 - lambda_k)/(1 + lambda_k)."""
    return level(build, stall_of_differences)


@_QUANTISED_CONSENSUS_FORMS.case("second moments")
def relative_noise_diverges(build: Build = QuantisedConsensus) -> Verdict:
    """Q2 with unbiased rand-1 of 4 on the ring of 8: second moments grow by an exact factor.

    E V after t rounds from the second-moment recursion against the mean over replicas.
    """
    n, d, rounds, replicas = 8, 4, 2, 20000
    problem, topology, omega = consensus_problem(n, d, 73), Ring(8), 3.0
    w = topology.matrix(0)
    everyone = torch.arange(n)
    b = -problem.full_gradient(torch.zeros((1, d), dtype=torch.float64), everyone).numpy()
    second = b @ b.T
    moved = w - np.eye(n)
    for _ in range(rounds):
        second = w @ second @ w.T + omega * moved @ np.diag(np.diag(second)) @ moved.T
    expected = float(np.trace(second) - second.sum() / n)
    method = build(FixedLinks(topology), RandK(1))
    *_, last = path(method, problem, rounds, seed=_SEED, replicas=replicas)
    growth = relative_growth_of_differences(w, omega)
    return mean_is(
        f"Q2 with rand-1 of 4: second moments as computed; they grow by {growth:.4f} a round",
        apart(method.models(last.state)).numpy(), expected, on=problem,
        words=f"seed {_SEED}, {replicas} replicas, {rounds} rounds on the ring of 8",
    )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case("second moments")
def compensating_law(build: Callable[..., Method[Any]] = QuantisedConsensus) -> Verdict:
    """Mean disagreement after 60 meetings on the complete graph of 6: the theorem with equality."""
    n, d, ticks, replicas, scale = 6, 5, 60, 4000, 0.3
    problem, meetings = consensus_problem(n, d, 74), RandomLinks(RandomEdge(Complete(n)))
    method = build(meetings, AdditiveNoise(scale), row_error=d * scale**2)
    c = method.constants(problem)
    *_, last = path(method, problem, ticks, seed=_SEED, replicas=replicas)
    expected = theorem.bound(c, ConstantStep(1.0), np.array([float(ticks)]))[0]
    return mean_is(
        "compensating meetings on the complete graph: the bound with equality",
        apart(method.models(last.state)).numpy(), float(expected), on=problem,
        words=f"seed {_SEED}, {replicas} replicas, {ticks} meetings, n={n}",
    )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case(
    "mean preservation", f"seed {_SEED}, 2 replicas, 200 meetings on the ring of 9"
)
def mean_is_kept(build: Build = QuantisedConsensus) -> Iterator[Verdict]:
    """Compensating: the mean never moves, with random and with nearest rounding."""
    problem, meetings = consensus_problem(9, 6, 75), RandomLinks(RandomEdge(Ring(9)))
    centre = problem.x_star
    assert centre is not None
    for operator in (FixedPoint(2, 12), FixedRange(8.0, 5)):
        yield same(
            f"the mean over workers never moves, {operator.name}",
            models(build(meetings, operator), problem, 200, seed=_SEED, replicas=2), centre,
            on=problem,
        )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case(
    "agreement", f"seed {_SEED}, 4 replicas, 4000 meetings on the ring of 9"
)
def agreement_of_the_other_rules() -> Verdict:
    """Total rule with nearest rounding: all workers end at one grid point, which the mean is not.

    (Carli, Fagnani, Frasca, Zampieri 2010: exact agreement in finite time.)
    """
    problem, meetings = consensus_problem(9, 6, 76), RandomLinks(RandomEdge(Ring(9)))
    method = QuantisedConsensus(meetings, FixedRange(8.0, 5), OwnValue.TOTAL)
    *_, last = path(method, problem, 4000, seed=_SEED, replicas=4)
    centre = problem.x_star
    assert centre is not None
    off = float((method.models(last.state).mean(-2) - centre).abs().max())
    return same(
        "totally quantised meetings with nearest rounding agree exactly",
        apart(method.models(last.state)), 0.0,
        note=f"the common value is off the mean by up to {off:.3g}", on=problem,
    )  # fmt: skip


def quantised_forms() -> tuple[Verdict, ...]:
    """Levels, laws and means."""
    return (
        level_of_sums(),
        level_of_differences(),
        relative_noise_diverges(),
        compensating_law(),
        *mean_is_kept(),
        agreement_of_the_other_rules(),
    )


CLOSED_FORMS = (quantised_forms,)

COVERS = {"quantised_forms": ("quantised-consensus",)}


# Closed forms: cedas.
#
# By a second recursion in numpy while stepsizes fall; LEAD where they do not; without compression
# exact diffusion at any stepsizes, which LEAD is not.

CedasBuild = Callable[..., Method[Any]]
"""A method of a stepsize rule, a topology, an operator and its own rates."""

_TOP, _N, _D, _CEDAS_SEED = TopK(1), 6, 3, 63
_C, _ALPHA = 0.4, 0.6
_STEP, _FALLING = ConstantStep(0.1), InverseTimeStep(2.0, 10.0)

cedas = partial(LEAD, steps_in_dual=True)
"""CEDAS: the dual has the stepsizes in it."""


def _top(build: CedasBuild, rule: Stepsize = _STEP, operator: Compressor = _TOP) -> Method[Any]:
    return build(rule, drawn_weights(_N, _CEDAS_SEED), operator, _C, _ALPHA)


cedas_forms = ClosedForms("cedas", "quadratic", name="cedas_forms")
"""Closed forms of CEDAS."""


@cedas_forms.case("recursion", f"25 steps that fall, top-1, seed {_CEDAS_SEED}")
def cedas_printed(build: CedasBuild = cedas) -> Verdict:
    """Y, q, D, H, X by numpy, from H = X and D = 0; top-1 takes Q's place."""
    problem = drawn_quadratic(_N, _D, _CEDAS_SEED)
    at, lap = force(problem), np.eye(_N) - drawn_weights(_N, _CEDAS_SEED).matrix(0)
    x: Floats = np.zeros((_N, _D))
    h, dual, rows = x.copy(), np.zeros_like(x), [x]
    for t in range(25):
        descended = x - _FALLING(t) * at(x)
        q = top1(descended - dual - h)
        dual = dual + _C / 2 * lap @ (h + q)
        x, h = descended - dual, h + _ALPHA * q
        rows.append(x)
    return same(
        "models of all workers, by the recursion as it is printed",
        rows_along(_top(build, _FALLING), problem, 25), np.stack(rows), tolerance=1e-12,
        on=problem,
    )  # fmt: skip


@cedas_forms.case("equal to exact diffusion", f"60 steps that fall, c = 1, seed {_CEDAS_SEED}")
def cedas_is_diffusion(build: CedasBuild = cedas) -> Verdict:
    """Q = I and c = 1: exact diffusion, also while stepsizes fall."""
    problem, topology = drawn_quadratic(_N, _D, _CEDAS_SEED), drawn_weights(_N, _CEDAS_SEED)
    return same(
        "Q = I, c = 1: exact diffusion at falling stepsizes",
        rows_along(build(_FALLING, topology, Identity(), 1.0, 1.0), problem, 60),
        rows_along(exact_diffusion(_FALLING, topology), problem, 60), tolerance=1e-12, on=problem,
    )  # fmt: skip


@cedas_forms.case("equal to LEAD", f"60 steps of 0.1, top-1, seed {_CEDAS_SEED}")
def cedas_is_lead(build: CedasBuild = cedas) -> Verdict:
    """At a constant stepsize it is LEAD, whatever the operator."""
    problem = drawn_quadratic(_N, _D, _CEDAS_SEED)
    found, wanted = (rows_along(_top(made), problem, 60) for made in (build, LEAD))
    return same("a constant stepsize: LEAD", found, wanted, tolerance=1e-12, on=problem)


@cedas_forms.case("conservation", f"40 steps that fall, top-1 of {_D}, seed {_CEDAS_SEED}")
def cedas_dual_sum(build: CedasBuild = cedas) -> Verdict:
    """The duals sum to zero: sum D = 0 always."""
    moments = path(_top(build, _FALLING), drawn_quadratic(_N, _D, _CEDAS_SEED), 40)
    sums = torch.stack([moment.state.dual.sum(-2) for moment in moments])
    return same("the dual variables sum to 0", sums, 0.0, tolerance=1e-12)


@cedas_forms.case()
def cedas_mean(build: CedasBuild = cedas) -> Verdict:
    """The mean model makes gradient steps, whatever the operator."""
    return mean_of(lambda rule, topology: build(rule, topology, _TOP, _C, _ALPHA))


@cedas_forms.case()
def cedas_copies(build: CedasBuild = cedas) -> Verdict:
    """The copy of W H as workers keep it."""
    return copies_are_known(_top(build), (("public", "around"),))


@cedas_forms.case()
def cedas_stays(build: CedasBuild = cedas) -> Verdict:
    """X = H = x*, D = -gamma G(x*)."""
    problem = drawn_quadratic(_N, _D, _CEDAS_SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    g = 0.1 * problem.full_gradient(x, torch.arange(_N))
    rest = LEADState(x, -g, x, x)
    return is_fixed_point(_top(build), rest, problem, "X = H = x*, D = -gamma G(x*)")
