"""CocktailSGD and LoCo, which feed errors back: closed forms, and the faults they refute.

Wang et al. 2023, ICML; Xie et al. 2024, arXiv:2407.04480.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.cocktail import Cocktail
from algorithms.compressors.identity import Identity
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws, Key, drawn_lots
from algorithms.engine.run import run
from algorithms.memories.base import Memory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.base import Method, RunContext
from algorithms.methods.compressed_optimizers.cocktail_sgd import CocktailSGD, CocktailState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.check import MONTE_CARLO
from proofs_check.evidence.compressed_optimizers import CENTRES, CURVATURES, UNEQUAL_PAIR, in_single
from proofs_check.instruments.closed_forms import ClosedForms, agrees, same
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_encoding, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_COCKTAIL_SGD = ClosedForms("cocktail-sgd", UNEQUAL_PAIR)
_GAMMA, _STEPS = 0.05, 40
MIX = Cocktail(0.75, 0.5, 3)
"""Of four coordinates three in the lot, two sent, three bits each."""


def cocktail() -> CocktailSGD:
    """CocktailSGD with the mix of the closed forms."""
    return CocktailSGD(ConstantStep(_GAMMA), MIX)


@_COCKTAIL_SGD.case("invariant", f"{_STEPS} steps")
def cocktail_loses_nothing(method: Method[Any] | None = None) -> Verdict:
    """Steps that all heard, and what workers and server keep, are all mean gradient steps."""
    states = [one.state for one in path(method or cocktail(), UNEQUAL_PAIR, _STEPS)]
    incoming = torch.stack([one.coming for one in states[1:]]).sum(0)
    due = sum(
        _GAMMA * (CURVATURES * (one.x - CENTRES)).mean(-2, keepdim=True) for one in states[:-1]
    )
    kept = states[-1].residual.mean(-2, keepdim=True) + states[-1].server
    return same("heard + kept = sum of the mean gradient steps", incoming + kept, due)


@_COCKTAIL_SGD.case("equivalence", f"without the delay, {_STEPS} steps")
def cocktail_is_two_way_feedback(method: Method[Any] | None = None) -> Verdict:
    """Not delayed it is SGD with error feedback both ways (dist-EF-SGD without momentum)."""
    step = ConstantStep(_GAMMA)
    own = method or CocktailSGD(step, MIX, delayed=False)
    twin = BSP(step, MIX, ErrorFeedback(), MIX, ErrorFeedback())
    mine, theirs = (models(one, UNEQUAL_PAIR, _STEPS) for one in (own, twin))
    return same("models are those of feedback both ways", mine, theirs, tolerance=0.0)


@_COCKTAIL_SGD.case("closed form", f"C = I, {_STEPS} steps")
def cocktail_delay(method: Method[Any] | None = None) -> Verdict:
    """C = I: gradient descent on the gradient of one step ago."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    walked = [np.zeros(4), np.zeros(4)]
    for _ in range(_STEPS - 1):
        walked.append(walked[-1] - _GAMMA * (a * (walked[-2] - b)).mean(0))
    own = method or CocktailSGD(ConstantStep(_GAMMA), Identity())
    found = models(own, UNEQUAL_PAIR, _STEPS)[:, 0]
    return same("x_{t+1} = x_t - gamma grad f(x_{t-1})", found, np.array(walked))


@_COCKTAIL_SGD.case("stability", "C = I, gamma at 1% of the limit, 2000 steps", on="x^2/2")
def cocktail_limit(delayed: bool = True) -> Verdict:
    """z^2 - z + gamma a has both roots within the unit circle iff gamma a < 1: half of 2, the limit
    without the delay."""
    one = torch.ones((1, 1), dtype=torch.float64)
    parabola = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    ends = [
        float(models(CocktailSGD(ConstantStep(g), Identity(), delayed), parabola, 2000)[-2:].norm())
        for g in (0.99, 1.01)
    ]
    return agrees(
        "one step late gamma a = 0.99 converges and 1.01 does not", ends[0] < 1e-3 < 1e3 < ends[1],
        ends[1], 1e3, f"ends at {ends[0]:.3g} and {ends[1]:.3g}, from 1",
    )  # fmt: skip


@_COCKTAIL_SGD.case("closed form", "10 rows of 40 normal numbers", on="rows")
def cocktail_parts(operator: Cocktail | None = None) -> Iterator[Verdict]:
    """With all in the lot it is rounded top-k; in a lot, the k values sent are the lot's largest,
    off by no more than R/(2^b - 1)."""
    x = normal_rows(10, 40, "cocktail")
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(10))
    kept = TopK(8).compress(x, draws)
    places = kept != 0
    values = NearestGrid(4).compress(kept[places].reshape(10, 8), draws)
    want = torch.zeros_like(x).masked_scatter(places, values)
    yield same("all in the lot: 4 bits of top-8", Cocktail(1.0, 8, 4).compress(x, draws), want)
    own = operator or Cocktail(20, 5, 4)
    sent = own.compress(x, draws)
    yield same("five are sent", (sent != 0).sum(-1), 5)
    radius = sent.abs().amax(-1, keepdim=True)
    off = torch.where(sent != 0, (sent - x).abs() / radius, torch.zeros_like(x))
    lower = torch.where(sent != 0, x.abs(), torch.inf).amin(-1)
    larger = ((x.abs() > lower[:, None]) & (sent == 0)).sum(-1)
    yield agrees(
        "each is off by R/15 at most; those larger that were not sent lie in the other 20",
        bool((off <= 1 / 15 + 1e-12).all() and (larger <= 20).all()), float(off.max()), 1 / 15,
        f"off by {float(off.max()):.4f} R at most, {int(larger.max())} larger ones not in the lot",
    )  # fmt: skip


@_COCKTAIL_SGD.case("bits", "float32, d = 4")
def cocktail_bits(operator: Any = None) -> Verdict:
    """k (b + log2 of the lot) + 32, up and down: 2 (3 + 2) + 32."""
    own = CocktailSGD(ConstantStep(_GAMMA), operator or MIX)
    trace = run(own, in_single(), steps=10, points=11)
    found = np.stack([trace.sent_bits[0], trace.received_bits[0]])
    return same("bits of a worker, up and down", found, (2.0 * (3 + 2) + 32) * np.arange(11))


# Faults planted in CocktailSGD and its operator, each refuted by a check of its row.


def without_feedback(
    own: CocktailSGD, state: CocktailState, t: int, context: RunContext
) -> CocktailState:
    """memories of workers and server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(
        residual=torch.zeros_like(new.residual), server=torch.zeros_like(new.server)
    )


def cleared_server_memory(
    own: CocktailSGD, state: CocktailState, t: int, context: RunContext
) -> CocktailState:
    """memory of the server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(server=torch.zeros_like(new.server))


@wrong_encoding("cocktail of the smallest", Cocktail(20, 5, 4), check=MONTE_CARLO)
def smallest_of_lot(own: Cocktail, x: Tensor, draws: Draws) -> Symbols:
    """of the lot the smallest are sent"""
    lot, k = own.sizes(x.shape[-1])
    where = drawn_lots(draws, x.shape[-1], lot).expand(*x.shape[:-1], lot)
    inside = x.gather(-1, where)
    _, indices = TopK(k).encode(1 / (inside.abs() + 1e-9), draws)
    values = inside.gather(-1, indices.long())
    return (*NearestGrid(own.b).encode(values, draws), indices)


_LOCO = ClosedForms("loco", UNEQUAL_PAIR)
_LOCO_GAMMA, _LOCO_BITS, _LOCO_STEPS, _LOCO_B, _LOCO_RESET = 0.125, 2, 30, 0.25, 7


def loco(memory: Memory[Any] | None = None) -> BSP:
    """Gradients of two bits; the memory is a quarter of each new error, reset every 7 steps."""
    kept = MovingAverageFeedback(_LOCO_B, _LOCO_RESET) if memory is None else memory
    return BSP(ConstantStep(_LOCO_GAMMA), NearestGrid(_LOCO_BITS), kept)


def _nearest_of_four(x: Floats) -> Floats:
    """Rows ``[m, d]`` at the nearest of 4 points from -R to R, R a row's largest magnitude."""
    radius = np.abs(x).max(1, keepdims=True)
    points = radius * np.array([-1.0, -1 / 3, 1 / 3, 1.0])
    nearest = np.abs(x[:, :, None] - points[:, None, :]).argmin(-1)
    return np.take_along_axis(points, nearest, 1)


@_LOCO.case(
    "closed form",
    f"{_LOCO_STEPS} steps, gamma {_LOCO_GAMMA}, b = {_LOCO_B}, reset every {_LOCO_RESET}",
)
def loco_path(memory: Memory[Any] | None = None) -> Verdict:
    """The rule by hand: h = g + e, e = (1 - b) e + b (h - Q(h)), 0 again every 7 steps."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    x, e, seen = np.zeros(4), np.zeros_like(a), [np.zeros(4)]
    for t in range(_LOCO_STEPS):
        e = 0 * e if t % _LOCO_RESET == 0 else e
        h = a * (x - b) + e
        e = (1 - _LOCO_B) * e + _LOCO_B * (h - _nearest_of_four(h))
        x = x - _LOCO_GAMMA * _nearest_of_four(h).mean(0)
        seen.append(x)
    found = models(loco(memory), UNEQUAL_PAIR, _LOCO_STEPS)[:, 0]
    return same("models are those of the rule by hand", found, np.array(seen), tolerance=1e-10)


@_LOCO.case("equivalence", f"b = 1, no reset, gamma = 1/8, {_LOCO_STEPS} steps")
def loco_is_feedback(memory: Memory[Any] | None = None) -> Verdict:
    """b = 1 without reset is error feedback, bit for bit: that holds steps, which are gradients
    times a power of 2, and the grid scales with them."""
    kept = MovingAverageFeedback(1.0) if memory is None else memory
    mine, theirs = (models(loco(one), UNEQUAL_PAIR, _LOCO_STEPS) for one in (kept, ErrorFeedback()))
    return same("models are those of error feedback", mine, theirs, tolerance=0.0)


@_LOCO.case("closed form", "b = 1/4, errors of one kind", on="one error for ever")
def loco_average(memory: Memory[Any] | None = None) -> Verdict:
    """Of equal errors E the average is (1 - (1 - b)^t) E after t steps: it does not add up, as
    error feedback does to t E."""
    kept = MovingAverageFeedback(_LOCO_B) if memory is None else memory
    error = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
    state = kept.init(error.shape, error.dtype, error.device)
    seen = []
    for _ in range(12):
        wanted = kept.before(state, torch.zeros_like(error))
        state = kept.after(state, Round(wanted, wanted, wanted - error, error))
        seen.append(state[0].tolist())
    want = [[(1 - (1 - _LOCO_B) ** t) * v for v in (2.0, -1.0)] for t in range(1, 13)]
    return same("e_t = (1 - (1 - b)^t) E", seen, want)


@_LOCO.case("bits", "float32, two bits, d = 4")
def loco_bits() -> Verdict:
    """b d + 32 up, a mean of 32 d down."""
    trace = run(loco(), in_single(), steps=10, points=11)
    steps = np.arange(11.0)
    return same(
        "bits of a worker, up and down", np.stack([trace.sent_bits[0], trace.received_bits[0]]),
        np.stack([(2 * 4 + 32) * steps, 32 * 4 * steps]),
    )  # fmt: skip


# Faults planted in LoCo's memory, each refuted by a closed form of its row.


@final
@dataclass(frozen=True)
class AveragedInputs(Memory[Tensor]):
    """Average of what was to be sent, not of what was left out of it.

    Attributes:
        b: weight of the newest input.
    """

    b: float

    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent"})

    @property
    def name(self) -> str:
        return "moving average of inputs"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return (1 - self.b) * state + self.b * round_.wanted


CLOSED_FORMS = (_COCKTAIL_SGD, _LOCO)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("CocktailSGD without feedback", judge=cocktail_loses_nothing, on=cocktail())(
        without_feedback
    ),
    wrong_step("CocktailSGD of a forgetful server", judge=cocktail_loses_nothing, on=cocktail())(
        cleared_server_memory
    ),
    wrong_step(
        "CocktailSGD at once of a forgetful server", judge=cocktail_is_two_way_feedback,
        on=replace(cocktail(), delayed=False),
    )(cleared_server_memory),
    fault(
        "CocktailSGD at once", "no delay where one is due", cocktail_delay,
        replace(cocktail(), compressor=Identity(), delayed=False),
    ),
    fault("CocktailSGD stable as without delay", "no delay", cocktail_limit, False),
    fault("cocktail of too many bits", "four bits a value, not three", cocktail_bits,
          Cocktail(0.75, 0.5, 4)),
    fault(
        "LoCo that never resets", "the average is not forgotten at intervals", loco_path,
        MovingAverageFeedback(0.25),
    ),
    fault(
        "LoCo of the newest error", "e is the last error whole, not an average", loco_path,
        MovingAverageFeedback(1.0, 7),
    ),
    fault(
        "LoCo that forgets", "e is always 0", loco_is_feedback, MovingAverageFeedback(0.0),
    ),
    fault("LoCo of inputs", "e averages inputs, not errors", loco_path, AveragedInputs(0.25)),
    fault(
        "error feedback as LoCo", "errors add up, where their average stays", loco_average,
        ErrorFeedback(),
    ),
)  # fmt: skip
