"""DC-ASGD: the exact Hessian removes the delay; its formula from the kept versions."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
)
from algorithms.methods.synchronous.parameter_server import ParameterServer
from proofs_check.closed_forms.asynchronous.replays import (
    TICKS,
    TIMES,
    TOLD,
    arrivals,
    drawn_gradient,
    ran,
    uneven,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def delay_is_removed(correction: Correction[Any] | None = None) -> Verdict:
    """With the exact Hessian the iterates are those without delay, every tick of them."""
    problem, gamma = uneven(), 0.1
    used = ExactHessian() if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, TIMES, correction=used)
    x = [problem.start()]
    for t, (worker, _) in enumerate(arrivals(server.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[t], worker, t))
    return identity(
        "dc-asgd", "the exact Hessian removes the delay on a quadratic",
        ran(server, problem), torch.stack(x), check="no delay", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def compensated(correction: Correction[Any] | None = None, *, adaptive: bool = False) -> Verdict:
    """DC-ASGD against its formula, from the kept versions."""
    problem, gamma, lam = uneven(), 0.1, 0.5
    used = DiagonalCompensation(lam, adaptive) if correction is None else correction
    server = ParameterServer(ConstantStep(gamma), TICKS, TIMES, correction=used)
    x, square = [problem.start()], torch.zeros(6, dtype=torch.float64)
    for t, (worker, version) in enumerate(arrivals(server.schedule(5))):
        g = drawn_gradient(problem, x[version], worker, t)
        square = 0.95 * square + 0.05 * g**2
        factor = lam / (square + 1e-7).sqrt() if adaptive else lam
        x.append(x[t] - gamma * (g + factor * g * g * (x[t] - x[version])))
    form = "lam_0/sqrt(MeanSquare + eps)" if adaptive else "lam"
    return identity(
        "dc-asgd", f"g + {form} g*g*(x_now - x_read)", ran(server, problem), torch.stack(x),
        check="replay of versions", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def dc_asgd() -> tuple[Verdict, ...]:
    """The exact Hessian, and both forms of the approximation."""
    return (delay_is_removed(), compensated(), compensated(adaptive=True))


CLOSED_FORMS = (dc_asgd,)
