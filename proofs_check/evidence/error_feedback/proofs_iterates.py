"""Derivation: virtual iterates of models told downwards, and of controlled errors."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

x, e, g, h, C = sp.symbols("x e g h C", real=True)
r, eta = sp.symbols("r eta", positive=True)
LONGEST = 2 / (1 - r * (1 + 2 * eta))
"""Length at which EControl's wants end, by that of gradients."""


def told() -> DerivationStep:
    """w <- w + C(x - w) after a step x <- x - g: what is left of lag and step, as of a residual."""
    w = sp.Symbol("w", real=True)
    lag = (x - g) - (w + C)
    return equality("a model told downwards lacks a residual", lag, ((x - w) - g) - C)


def controlled(longest: Any) -> tuple[DerivationStep, ...]:
    """C = p - rho is sent for p = eta e + g - h, |rho| <= r |p|; p and e end at fixed points."""
    later, rho = sp.symbols("g_1 rho", real=True)
    memory = h + (eta * e + g - h) - rho
    unsent = e + g - memory
    moved = (x - memory - unsent) - (x - e)
    wanted = eta * unsent + later - memory
    held = r * longest / eta
    most = eta**2 * held + (1 + eta) * r * longest + 2
    return (
        equality("controlled errors leave plain steps", moved, -g),
        equality("what stays unsent", unsent, (1 - eta) * e + rho),
        equality("what is wanted next", wanted, later - g - eta**2 * e + (1 + eta) * rho),
        equality("errors end at", (1 - eta) * held + r * longest, held),
        equality("wants end at", most, longest),
    )


def prove_lagging_models(longest: Any = LONGEST) -> Verdict:
    """EF21-P takes gradients at models that lack a residual; EControl's errors are at most
    r ``longest``/eta."""
    return settled(
        "perturbed_iterate",
        "models told downwards and controlled errors are residuals beside plain steps",
        "derived; Gruntkowska et al. 2022, arXiv:2209.15218, Gao et al. 2023, arXiv:2311.05645",
        told(),
        *controlled(longest),
    )


PROOFS = (prove_lagging_models,)

COVERS = {"prove_lagging_models": ("econtrol", "ef21-p")}
