"""Derivations: global momentum, perturbed iterate, virtual iterates."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.auxiliary.proofs import G2, delta, e, n, sigma2, x
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, near
from proofs_check.verdict import Verdict
from theory.theorems.global_momentum import global_momentum
from theory.theorems.perturbed_iterate import perturbed_iterate

# Global momentum compression: the iterate behind the model's own last move.


global_momentum_m = symbol("momentum")
r = sp.sqrt(1 - delta)
LONGEST = 1 / (1 - r - global_momentum_m * (1 + r))


def prove_global_momentum(longest: Any = LONGEST) -> Verdict:
    """Steps of gamma = 1: p = g + m s + e, s the mean sent before, is compressed to C.

    z = (x - e - m x_before)/(1 - m) moves by g/(1 - m); p <- 1 + m (1 + r) p + r p ends at
    ``longest``, and x - z = (e + m s)/(1 - m).
    """
    x, e, g, s, sent = sp.symbols("x e g s C", real=True)
    before = x + s
    z = (x - e - global_momentum_m * before) / (1 - global_momentum_m)
    after = ((x - sent) - (g + global_momentum_m * s + e - sent) - global_momentum_m * x) / (
        1 - global_momentum_m
    )
    held, moved = r * longest, (1 + r) * longest
    return settled(
        "global_momentum",
        f"what is compressed stays below {longest}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Zhao et al. 2019, arXiv:1905.12948",
        equality(
            "the iterate takes plain steps", sp.simplify(after - z), -g / (1 - global_momentum_m)
        ),
        equality(
            "the model beside it",
            sp.simplify(x - z - (e + global_momentum_m * s) / (1 - global_momentum_m)),
            0,
        ),
        equality("messages end at", sp.simplify(1 + global_momentum_m * moved + held - longest), 0),
        near(
            global_momentum,
            (held + global_momentum_m * moved) / (1 - global_momentum_m),
            gain=1 / (1 - global_momentum_m),
        ),
    )


# Perturbed iterates: one step of the virtual iterate, the sum of T, and the model beside it.


PERTURBED_ITERATE_L, S, a, b, gap = (
    symbol(name) for name in ("L_max", "reach", "gain", "excess", "initial_gap")
)
NEAR = GAMMA**2 * S**2 * G2


def prove_perturbed_iterate(near: Any = NEAR) -> Verdict:
    """Gradients and model within ``near`` of z in squared distance: the bound, if that is S^2.

    With m the mean gradient, -<grad f(z), m> = (||grad f(z) - m||^2 - ||grad f(z)||^2 - ||m||^2)/2.
    """
    z2, m2, v, y = sp.symbols("z2 m2 v y", nonnegative=True)
    noise = (sigma2 + b * G2) / n
    inner = z2 / 2 + m2 / 2 - PERTURBED_ITERATE_L**2 * NEAR / 2
    change = -y * inner + PERTURBED_ITERATE_L * y**2 / 2 * (m2 + noise)
    kept = (
        -y / 2 * z2 + y / 2 * PERTURBED_ITERATE_L**2 * NEAR + PERTURBED_ITERATE_L * y**2 / 2 * noise
    )
    slack = sp.simplify((kept - change).subs(y, 1 / (PERTURBED_ITERATE_L * (1 + v))))
    mean = sp.solve(sp.Eq(-gap, TIME * kept), z2)[0].subs(y, a * GAMMA)
    lead = 4 * gap / (a * GAMMA * TIME) + 2 * a * GAMMA * PERTURBED_ITERATE_L * noise
    p, q = sp.symbols("p q", real=True)
    return settled(
        "perturbed_iterate",
        f"average squared gradient <= {lead} + 4 L^2 {near}",
        "derived; setting of Mania et al. 2017, arXiv:1507.06970",
        nonnegative("one step descends for gamma a <= 1/L", slack, v, m2, PERTURBED_ITERATE_L),
        equality("(p + q)^2 <= 2 p^2 + 2 q^2", 2 * p**2 + 2 * q**2 - (p + q) ** 2, (p - q) ** 2),
        equality(
            "the model beside z",
            2 * mean + 2 * PERTURBED_ITERATE_L**2 * NEAR,
            lead + 4 * PERTURBED_ITERATE_L**2 * near,
        ),
        computes(perturbed_iterate, lead + 4 * PERTURBED_ITERATE_L**2 * near),
    )


# Virtual iterates take plain steps, and what separates methods from them ends at a fixed point.


reaches_g, u, reaches_sent, reaches_m = sp.symbols("g u C m", real=True)
up, down = sp.symbols("r_1 r_2", positive=True)

omega, alpha, beta = sp.symbols("omega alpha beta", positive=True)
BEHIND = reaches_m**2 / (1 - reaches_m)
"""Velocities by which the virtual iterate of Nesterov's momentum is behind."""


def velocities(behind: Any) -> tuple[DerivationStep, ...]:
    """Steps of gamma = 1: p = s + e is compressed to C, x and e move by it."""
    later = reaches_m * u + reaches_g
    c = reaches_m / (1 - reaches_m)
    heavy = (x - reaches_sent - (e + later - reaches_sent) - c * later) - (x - e - c * u)
    step = reaches_m * later + reaches_g
    nesterov = (x - reaches_sent - (e + step - reaches_sent) - behind * later) - (
        x - e - behind * u
    )
    return (
        equality(
            "error feedback around velocities", sp.simplify(heavy), -reaches_g / (1 - reaches_m)
        ),
        equality(
            "error feedback around Nesterov's", sp.simplify(nesterov), -reaches_g / (1 - reaches_m)
        ),
    )


def blocks() -> tuple[DerivationStep, ...]:
    """a is where a block began, D its last move, l the local moves so far, H of them at its end."""
    a, D, eta, local = sp.symbols("a D eta l", real=True)
    z = a + (eta * D + local) / (1 - eta)
    move = eta * D + local
    after = (a + move) + eta * move / (1 - eta)
    apart = eta / (1 - eta) * (D + local)
    anchor, mean = sp.symbols("anchor mean", real=True)
    met = (anchor - reaches_sent) - (anchor - mean + e - reaches_sent)
    return (
        equality("a block ends where the next begins", sp.simplify(after - z), 0),
        equality("it is ahead by the last move", sp.simplify(z - (a + local) - apart), 0),
        equality("a meeting moves no virtual iterate", sp.simplify(met - (mean - e)), 0),
    )


def decaying() -> tuple[DerivationStep, ...]:
    """Feedback that decays: h+ = beta h + g - C with C = g + alpha h + noise."""
    h, noise = sp.symbols("h noise", real=True)
    c = alpha / (alpha + 1 - beta)
    heard = reaches_g + alpha * h + noise
    later = beta * h + reaches_g - heard
    moved = (x - heard - c * later) - (x - c * h)
    return (
        equality("the memory forgets the gradient", sp.expand(later), (beta - alpha) * h - noise),
        equality("decaying feedback", sp.simplify(moved + reaches_g + (1 - c) * noise), 0),
    )


def fixed_points() -> tuple[DerivationStep, ...]:
    """Where distances end: residuals of either way and of both, spreads of differences."""
    lam, b = sp.symbols("lambda b", positive=True)
    one, other = up / (1 - up), down / (1 - down)
    together = (up + down) / ((1 - up) * (1 - down))
    kept = sp.sqrt(lam**2 + omega * b**2)
    spread = sp.sqrt(1 + omega) / (1 - kept)
    return (
        equality("what a contraction leaves", sp.simplify(up * (1 + one)), one),
        equality("both ways", sp.simplify(one + (1 + up) / (1 - up) * other - together), 0),
        equality("differences", sp.simplify(kept * spread + sp.sqrt(1 + omega) - spread), 0),
    )


def pairs() -> tuple[DerivationStep, ...]:
    """Four workers, worker 0 calls: the squared spread after an average, over all partners."""
    values = sp.symbols("x_0:4", real=True)
    mean = sum(values) / 4
    spread = sum((v - mean) ** 2 for v in values)
    after = []
    for partner in (1, 2, 3):
        met = list(values)
        met[0] = met[partner] = (values[0] + values[partner]) / 2
        after.append(sum((v - mean) ** 2 for v in met))
    left = sum(after) / 3
    lost = (spread + 4 * (values[0] - mean) ** 2) / 6
    return (equality("an average with a uniform partner", sp.expand(spread - left - lost), 0),)


def prove_reaches(behind: Any = BEHIND) -> Verdict:
    """The identities behind :mod:`theory.rules.virtual_iterate_deviation`, Nesterov's iterate
    ``behind`` by so many velocities."""
    return settled(
        "perturbed_iterate",
        "virtual iterates of feedback, momentum, blocks and differences take plain steps",
        "derived; Karimireddy et al. 2019, Zheng et al. 2019, Chen, Huo 2016, Wu et al. 2018",
        *velocities(behind),
        *blocks(),
        *decaying(),
        *fixed_points(),
        *pairs(),
    )


PROOFS = (
    prove_global_momentum,
    prove_perturbed_iterate,
    prove_reaches,
)

COVERS = {
    "prove_reaches": (
        "ad-psgd",
        "bmuf",
        "dcd-psgd",
        "dist-ef-sgd",
        "ecq-sgd",
        "momentum-correction",
        "qsparse-local-sgd",
        "sbc",
    )
}
