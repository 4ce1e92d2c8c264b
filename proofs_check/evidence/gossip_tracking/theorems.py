"""Methods that are linear in their gradients: distances by responses; runs under that bound."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import linear
from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

a = sp.Symbol("a", positive=True)
COUNT = 3
m = sp.symbols(f"m:{COUNT}", real=True)
g = sp.symbols(f"g:{COUNT}", real=True)
APART = tuple(a / COUNT - one for one in m)
"""What multiplies each gradient in the model less the virtual iterate."""


def lagrange() -> DerivationStep:
    """sum m^2 sum g^2 - (sum m g)^2 is a sum of squares."""
    product = sum(one * other for one, other in zip(m, g, strict=True)) ** 2
    squares = sum((m[i] * g[j] - m[j] * g[i]) ** 2 for i in range(COUNT) for j in range(i))
    sizes = sum(one**2 for one in m) * sum(one**2 for one in g)
    return equality("Cauchy-Schwarz for one step's gradients", sp.expand(sizes - product), squares)


def prove_responses(apart: Any = APART) -> Verdict:
    """Three workers, one step s: the model has moved by -sum m_j g_j, the iterate by -a/3 sum g_j;
    their difference has ``apart``, and points i less the model have rows P_i - m."""
    P = sp.Matrix(COUNT, COUNT, sp.symbols(f"P:{COUNT**2}", real=True))
    column = sp.Matrix(g)
    model = -sum(one * other for one, other in zip(m, g, strict=True))
    iterate = -sum(a / COUNT * one for one in g)
    difference = sum(one * other for one, other in zip(apart, g, strict=True))
    rows = P - sp.ones(COUNT, 1) * sp.Matrix([m])
    points = -P * column
    stacked = (points - sp.ones(COUNT, 1) * sp.Matrix([model]) + rows * column).applyfunc(sp.expand)
    later = iterate + sum(-a / COUNT * one for one in g) - iterate
    return settled(
        "perturbed_iterate",
        "a method that is linear in its gradients is as far from plain steps as its responses say",
        "derived; operator norms, Cauchy-Schwarz, Minkowski",
        equality("the iterate moves by a times the mean gradient", later, -a * sum(g) / COUNT),
        equality("the model beside it", sp.expand(model - iterate - difference), 0),
        equality("points beside the model", sum(one**2 for one in stacked), 0),
        lagrange(),
    )


PROOFS = (prove_responses,)

COVERS = {
    "prove_responses": (
        "atc-tracking",
        "d2",
        "downpour",
        "exact-diffusion",
        "extra",
        "fedbuff",
        "gradient-tracking",
        "k-gt",
        "led",
        "nids",
        "push-diging",
        "push-pull",
        "qg-momentum",
        "relay-sgd",
        "scaffold",
    )
}


# Gossip that tracks gradients or corrects its bias under the bound of perturbed iterates.

_M = 0.5

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    linear("gradient-tracking", 600),
    linear("atc-tracking", 600),
    linear("extra", 600, look=200),
    linear("nids", 600, look=200),
    linear("exact-diffusion", 600, look=200),
    linear("relay-sgd", 600),
    linear(
        "qg-momentum", 600, make=lambda step, p, _t: QuasiGlobalMomentum(step, Ring(p.n), _M)
    ),
    linear("push-pull", 600),
    linear("push-diging", 600),
    linear("k-gt", 1000, look=200),
    linear("led", 1000, look=480),
)  # fmt: skip
