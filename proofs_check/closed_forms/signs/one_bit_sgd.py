"""1-bit SGD: the residual adds up, and decoded gradients are averaged (E5, E6)."""

from __future__ import annotations

import torch

from algorithms.compressors.one_bit import OneBit
from algorithms.core.key import Key
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.auxiliary.error_feedback import sent_and_kept
from proofs_check.closed_forms.erratum import erratum
from proofs_check.instruments.paths import models
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def e5() -> tuple[Verdict, ...]:
    """Columns of (1, 0.4, -0.2): what one bit leaves out comes later, or never."""
    g = torch.tensor([1.0, 0.4, -0.2], dtype=torch.float64)
    right, wrong = (
        float(sent_and_kept(memory, OneBit(), g, 100)[-1].sum(0)[0])
        for memory in (ErrorFeedback(), ForgetfulFeedback())
    )
    return (
        erratum(
            "E5", "one-bit-sgd", "100 gradients of 1: sent and kept add up to 100",
            (right, 100.0), (wrong, 100.0), "printed: delta = G - Q^-1(Q(G + delta))",
        ),
    )  # fmt: skip


def e6() -> tuple[Verdict, ...]:
    """Signs and means of (4, -1) and (-2, 6) averaged decode to (5, 5); the mean is (1, 2.5)."""
    g = torch.tensor([[4.0, -1.0], [-2.0, 6.0]], dtype=torch.float64)
    flat, origin = torch.zeros_like(g), torch.zeros(2, dtype=torch.float64)
    problem = Quadratic(name="linear", a=flat, c=-g, x_star=origin, x0=origin)
    moved = -models(BSP(ConstantStep(1.0), OneBit()), problem, 1)[-1, 0]
    draws = Key.seed(0).draws(torch.tensor(0), torch.arange(1))
    codes = OneBit().encode(g, Key.seed(0).draws(torch.tensor(0), torch.arange(2)))
    means, negative = (code.double().mean(0, keepdim=True) for code in codes)
    printed = OneBit().decode((means, negative.round().to(torch.uint8)), 2, g.dtype, draws)
    return (
        erratum(
            "E6", "one-bit-sgd", "the server's step along the first coordinate",
            (float(moved[0]), float(g[:, 0].mean())), (float(printed[0, 0]), float(g[:, 0].mean())),
            f"the average of what was encoded decodes to {printed[0].tolist()}",
        ),
    )  # fmt: skip


CLOSED_FORMS = (e5, e6)
DEMONSTRATIONS = (("E5", e5), ("E6", e6))
