"""Closed forms: cedas.

By a second recursion in numpy while stepsizes fall; LEAD where they do not; without compression
exact diffusion at any stepsizes, which LEAD is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from proofs_check.evidence.gossip_compressed.closed_forms_tracking import copies_are_known, top1
from proofs_check.evidence.gossip_tracking.closed_forms import exact_diffusion, is_fixed_point
from proofs_check.evidence.gossip_tracking.closed_forms import mean_is_gradient_descent as mean_of
from proofs_check.evidence.gossip_tracking.instance import (
    drawn_quadratic,
    drawn_weights,
    force,
    rows_along,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, a topology, an operator and its own rates."""

_TOP, _N, _D, _SEED = TopK(1), 6, 3, 63
_C, _ALPHA = 0.4, 0.6
_STEP, _FALLING = ConstantStep(0.1), InverseTimeStep(2.0, 10.0)

cedas = partial(LEAD, steps_in_dual=True)
"""CEDAS: the dual has the stepsizes in it."""


def _top(build: Build, rule: Stepsize = _STEP, operator: Compressor = _TOP) -> Method[Any]:
    return build(rule, drawn_weights(_N, _SEED), operator, _C, _ALPHA)


cedas_forms = ClosedForms("cedas", "quadratic", name="cedas_forms")
"""Closed forms of CEDAS."""


@cedas_forms.case("recursion", f"25 steps that fall, top-1, seed {_SEED}")
def cedas_printed(build: Build = cedas) -> Verdict:
    """Y, q, D, H, X by numpy, from H = X and D = 0; top-1 takes Q's place."""
    problem = drawn_quadratic(_N, _D, _SEED)
    at, lap = force(problem), np.eye(_N) - drawn_weights(_N, _SEED).matrix(0)
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


@cedas_forms.case("equal to exact diffusion", f"60 steps that fall, c = 1, seed {_SEED}")
def cedas_is_diffusion(build: Build = cedas) -> Verdict:
    """Q = I and c = 1: exact diffusion, also while stepsizes fall."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    return same(
        "Q = I, c = 1: exact diffusion at falling stepsizes",
        rows_along(build(_FALLING, topology, Identity(), 1.0, 1.0), problem, 60),
        rows_along(exact_diffusion(_FALLING, topology), problem, 60), tolerance=1e-12, on=problem,
    )  # fmt: skip


@cedas_forms.case("equal to LEAD", f"60 steps of 0.1, top-1, seed {_SEED}")
def cedas_is_lead(build: Build = cedas) -> Verdict:
    """At a constant stepsize it is LEAD, whatever the operator."""
    problem = drawn_quadratic(_N, _D, _SEED)
    found, wanted = (rows_along(_top(made), problem, 60) for made in (build, LEAD))
    return same("a constant stepsize: LEAD", found, wanted, tolerance=1e-12, on=problem)


@cedas_forms.case("conservation", f"40 steps that fall, top-1 of {_D}, seed {_SEED}")
def cedas_dual_sum(build: Build = cedas) -> Verdict:
    """The duals sum to zero: sum D = 0 always."""
    moments = path(_top(build, _FALLING), drawn_quadratic(_N, _D, _SEED), 40)
    sums = torch.stack([moment.state.dual.sum(-2) for moment in moments])
    return same("the dual variables sum to 0", sums, 0.0, tolerance=1e-12)


@cedas_forms.case()
def cedas_mean(build: Build = cedas) -> Verdict:
    """The mean model makes gradient steps, whatever the operator."""
    return mean_of(lambda rule, topology: build(rule, topology, _TOP, _C, _ALPHA))


@cedas_forms.case()
def cedas_copies(build: Build = cedas) -> Verdict:
    """The copy of W H as workers keep it."""
    return copies_are_known(_top(build), (("public", "around"),))


@cedas_forms.case()
def cedas_stays(build: Build = cedas) -> Verdict:
    """X = H = x*, D = -gamma G(x*)."""
    problem = drawn_quadratic(_N, _D, _SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    g = 0.1 * problem.full_gradient(x, torch.arange(_N))
    rest = LEADState(x, -g, x, x)
    return is_fixed_point(_top(build), rest, problem, "X = H = x*, D = -gamma G(x*)")
