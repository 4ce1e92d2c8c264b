"""Virtual iterates take plain steps, and what separates methods from them ends at a fixed point."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

g, x, e, u, sent, m = sp.symbols("g x e u C m", real=True)
up, down = sp.symbols("r_1 r_2", positive=True)
omega, alpha, beta, n = sp.symbols("omega alpha beta n", positive=True)
COVERS = (
    "momentum-correction", "dist-ef-sgd", "bmuf", "sbc", "qsparse-local-sgd", "ecq-sgd", "dcd-psgd",
    "ad-psgd",
)  # fmt: skip
BEHIND = m**2 / (1 - m)
"""Velocities by which the virtual iterate of Nesterov's momentum is behind."""


def velocities(behind: Any) -> tuple[DerivationStep, ...]:
    """Steps of gamma = 1: p = s + e is compressed to C, x and e move by it."""
    later = m * u + g
    c = m / (1 - m)
    heavy = (x - sent - (e + later - sent) - c * later) - (x - e - c * u)
    step = m * later + g
    nesterov = (x - sent - (e + step - sent) - behind * later) - (x - e - behind * u)
    return (
        equality("error feedback around velocities", sp.simplify(heavy), -g / (1 - m)),
        equality("error feedback around Nesterov's", sp.simplify(nesterov), -g / (1 - m)),
    )


def blocks() -> tuple[DerivationStep, ...]:
    """a is where a block began, D its last move, l the local moves so far, H of them at its end."""
    a, D, eta, local = sp.symbols("a D eta l", real=True)
    z = a + (eta * D + local) / (1 - eta)
    move = eta * D + local
    after = (a + move) + eta * move / (1 - eta)
    apart = eta / (1 - eta) * (D + local)
    anchor, mean = sp.symbols("anchor mean", real=True)
    met = (anchor - sent) - (anchor - mean + e - sent)
    return (
        equality("a block ends where the next begins", sp.simplify(after - z), 0),
        equality("it is ahead by the last move", sp.simplify(z - (a + local) - apart), 0),
        equality("a meeting moves no virtual iterate", sp.simplify(met - (mean - e)), 0),
    )


def decaying() -> tuple[DerivationStep, ...]:
    """Feedback that decays: h+ = beta h + g - C with C = g + alpha h + noise."""
    h, noise = sp.symbols("h noise", real=True)
    c = alpha / (alpha + 1 - beta)
    heard = g + alpha * h + noise
    later = beta * h + g - heard
    moved = (x - heard - c * later) - (x - c * h)
    return (
        equality("the memory forgets the gradient", sp.expand(later), (beta - alpha) * h - noise),
        equality("decaying feedback", sp.simplify(moved + g + (1 - c) * noise), 0),
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


def prove(behind: Any = BEHIND) -> Verdict:
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
