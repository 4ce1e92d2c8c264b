"""LED and K-GT: closed forms, and the faults they refute.

LED by a second recursion in numpy as the paper has it, with the dual in units of the model; what it
is for one local step and on the complete graph; its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_tracking.k_gt import KGT, CorrectionSource, KGTState
from algorithms.topologies.complete import Complete
from algorithms.topologies.lazy import Lazy
from proofs_check.evidence.gossip_tracking import (
    drawn_quadratic,
    drawn_weights,
    force,
    rows_after,
    rows_along,
)
from proofs_check.evidence.gossip_tracking.closed_forms import (
    corrected_stays,
    corrections_cancel,
    exact_diffusion,
    mean_is_gradient_descent,
    reaches_minimiser,
)
from proofs_check.evidence.gossip_tracking.effects_links import k_gt_uncorrected_step
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.mutants.method_mutant import wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, where it mixes, and local steps."""

_N, _D, _SEED, _K = 6, 3, 67, 4
_STEP, _GAMMA = ConstantStep(0.1), 0.1

led = partial(KGT, source=CorrectionSource.MODELS)
"""LED: local exact diffusion."""

from_gradients = partial(KGT, gradient_start=True)
"""K-GT whose corrections start at the mean gradient less the own one."""


led_forms = ClosedForms("led", "quadratic", name="led_forms")
"""Closed forms of LED."""


def _same_rounds(build: Build, rows: Sequence[Floats]) -> Verdict:
    """Models after every round against ``rows``, one ``[n, d]`` for each."""
    method = build(_STEP, drawn_weights(_N, _SEED), _K)
    found = rows_along(method, drawn_quadratic(_N, _D, _SEED), _K * (len(rows) - 1))[::_K]
    told = "models after every round, by the recursion as it is printed"
    return same(told, found, np.stack(rows), tolerance=1e-12)


@led_forms.case("recursion", f"10 rounds of 4 local steps, seed {_SEED}")
def led_printed(build: Build = led) -> Verdict:
    """phi -= gamma g + y/K, K times from x; x+ = W phi; y += phi - x+, by numpy."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    at, w = force(problem), topology.matrix(0)
    x: Floats = np.zeros((_N, _D))
    y, rows = np.zeros_like(x), [x]
    for _ in range(10):
        phi = x
        for _ in range(_K):
            phi = phi - _GAMMA * at(phi) - y / _K
        x = w @ phi
        y = y + phi - x
        rows.append(x)
    return _same_rounds(build, rows)


@led_forms.case("equal to exact diffusion", f"60 steps, seed {_SEED}")
def led_is_diffusion(build: Build = led) -> Verdict:
    """K = 1 on (I + W)/2 is exact diffusion on W."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    return same(
        "K = 1: exact diffusion", rows_along(build(_STEP, Lazy(topology), 1), problem, 60),
        rows_along(exact_diffusion(_STEP, topology), problem, 60), tolerance=1e-12, on=problem,
    )  # fmt: skip


@led_forms.case("equal to K-GT", f"10 rounds of 4 local steps, W = J, seed {_SEED}")
def led_is_k_gt(build: Build = led) -> Verdict:
    """W = J: all models meet, so that moves and models differ by the same: SCAFFOLD, as K-GT is."""
    problem = drawn_quadratic(_N, _D, _SEED)
    found, wanted = (
        rows_along(made(_STEP, Complete(_N), _K), problem, 10 * _K) for made in (build, KGT)
    )
    return same("on the complete graph it is K-GT", found, wanted, tolerance=1e-12, on=problem)


@led_forms.case("conservation", f"40 steps, seed {_SEED}")
def led_sum(build: Build = led) -> Verdict:
    """The corrections sum to zero: sum c = 0 always."""
    return corrections_cancel(
        build(_STEP, drawn_weights(_N, _SEED), _K), drawn_quadratic(_N, _D, _SEED)
    )


@led_forms.case("no bias", f"4000 steps of 0.05, K = 4, seed {_SEED}")
def led_settles(build: Build = led) -> Verdict:
    """Every worker at x* whatever the data and K."""
    method = build(ConstantStep(0.05), drawn_weights(_N, _SEED), _K)
    return reaches_minimiser(method, drawn_quadratic(_N, _D, _SEED), 4000)


@led_forms.case()
def led_stays(build: Build = led) -> Verdict:
    """The fixed point X = x*, c = -G(x*) is kept."""
    return corrected_stays(
        build(_STEP, drawn_weights(_N, _SEED), 1), drawn_quadratic(_N, _D, _SEED)
    )


@led_forms.case()
def led_mean(build: Build = led) -> Verdict:
    """K = 1: the mean model makes gradient steps, also while they fall."""
    return mean_is_gradient_descent(lambda rule, topology: build(rule, topology, 1))


@led_forms.case("messages", f"10 rounds of 4 local steps, seed {_SEED}")
def led_messages(build: Build = led) -> Verdict:
    """One vector a link and meeting, where K-GT sends two."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    bits = [
        float(run(made(_STEP, topology, _K), problem, steps=40, points=2).sent_bits[0, -1])
        for made in (build, KGT)
    ]
    one = 10.0 * (_N - 1) * 64 * _D
    return same("bits of a worker, LED and K-GT", bits, [one, 2 * one], on=problem)


gradient_start_forms = ClosedForms("k-gt", "quadratic", name="gradient_start_forms")
"""Closed forms of K-GT that starts at gradients."""


@gradient_start_forms.case("first step", f"no noise, seed {_SEED}")
def first_step_is_shared(build: Build = from_gradients) -> Verdict:
    """The first local step is along the mean gradient, the same for all workers."""
    problem = drawn_quadratic(_N, _D, _SEED)
    found = rows_along(build(_STEP, drawn_weights(_N, _SEED), _K), problem, 1)[1]
    mean = force(problem)(np.zeros((_N, _D))).mean(0)
    return same("y = x0 - gamma mean g for every worker", found, -_GAMMA * mean, tolerance=1e-14)


@gradient_start_forms.case("recursion", f"10 rounds of 4 local steps, seed {_SEED}")
def started_printed(build: Build = from_gradients) -> Verdict:
    """Models after every round, by numpy, from c = mean G0 - G0."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    at, w = force(problem), topology.matrix(0)
    x: Floats = np.zeros((_N, _D))
    c, rows = at(x).mean(0) - at(x), [x]
    for _ in range(10):
        y = x
        for _ in range(_K):
            y = y - _GAMMA * (at(y) + c)
        z = (x - y) / (_K * _GAMMA)
        x, c = w @ y, c - z + w @ z
        rows.append(x)
    return _same_rounds(build, rows)


@gradient_start_forms.case("conservation", f"40 steps, seed {_SEED}")
def started_sum(build: Build = from_gradients) -> Verdict:
    """The corrections sum to zero from the start on."""
    return corrections_cancel(
        build(_STEP, drawn_weights(_N, _SEED), _K), drawn_quadratic(_N, _D, _SEED)
    )


@gradient_start_forms.case("same end", f"4000 steps of 0.05, K = 4, seed {_SEED}")
def both_starts_end_alike(build: Build = from_gradients) -> Verdict:
    """From 0 or from gradients the end is x*: a start at 0 biases the start alone."""
    problem = drawn_quadratic(_N, _D, _SEED)
    found = [
        rows_after(made(ConstantStep(0.05), drawn_weights(_N, _SEED), _K), problem, 4000)
        for made in (build, KGT)
    ]
    return same("every worker stops at x*", torch.stack(found), problem.x_star, tolerance=1e-10)


# Local exact diffusion and starts from gradients with one fault each, and who sees it.

led_uncorrected = wrong_step("LED whose correction is never applied", judge=led_settles, of=led)(
    k_gt_uncorrected_step
)


@wrong_step("LED that applies its dual whole", judge=led_printed, of=led)
def led_without_k(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """y in the place of y/K in every local step"""
    after = own.step(state, t, context)
    return after._replace(c=state.c + own.period * (after.c - state.c))


@wrong_step("LED that takes the last meeting's models", judge=led_sum, of=led)
def led_of_old_models(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """y += x - x+ in the place of phi - x+"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    length = own.period * own.step_rule(t)
    return after._replace(c=state.c + (state.x - after.x) / length)


@wrong_step("LED that sends its dual too", judge=led_messages, of=led)
def led_two_messages(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """the dual goes to the neighbours in a message of its own, unused"""
    if (t + 1) % own.period == 0:
        context.mixed(state.c, own.topology.neighbours(0), t, purpose="fault")
    return own.step(state, t, context)


@wrong_step("K-GT from the own gradient", judge=started_sum, of=from_gradients)
def started_alone(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """c = -own gradient at the start: no mean is asked"""
    if t:
        return own.step(state, t, context)
    g = context.problem.gradient(state.x, context.draws("first correction", 0))
    return own.step(state._replace(c=-g), t + own.period, context)


@wrong_step(
    "K-GT from gradients of the wrong sign", judge=first_step_is_shared,
    of=from_gradients,
)  # fmt: skip
def started_reversed(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """c = own gradient less the mean at the start"""
    if t:
        return own.step(state, t, context)
    g = context.problem.gradient(state.x, context.draws("first correction", 0))
    c = g - g.mean(-2, keepdim=True)
    y = state.x - own.step_rule(0) * (context.gradient(state.x, 0) + c)
    return KGTState(state.x, y, c) if own.period > 1 else KGTState(y, y, torch.zeros_like(c))
