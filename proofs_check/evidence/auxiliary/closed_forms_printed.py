"""Closed forms: printed boxes of momentum and clipping."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.memories.base import Round
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.evidence.auxiliary.closed_forms import one_dimensional
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import models
from proofs_check.methods.faulty.memories import PrintedCorrection
from theory.stepsizes import ConstantStep

# The survey's boxes of momentum and clipping, as printed and as they must be: E30 to E33, S2.


_PRINTED_BOXES_M, _PRINTED_BOXES_GAMMA = 0.9, 0.01


def _end(method: BSP, steps: int, n: int = 1) -> float:
    """|x_T| of n equal workers on x^2/2 from 1."""
    ones = torch.ones((n, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    return float(models(method, problem, steps)[-1].abs().max())


@demonstrates(
    "E30",
    "momentum-correction",
    "|x_400| on x^2/2 from 1, all sent: that of heavy ball",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e30() -> Shown:
    """Values sent stay in v and are sent again: 10^12 after 400 steps, where 0 is near."""
    plain = _end(BSP(ConstantStep(_PRINTED_BOXES_GAMMA), optimizer=Momentum(_PRINTED_BOXES_M)), 400)
    return (
        (
            one_dimensional(MomentumCorrection(_PRINTED_BOXES_M), _PRINTED_BOXES_GAMMA, 400),
            plain,
        ),
        (
            one_dimensional(PrintedCorrection(_PRINTED_BOXES_M), _PRINTED_BOXES_GAMMA, 400),
            plain,
        ),
    )


@demonstrates(
    "E31",
    "gmc",
    "|x_200| on x^2/2 from 1, all sent: that of heavy ball",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e31() -> Shown:
    """m in place of m/gamma: a momentum of gamma m, which is none."""
    heavy = _end(BSP(ConstantStep(_PRINTED_BOXES_GAMMA), optimizer=Momentum(_PRINTED_BOXES_M)), 200)
    plain = _end(BSP(ConstantStep(_PRINTED_BOXES_GAMMA)), 200)
    return (
        (one_dimensional(GlobalMomentum(_PRINTED_BOXES_M), _PRINTED_BOXES_GAMMA, 200), heavy),
        (
            one_dimensional(
                GlobalMomentum(_PRINTED_BOXES_GAMMA * _PRINTED_BOXES_M),
                _PRINTED_BOXES_GAMMA,
                200,
            ),
            heavy,
        ),
        f"without momentum {plain:.4g}",
    )


@demonstrates(
    "E32",
    "momentum-correction",
    "four equal workers move as one does",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e32() -> Shown:
    """The sum of n equal workers takes n steps in one: gamma n instead of gamma."""
    n, steps = 4, 20

    def corrected(gamma: float) -> BSP:
        return BSP(ConstantStep(gamma), Identity(), MomentumCorrection(_PRINTED_BOXES_M))

    alone = _end(corrected(_PRINTED_BOXES_GAMMA), steps)
    return (
        (_end(corrected(_PRINTED_BOXES_GAMMA), steps, n), alone),
        (_end(corrected(n * _PRINTED_BOXES_GAMMA), steps, n), alone),
        "the sum over workers is the mean at n times the stepsize",
    )


@demonstrates(
    "E33",
    "local-clipping",
    "four equal gradients at the threshold keep their mean",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def e33() -> Shown:
    """Thresholds T n^-1/2 halve the mean of four equal gradients of norm T."""
    g = torch.tensor([[3.0, 4.0]], dtype=torch.float64).expand(4, 2)
    norms = [float(ClipNorm(5.0, power).apply(g, 4).mean(0).norm()) for power in (0.0, 0.5)]
    return (norms[0], 5.0), (norms[1], 5.0), "noise is another matter: its sum has norm T"


@demonstrates(
    "S2",
    "error-feedback",
    "50 gradients of 1: messages and residual add up to 50",
    covers=("error-feedback", "gmc", "local-clipping", "momentum-correction"),
)
def s2() -> Shown:
    """Every fifth step sends all there is: with a decay of 0.9 a share is in nobody's hands."""
    kept = [_sent_and_kept(DecayingFeedback(decay, decay)) for decay in (1.0, 0.9)]
    return (kept[0], 50.0), (kept[1], 50.0)


def _sent_and_kept(memory: DecayingFeedback) -> float:
    one = torch.ones(1, 1, dtype=torch.float64)
    state: Tensor = memory.init(one.shape, one.dtype, one.device)
    sent = 0.0
    for t in range(50):
        wanted = memory.before(state, one)
        message = wanted if t % 5 == 4 else torch.zeros_like(one)
        sent += float(message)
        state = memory.after(state, Round(one, wanted, message, message))
    return sent + float(state)
