"""SCAFFOLD round by round, and as Scaffnew that meets every K steps: closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.drift.scaffnew import Scaffnew, ScaffnewState
from algorithms.methods.drift.scaffold import ControlOption, Scaffold, ScaffoldState
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import CURVATURES, MINIMISERS, two_workers
from proofs_check.instruments.closed_forms import ClosedForms, at_least, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep

# Mistakes met in public code of SCAFFOLD and Scaffnew, each in the place of a step. They run in
# the simulation alone, which holds all workers.


def never_applied(
    own: Scaffold, state: ScaffoldState, t: int, context: RunContext
) -> ScaffoldState:
    """the correction is computed and bound to a name that no local step reads"""
    zeros = torch.zeros_like(state.control), torch.zeros_like(state.server_control)
    unaware = state._replace(control=zeros[0], server_control=zeros[1])
    after = own.step(unaware, t, context)
    return after._replace(control=state.control, server_control=state.server_control)


def never_stored(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """no worker keeps its c_i, and c_i^+ - c is sent for c_i^+ - c_i"""
    after = own.step(state._replace(control=torch.zeros_like(state.control)), t, context)
    if (t + 1) % own.period:
        return after
    return after._replace(
        control=torch.zeros_like(state.control),
        server_control=after.server_control - state.server_control,
    )


def sent_whole(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """c_i^+ is sent as if it were the difference"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    kept = state.control.mean(-2, keepdim=True)
    return after._replace(server_control=after.server_control + kept)


def per_epoch(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """x - y is divided by the epochs, one, in the place of the K steps"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    path = after.control - state.control + state.server_control
    more = (own.period - 1) * path
    return after._replace(
        control=after.control + more,
        server_control=after.server_control + more.mean(-2, keepdim=True),
    )


def random_start(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """the controls start at random numbers, and c at 0"""
    if t:
        return own.step(state, t, context)
    drawn = context.draws("start of controls", 0).normal(state.x.shape[-1], state.x.dtype)
    return own.step(state._replace(control=drawn), t, context)


def shared_length(
    own: Scaffold, state: ScaffoldState, t: int, context: RunContext
) -> ScaffoldState:
    """worker 0 takes one step a round, and divides by K all the same"""
    ended = own.period > 1 and bool(t % own.period)
    if not ended:
        return own.step(state, t, context)
    here = torch.arange(state.x.shape[-2])[:, None] == 0
    at_last = (t + 1) % own.period == 0
    g = context.problem.gradient(state.x, context.draws("gradient", t))
    still = state.x + own.step_rule(t) * (g - state.control + state.server_control)
    waiting = state._replace(x=torch.where(here, still, state.x))  # the step takes it back
    after = own.step(waiting, t, context)
    return after if at_last else after._replace(x=torch.where(here, state.x, after.x))


def share_of_few(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """the server divides what the workers of a round send by their number, not by n"""
    after = own.step(state, t, context)
    few = context.network.n / (own.participants or context.network.n)
    change = after.server_control - state.server_control
    return after._replace(server_control=state.server_control + few * change)


def never_renewed(
    own: Scaffnew, state: ScaffnewState, t: int, context: RunContext
) -> ScaffnewState:
    """x_hat is the mean already when h is renewed: h never moves"""
    return own.step(state, t, context)._replace(shift=state.shift)


# Closed forms: SCAFFOLD round by round, and as Scaffnew that meets every K steps.

Build = Callable[..., Method[Any]]

_K, _ETA, _SEED = 5, 0.1, 311
_STEP, _FALLING = ConstantStep(_ETA), InverseTimeStep(2.0, 20.0)
ROUNDS = {1: 0.46112, 2: 0.697709144, 3: 0.78530540875556, 10: 0.7999517363242552}
"""The server's model of SCAFFOLD (option II) on two workers, by the number of rounds."""

FEDAVG_LIMIT = 0.6925023465365121
"""Limit of five local steps of 0.1 that nothing corrects."""


scaffold_forms = ClosedForms("scaffold", name="scaffold_forms")
"""Closed forms of SCAFFOLD."""


@scaffold_forms.case("closed form", f"option II, K = {_K}, eta = {_ETA}, full participation")
def rounds_on_two_workers(build: Build = Scaffold) -> Iterator[Verdict]:
    """The server's model after 1, 2, 3 and 10 rounds, and the controls in the end."""
    problem = two_workers()
    method = build(_STEP, _K)
    seen = list(path(method, problem, 60 * _K))
    got = [seen[_K * k].state.anchor[0, 0, 0].item() for k in ROUNDS]
    yield same(
        "x after 1, 2, 3 and 10 rounds", got, list(ROUNDS.values()), on=problem,
        words="derived by hand in fractions", tolerance=1e-13,
    )  # fmt: skip
    yield same(
        "c_i tends to the gradients at x*, 4/5 and -4/5", seen[-1].state.control[0, :, 0],
        [0.8, -0.8], on=problem, tolerance=1e-10,
    )  # fmt: skip


@scaffold_forms.case("identity of two methods", f"noise, 6 workers, K = {_K}, seed {_SEED}")
def is_scaffnew(build: Build = Scaffold) -> Iterator[Verdict]:
    """Option II with all workers is Scaffnew that meets every K steps with p = 1/K, h = c_i - c."""
    problem = unequal(6, 7)
    options: dict[str, Any] = {"seed": _SEED, "replicas": 3}
    ours = list(path(build(_STEP, _K), problem, 8 * _K, **options))
    theirs = list(path(Scaffnew(_STEP, 1 / _K, _K), problem, 8 * _K, **options))
    yield same(
        "local models at every step", torch.stack([one.state.x for one in ours]),
        torch.stack([one.state.x for one in theirs]), on=problem,
    )  # fmt: skip
    yield same(
        "c_i - c is Scaffnew's h_i: one vector up and down would do",
        torch.stack([one.state.control - one.state.server_control for one in ours]),
        torch.stack([one.state.shift for one in theirs]), on=problem,
    )  # fmt: skip


@scaffold_forms.case(
    "identity of two methods", f"noise, 6 workers, falling stepsizes, seed {_SEED}"
)
def one_local_step(build: Build = Scaffold) -> Verdict:
    """With K = 1 the controls cancel in the mean: x is BSP's, both options."""
    problem = unequal(6, 7)
    paths = [
        models(build(_FALLING, 1, option=option), problem, 40, seed=_SEED, replicas=3)
        for option in ControlOption
    ]
    return same(
        "K = 1: the model of BSP at every step", torch.stack(paths),
        models(BSP(_FALLING), problem, 40, seed=_SEED, replicas=3), on=problem,
    )  # fmt: skip


@scaffold_forms.case("conservation", f"noise, K = 3, both options, 2 or all of 5 workers, {_SEED}")
def mean_of_controls(build: Build = Scaffold) -> Verdict:
    """The server's control is the mean of the workers' at every step, whoever takes part."""
    problem = unequal(5, 4)
    off: list[float] = []
    for few in (None, 2):
        for option in ControlOption:
            method = build(_STEP, 3, option=option, participants=few)
            for seen in path(method, problem, 36, seed=_SEED, replicas=4):
                gap = seen.state.control.mean(-2, keepdim=True) - seen.state.server_control
                off.append(float(gap.abs().max()))
    return same("c - mean c_i", off, 0.0, on=problem)


@scaffold_forms.case("fixed point", "no noise, K = 4, two rounds from x*, c_i = grad f_i(x*)")
def stays_at_minimiser(build: Build = Scaffold) -> Iterator[Verdict]:
    """From x* and its gradients nothing moves; from x* and c_i = 0 it does, and comes back."""
    problem = unequal(4, 6, sigma2=0.0)
    centre = problem.x_star
    assert centre is not None
    rows = centre.expand(1, 4, -1)
    gradients = problem.full_gradient(rows, torch.arange(4))
    start = ScaffoldState(rows, gradients, centre.expand(1, 1, -1), torch.zeros(1, 1, 6).double())
    for option in ControlOption:
        method = build(_STEP, 4, option=option)
        *_, last = path(method, problem, 8, state=start)
        yield same(f"option {option.value}: models stay at x*", last.state.x, centre, on=problem)


@scaffold_forms.case("no heterogeneity bias", f"no noise, {_SEED}: 5 workers, 2000 rounds of K = 6")
def any_data(build: Build = Scaffold) -> Verdict:
    """Hessians and minimisers of their own: both options end at x*, all or two workers a round."""
    generator = np.random.default_rng(_SEED)
    a = torch.from_numpy(generator.uniform(0.3, 1.5, size=(5, 3)))
    problem = Quadratic.from_arrays(a, torch.from_numpy(generator.normal(size=(5, 3))))
    ends = [
        run(build(_STEP, 6, option=option, participants=few), problem, steps=12000 // cut,
            points=2).model[0]
        for option, few, cut in (
            (ControlOption.PATH, None, 8), (ControlOption.PASS, None, 8),
            (ControlOption.PATH, 2, 2),
        )
    ]  # fmt: skip
    return same("the minimiser", torch.stack(ends), problem.x_star, on=problem, tolerance=1e-9)


def by_hand(
    rounds: int, K: int, eta: float, eta_g: float = 1.0, taking: Floats | None = None
) -> Floats:
    """The server's models ``[rounds + 1]`` on two workers by option I, in plain numbers; workers
    ``taking`` part ``[rounds, 2]`` (default: both)."""
    a, b = np.array(CURVATURES), np.array(MINIMISERS)
    x, control, server, told = 0.0, np.zeros(2), 0.0, [0.0]
    for k in range(rounds):
        here = np.ones(2) if taking is None else taking[k]
        y = np.full(2, x)
        for _ in range(K):
            y = y - here * eta * (a * (y - b) - control + server)
        change = here * (a * (x - b) - control)
        x = x + eta_g * float((here * (y - x)).sum() / here.sum())
        control, server = control + change, server + float(change.sum()) / 2
        told.append(x)
    return np.array(told)


@scaffold_forms.case("closed form", f"option I, K = {_K}, eta = {_ETA}")
def option_one(build: Build = Scaffold) -> Iterator[Verdict]:
    """The recursion by hand of option I: rates of the server, and one worker of two a round."""
    problem = two_workers()
    for rate in (1.0, 0.6):
        method = build(_STEP, _K, rate, ControlOption.PASS)
        got = [one.state.anchor[0, 0, 0].item() for one in path(method, problem, 12 * _K)][::_K]
        yield same(
            f"x of every round, eta_g = {rate:g}", got, by_hand(12, _K, _ETA, rate), on=problem
        )
    method = build(_STEP, _K, 1.0, ControlOption.PASS, 1)
    seen = list(path(method, problem, 12 * _K, seed=_SEED))
    moved = [(seen[_K * k + 1].state.x - seen[_K * k].state.x)[0, :, 0] != 0 for k in range(12)]
    taking = torch.stack(moved).double().numpy()
    got = [one.state.anchor[0, 0, 0].item() for one in seen][::_K]
    yield none_wrong(
        "one of two workers takes part, and each does in some round",
        int((taking.sum(1) != 1).sum() + (taking.sum(0) == 0).sum()), f"{taking.sum(0)} of 12",
        on=problem,
    )  # fmt: skip
    yield same(
        "x of every round, one of two workers", got, by_hand(12, _K, _ETA, taking=taking),
        on=problem,
    )  # fmt: skip


@scaffold_forms.case("mistakes met in public code", f"K = {_K}, eta = {_ETA}, 600 rounds")
def where_mistakes_end(build: Build = Scaffold) -> Iterator[Verdict]:
    """Where the wrong copies end: at FedAvg's limit, elsewhere, nowhere."""
    problem = two_workers()
    unaware = OneWrongStep(build(_STEP, _K), never_applied)
    yield same(
        "the correction is never applied: local SGD, bit for bit",
        models(unaware, problem, 20 * _K), models(LocalSGD(_STEP, _K), problem, 20 * _K),
        tolerance=0.0, on=problem,
    )  # fmt: skip
    ends = {
        "never applied: FedAvg's limit": (unaware, FEDAVG_LIMIT, 1e-12),
        "option I, c_i never stored and c_i+ - c sent": (
            OneWrongStep(build(_STEP, _K, option=ControlOption.PASS), never_stored), 0.7512, 5e-5
        ),
        "the same with option II cancels: FedAvg's limit": (
            OneWrongStep(build(_STEP, _K), never_stored), FEDAVG_LIMIT, 1e-12
        ),
    }  # fmt: skip
    for words, (method, end, tolerance) in ends.items():
        got = run(method, problem, steps=600 * _K, points=2).model[0, 0].item()
        yield same(words, got, end, tolerance=tolerance, on=problem)
    for words, wrong in (("c_i+ sent whole", sent_whole), ("divided by epochs", per_epoch)):
        method = OneWrongStep(build(_STEP, _K), wrong)
        far = abs(run(method, problem, steps=300 * _K, points=2).model[0, 0].item())
        yield at_least(f"{words}: diverges", far, 1e6, f"|x| = {far:.3g}", on=problem)
