"""Derivations: global momentum, perturbed iterate, virtual iterates."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.auxiliary.theorems import G2, delta, e, n, sigma2, x
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, near
from proofs_check.proofs.norms import sums_of_squares
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
            behind=(held + global_momentum_m * moved) / (1 - global_momentum_m),
            gain=1 / (1 - global_momentum_m),
        ),
    )


# Perturbed iterates: one step of the virtual iterate, the sum of T, and the model beside it.


PERTURBED_ITERATE_L, S, B, a, b, gap = (
    symbol(name) for name in ("L_max", "reach", "behind", "gain", "excess", "initial_gap")
)
APART, BESIDE = (GAMMA * S) ** 2 * G2, (GAMMA * B) ** 2 * G2


def prove_perturbed_iterate(beside: Any = BESIDE) -> Verdict:
    """Gradients within APART of the model, that within ``beside`` of z, in squared distance.

    With h the mean gradient, g = grad f(x) and u = g - grad f(z): -<g - u, h> = -<g, h> + <u, h>.
    """
    g, h, u = sp.symbols("g h u", real=True)
    g2, h2, v, y = sp.symbols("g2 h2 v y", nonnegative=True)
    L = PERTURBED_ITERATE_L
    noise = (sigma2 + b * G2) / n
    kept = y * (-g2 / 2 + L**2 * (APART / 2 + BESIDE)) + L * y**2 / 2 * noise
    change = kept - y * h2 / 4 + L * y**2 / 2 * h2
    at_z = kept - y * h2 / 2 + L * y**2 / 2 * h2  # x = z, u = 0
    mean = sp.solve(sp.Eq(-gap, TIME * kept), g2)[0].subs(y, a * GAMMA)
    bound = 2 * gap / (a * GAMMA * TIME) + a * GAMMA * L * noise + L**2 * (APART + 2 * beside)
    return settled(
        "perturbed_iterate",
        f"average squared gradient <= {bound}",
        "derived; setting of Mania et al. 2017, arXiv:1507.06970",
        equality("polarisation", -g * h, (g - h) ** 2 / 2 - g**2 / 2 - h**2 / 2),
        equality("the model beside z, by a square", u**2 + h**2 / 4 - u * h, (u - h / 2) ** 2),
        nonnegative(
            "one step descends for gamma a <= 1/(2 L)",
            sp.simplify((kept - change).subs(y, 1 / (2 * L * (1 + v)))), v, h2, L,
        ),
        nonnegative(
            "and for gamma a <= 1/L where the model is z",
            sp.simplify((kept - at_z).subs(y, 1 / (L * (1 + v)))), v, h2, L,
        ),
        equality("the sum of T steps", sp.expand(mean), sp.expand(bound)),
        computes(perturbed_iterate, bound),
    )  # fmt: skip


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
    a, D, eta, zeta, local = sp.symbols("a D eta zeta l", real=True)
    z = a + (eta * D + zeta * local) / (1 - eta)
    move = eta * D + zeta * local
    after = (a + move) + eta * move / (1 - eta)
    apart = (eta * D + (zeta - (1 - eta)) * local) / (1 - eta)
    one, H = sp.symbols("g H", positive=True)
    stepped = z.subs(local, local - one) - z
    longest = zeta * H / (1 - eta)
    anchor, mean = sp.symbols("anchor mean", real=True)
    met = (anchor - reaches_sent) - (anchor - mean + e - reaches_sent)
    return (
        equality("a block ends where the next begins", sp.simplify(after - z), 0),
        equality("a local step moves the iterate", sp.simplify(stepped), -zeta / (1 - eta) * one),
        equality("it is apart by move and change", sp.simplify(z - (a + local) - apart), 0),
        equality("moves end at", sp.simplify(eta * longest + zeta * H - longest), 0),
        equality("a meeting moves no virtual iterate", sp.simplify(met - (mean - e)), 0),
    )


def decaying() -> tuple[DerivationStep, ...]:
    """Feedback that decays: h+ = beta h + g - C with C = g + alpha h + noise."""
    h, noise = sp.symbols("h noise", real=True)
    c = alpha / (alpha + 1 - beta)
    incoming = reaches_g + alpha * h + noise
    later = beta * h + reaches_g - incoming
    moved = (x - incoming - c * later) - (x - c * h)
    return (
        equality("the memory forgets the gradient", sp.expand(later), (beta - alpha) * h - noise),
        equality("decaying feedback", sp.simplify(moved + reaches_g + (1 - c) * noise), 0),
    )


def fixed_points() -> tuple[DerivationStep, ...]:
    """Fixed points of distances: residuals of either way and of both, spreads of differences."""
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


def pulled() -> tuple[DerivationStep, ...]:
    """n workers and their centre about the mean of these rows: the centre is off by q, so that the
    workers' distances sum to -q; all squares sum to Q, the workers' to Q - q^2.

    A pull multiplies rows by I - alpha A, A the Laplacian of a star, here of three workers.
    """
    count, Q, kept, period = sp.symbols("count Q kept H", positive=True)
    q, room, y = sp.symbols("q room y", nonnegative=True)
    apart = ((Q - q**2) - 2 * q * (-q) + count * q**2) / count
    stated = Q / count + q**2 * (1 + 1 / count)
    share = count / (count + 1)
    most = sp.sqrt(Q * share)
    held = Q.subs(Q, q**2 + q**2 / count + room) * share - q**2
    star = sp.Matrix([[1, 0, 0, -1], [0, 1, 0, -1], [0, 0, 1, -1], [-1, -1, -1, 3]])
    left = ((y - 1) * sp.eye(4) + alpha * star).det()
    spread = sp.sqrt(count) * period / (1 - kept)
    return (
        sums_of_squares(3),
        nonnegative("the centre holds Q n/(n + 1) at most", held, q, room, count),
        equality("workers about the centre", sp.expand(apart - stated), 0),
        equality("where the centre holds the most", stated.subs(q, most), Q / share),
        equality("what a pull leaves", left, (y - 1) * (y - 1 + alpha) ** 2 * (y - 1 + 4 * alpha)),
        equality("the spread ends at", kept * spread + sp.sqrt(count) * period, spread),
    )


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
        *pulled(),
    )


PROOFS = (prove_global_momentum, prove_perturbed_iterate, prove_reaches)

COVERS = {
    "prove_reaches": (
        "ad-psgd",
        "bmuf",
        "dcd-psgd",
        "dist-ef-sgd",
        "easgd",
        "ecq-sgd",
        "fedavg",
        "fedavgm",
        "momentum-correction",
        "qsparse-local-sgd",
        "sbc",
        "slowmo",
    )
}
