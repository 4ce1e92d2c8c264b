"""EF21 with momentum, EControl: closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.error_feedback.econtrol import EControl, EControlState
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.problems.skewed_noise import OUTCOMES, skewed
from proofs_check.evidence.error_feedback.closed_forms import pair_of_workers
from proofs_check.instruments.closed_forms import ClosedForms, at_most, none_wrong, same
from proofs_check.instruments.paths import models, path, world_of
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

# EF21 with momentum: its steps by hand, and the floor that skewed noise leaves.

Build = Callable[[Stepsize, Compressor, float], Method[Any]]
Rows = NDArray[np.float64]

_FORMS = ClosedForms("ef21-sgdm")
_TOP_ONE = TopK(1)


def momentum(step: Stepsize, compressor: Compressor, eta: float) -> EF21:
    """EF21-SGDM on sampled gradients."""
    return EF21(step, compressor, eta, Sampled())


def largest_entry(rows: Rows) -> Rows:
    """Rows with their entry of largest magnitude alone, the first of several."""
    kept = np.zeros_like(rows)
    for i, j in enumerate(np.abs(rows).argmax(-1)):
        kept[i, j] = rows[i, j]
    return kept


def by_hand(
    problem: Problem, gamma: float, eta: float, steps: int, operator: Callable[[Rows], Rows]
) -> Rows:
    """Models ``[steps + 1, d]`` of the recursion in numpy, with the gradients that a run draws."""
    context = world_of(problem, 0, 1)
    x = problem.start().numpy().copy()
    v, g, out = np.zeros((problem.n, problem.d)), np.zeros((problem.n, problem.d)), [x]
    for t in range(steps):
        fresh = context.gradient(torch.tensor(x)[None, None], t)[0].numpy()
        v = fresh if t == 0 else (1 - eta) * v + eta * fresh
        g = g + operator(v - g)
        x = x - gamma * g.mean(0)
        out.append(x)
    return np.stack(out)


@_FORMS.case("by hand", "top-1, 100 steps, seed 0")
def recursion(make: Build = momentum) -> Iterator[Verdict]:
    """The recursion with weights 0.2 and 1 (EF21-SGD), and without an operator."""
    problem, step = unequal(4, 8), ConstantStep(0.1)
    for eta, operator, by, words in (
        (0.2, TopK(1), largest_entry, "EF21-SGDM, eta = 0.2"),
        (1.0, TopK(1), largest_entry, "eta = 1: EF21-SGD"),
        (0.2, Identity(), lambda rows: rows, "C = I: momentum of the mean gradient"),
    ):
        mine = models(make(step, operator, eta), problem, 100)[:, 0].numpy()
        yield same(words, mine, by_hand(problem, 0.1, eta, 100, by), on=problem)


@_FORMS.case("equal to", "top-1, 100 steps, sampled gradients")
def without_momentum(make: Build = momentum) -> Verdict:
    """eta = 1 is EF21 on stochastic gradients, bit for bit."""
    problem, step = unequal(4, 8), ConstantStep(0.1)
    mine = models(make(step, TopK(1), 1.0), problem, 100)
    theirs = models(EF21(step, TopK(1), gradients=Sampled()), problem, 100)
    wrong = int((mine != theirs).sum())
    return none_wrong(
        "eta = 1: EF21-SGD bit for bit", wrong, f"{wrong} of {mine.numel()} numbers differ",
        on=problem,
    )  # fmt: skip


@_FORMS.case("bias of top-1 of the noise", "arithmetic on the three outcomes, not a run")
def idealised(operator: Compressor = _TOP_ONE) -> Iterator[Verdict]:
    """x+ = x - gamma (x + mean of top-1 of the noise) rests at (0, -1/3): a floor of 1/9."""
    mean = np.asarray(operator.compress(OUTCOMES, world_of(skewed(3), 0, 1).draws("a", 0)).mean(0))
    yield same("E top-1 of the noise = (0, 1/3), E noise = 0", mean, (0.0, 1 / 3))
    yield same("the mean of the noise", OUTCOMES.mean(0).numpy(), 0.0)
    yield same("||x||^2 at rest", float(np.square(mean).sum()), 1 / 9)


FLOORS = ((0.05, 1.0, 0.0051), (0.0125, 1.0, 0.0038), (0.05, 0.1, 0.0027), (0.0125, 0.025, 0.00041))
"""gamma, eta, E||x - x*||^2 of 64 workers, as simulated elsewhere."""
_REPLICAS, _STEPS, _NEAR = 16, 2000, 0.2


@_FORMS.case("floor of skewed noise", f"64 workers, top-1, {_STEPS} steps, the last half, seed 5")
def floors(make: Build = momentum) -> Iterator[Verdict]:
    """Without momentum the floor does not fall with the stepsize, with it it does."""
    found, means = [], []
    for gamma, eta, floor in FLOORS:
        square, mean = _at_rest(make(ConstantStep(gamma), TopK(1), eta))
        found.append(square)
        means.append(float(np.linalg.norm(mean)))
        yield at_most(
            f"gamma {gamma:g}, eta {eta:g}: E||x - x*||^2 within a fifth of {floor:g}",
            abs(square / floor - 1), _NEAR, f"{square:.3g}, mean ({mean[0]:.3f}, {mean[1]:.3f})",
            on="skewed-noise",
        )  # fmt: skip
        if eta == 1:
            off = float(np.abs(mean - np.array([-0.037, -0.047])).max())
            yield at_most(
                f"gamma {gamma:g}, eta 1: the mean is near (-0.037, -0.047)", off, 0.003,
                f"off by {off:.2g}", on="skewed-noise",
            )  # fmt: skip
    yield at_most(
        "a quarter of the stepsize: E||x - x*||^2 with momentum below a quarter, without it not "
        "below a half", found[3] / found[2], min(0.25, found[1] / found[0] / 2),
        f"{found[3] / found[2]:.3g} with, {found[1] / found[0]:.3g} without", on="skewed-noise",
    )  # fmt: skip
    yield at_most(
        "the mean falls with eta", means[3] / means[2], 0.5, f"{means[3]:.3g} from {means[2]:.3g}",
        on="skewed-noise",
    )  # fmt: skip


def _at_rest(method: Method[Any]) -> tuple[float, Rows]:
    """E||x - x*||^2 and the mean of x - x* over the last half of a run of 64 workers."""
    problem = skewed(64)
    assert problem.x_star is not None
    off = [
        moment.state.x[:, 0] - problem.x_star
        for moment in path(method, problem, _STEPS, seed=5, replicas=_REPLICAS)
        if moment.t > _STEPS // 2
    ]
    late = torch.stack(off)
    return float(late.square().sum(-1).mean()), late.mean((0, 1)).numpy()


SYMMETRIC_FLOORS = (
    (1, 0.05, 2.04), (4, 0.05, 0.40), (16, 0.05, 0.096),
    (1, 0.0125, 0.46), (4, 0.0125, 0.11), (16, 0.0125, 0.027),
)  # fmt: skip
"""Workers, gamma, E||x||^2 of EF21-SGD (Fatkhullin, Tyurin, Richtarik 2023, arXiv:2305.15155) under
Gaussian noise, as simulated elsewhere and told to two digits."""


@_FORMS.case("floor of symmetric noise", "d = 10, top-1, eta = 1, 16 replicas, last half, seed 5",
             on="squared length")  # fmt: skip
def symmetric_floors(make: Build = momentum) -> Iterator[Verdict]:
    """Under Gaussian noise EF21-SGD's floor falls with gamma and with n: nothing to mend there."""
    for n, gamma, floor in SYMMETRIC_FLOORS:
        ones, steps = torch.ones((n, 10), dtype=torch.float64), int(80 / gamma**0.9)
        problem = Quadratic.from_arrays(ones, 0 * ones, sigma2=10.0)
        method = make(ConstantStep(gamma), _TOP_ONE, 1.0)
        late = [
            one.state.x[:, 0].square().sum(-1).mean()
            for one in path(method, problem, steps, seed=5, replicas=_REPLICAS)
            if one.t > steps // 2
        ]
        found = float(torch.stack(late).mean())
        yield at_most(
            f"{n} workers, gamma {gamma:g}: E||x||^2 within an eighth of {floor:g}",
            abs(found / floor - 1), 0.125, f"{found:.3g}",
        )  # fmt: skip


# EControl: what it conserves, and the two methods between which it lies.

_CONTROL_FORMS = ClosedForms("econtrol")


@_CONTROL_FORMS.case("conservation", "top-1, eta = 0.1, 80 steps, sampled gradients, seed 0")
def nothing_is_lost(make: Build = EControl) -> Iterator[Verdict]:
    """e_i is the sum of gradients less that of estimates; the server's mean is that of the h_i."""
    problem, method = unequal(4, 8), make(ConstantStep(0.05), TopK(1), 0.1)
    total = torch.zeros(1, 4, 8, dtype=torch.float64)
    states: list[Any] = []
    for moment in path(method, problem, 80):
        if states:
            fresh = moment.context.gradient(states[-1].x, moment.t - 1)
            total = total + fresh - moment.state.memory
        states.append(moment.state)
    yield same("e_i = sum (g - h)", states[-1].unsent.numpy(), total.numpy(), on=problem)
    server = torch.stack([state.mean[..., 0, :] for state in states])
    workers = torch.stack([state.memory.mean(-2) for state in states])
    yield same("h = (1/n) sum_i h_i", server.numpy(), workers.numpy(), on=problem)


@_CONTROL_FORMS.case("equal to", "top-1, 100 steps, sampled gradients")
def without_control(make: Build = EControl) -> Iterator[Verdict]:
    """eta = 0 is EF21 bit for bit, from either start."""
    problem, step = unequal(4, 8), ConstantStep(0.1)
    for full in (False, True):
        if full and make is EControl:
            method: Method[Any] = EControl(step, TopK(1), 0.0, full_start=True)
        else:
            method = make(step, TopK(1), 0.0)
        alike = full and make is EControl
        mine = models(method, problem, 100)
        theirs = models(EF21(step, TopK(1), gradients=Sampled(), full_start=alike), problem, 100)
        wrong = int((mine != theirs).sum())
        yield none_wrong(
            f"eta = 0{', full start' if alike else ''}: EF21 bit for bit", wrong,
            f"{wrong} of {mine.numel()} numbers differ", on=problem,
        )  # fmt: skip


@_CONTROL_FORMS.case("equal to", "top-1, eta = 1 and h_i = 0 before each round, 100 steps of 1/8")
def error_feedback(make: Build = EControl) -> Verdict:
    """With eta = 1 and h_i kept at 0 it is error feedback of 2018."""
    problem, step = unequal(4, 8), ConstantStep(0.125)
    method, context = make(step, TopK(1), 1.0), world_of(problem, 0, 1)
    state = method.init(problem.start(), context)
    found = [state.x]
    for t in range(100):
        zeros = torch.zeros_like(state.memory)
        state = state._replace(memory=zeros, mean=torch.zeros_like(state.x))
        state = method.step(state, t, context)
        found.append(state.x)
    theirs = models(BSP(step, TopK(1), ErrorFeedback()), problem, 100)
    return same("h = 0, eta = 1: error feedback", torch.stack(found)[:, :, 0].numpy(),
                theirs.numpy(), on=problem)  # fmt: skip


@_CONTROL_FORMS.case("fixed point", "top-1, eta = 0.1, 4000 rounds, gamma = 0.05")
def exact_minimum(make: Build = EControl) -> Verdict:
    """It ends at x* where workers differ, at a constant stepsize."""
    problem = pair_of_workers()
    end = models(make(ConstantStep(0.05), TopK(1), 0.1), problem, 4000)[-1, 0]
    error = float((end - problem.x_star).abs().max())
    return at_most("x* at gamma 0.05", error, 1e-12, f"error {error:.2g}", on=problem)


@_CONTROL_FORMS.case(
    "fixed point", "5 rounds from x*, h_i = grad f_i(x*), e_i = 0, top-1, eta = 0.1"
)
def is_fixed_point(make: Build = EControl) -> Verdict:
    """Nothing is left unsent where h_i are the gradients: x* stays."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    x, h = problem.x_star.expand(1, 1, -1), problem.all_gradients(problem.x_star)[None]
    start = EControlState(x, h, torch.zeros_like(x), torch.zeros_like(h))
    end = models(make(ConstantStep(0.1), TopK(1), 0.1), problem, 5, state=start)[-1, 0]
    return same("x* stays", end, problem.x_star, on=problem, tolerance=1e-14)


CLOSED_FORMS = (
    _FORMS,
    _CONTROL_FORMS,
)
