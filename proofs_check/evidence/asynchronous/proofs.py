"""Derivations: asynchronous SGD by moments and under Polyak-Lojasiewicz, AsySG-con, AsySG-incon."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA
from proofs_check.proofs.expressions import computes, descends
from proofs_check.proofs.recursions import contracts
from proofs_check.verdict import Verdict
from theory.theorems.asynchronous_moments import asynchronous_moments
from theory.theorems.asynchronous_pl import asynchronous_pl
from theory.theorems.asysg_con import AsysgCon
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded

L, G2, tau_coordinate, M, T, sigma2 = sp.symbols("L G2 tau_coordinate M T sigma2", positive=True)
asysg_con_gap, steepest, tau, extra = sp.symbols("Delta lipschitz tau compensation", positive=True)
# Asynchronous SGD by second moments: what was missed is short, whatever it is.


ASYNCHRONOUS_MOMENTS_FLOOR = GAMMA * L * G2 + GAMMA**2 * L**2 * tau_coordinate**2 * G2


def missed(count: int) -> DerivationStep:
    """||sum of ``count`` vectors||^2 <= count times the sum of squares: parts of updates missed."""
    a = sp.symbols(f"a:{count}", real=True)
    room = count * sum(x**2 for x in a) - sum(a) ** 2
    pairs = sum((a[i] - a[j]) ** 2 for i in range(count) for j in range(i))
    return equality(f"{count} missed updates", sp.expand(room), sp.expand(pairs))


def late_step(claimed: Any) -> tuple[DerivationStep, ...]:
    """f falls by gamma/2 ||grad f(x)||^2 - gamma/2 ``claimed`` at least.

    <grad f(x), grad f(xhat)> >= (g2 - L^2 ||x - xhat||^2)/2, and the squared step is gamma^2 G2.
    """
    g2, h2 = sp.symbols("g2 h2", nonnegative=True)
    late = GAMMA**2 * tau_coordinate**2 * G2
    descent = -GAMMA * (g2 + h2 - L**2 * late) / 2 + GAMMA**2 * L / 2 * G2
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * claimed
    slack = sp.expand(kept - descent)
    return (
        missed(3),
        nonnegative(
            "one step descends, however stale",
            slack,
            GAMMA,
            g2,
            h2,
            L,
            G2,
            tau_coordinate,
        ),
    )


def prove_asynchronous_moments(claimed: Any = ASYNCHRONOUS_MOMENTS_FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    A coordinate that is read may miss any of the last tau updates: what is missed is gamma times a
    sum of tau vectors, each a part of a gradient.
    """
    return settled(
        "asynchronous_moments",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Niu et al. 2011, arXiv:1106.5730",
        *late_step(claimed),
        descends(asynchronous_moments, 2, claimed),
    )


# Asynchronous SGD with inconsistent reads under the inequality of Polyak and Lojasiewicz.


def prove_asynchronous_pl(claimed: Any = ASYNCHRONOUS_MOMENTS_FLOOR) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu)."""
    return settled(
        "asynchronous_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "derived; setting of Niu et al. 2011, arXiv:1106.5730",
        *late_step(claimed),
        *contracts(asynchronous_pl, claimed),
    )


# AsySG-con: Theorem 1, its largest stepsize, and Corollary 2.
#
# With h the mean of the M gradients' expectations at step t, G and H the sums over T steps of
# E||grad f(x_t)||^2 and E||h||^2:
#
# - the descent lemma, with <grad f, h> polarised and ||grad f - h||^2 <= L^2 ||x_t - x_{t -
#   tau}||^2;
# - a window of tau steps moved by noise and by means: ||noise + means||^2 <= 2 ||noise||^2 + 2
#   ||means||^2, noise orthogonal over steps, means by Cauchy and Schwarz, each step in tau windows
#   at
#   most;
# - what H is multiplied by is not positive under the condition, and is left out.


TAU = sp.Symbol("tau", nonnegative=True)
BOUND = 2 * asysg_con_gap / (M * T * GAMMA) + (GAMMA * L + 2 * L**2 * M * TAU * GAMMA**2) * sigma2
RATE = 4 * sp.sqrt(asysg_con_gap * L * sigma2 / (M * T))


def theorem_1(bound: Any) -> tuple[DerivationStep, ...]:
    """T steps of the descent lemma, summed: G / T is at most ``bound``."""
    a, h, u, v = sp.symbols("a h u v", real=True)
    G, H = sp.symbols("G H", nonnegative=True)
    drop = GAMMA * M / 2
    apart = L**2 * 2 * GAMMA**2 * (TAU * M * sigma2 * T + TAU**2 * M**2 * H)
    length = GAMMA**2 * L / 2 * (M * sigma2 * T + M**2 * H)
    left = asysg_con_gap - drop * (G + H) + drop * apart + length  # at least 0, as f >= f*
    kept = sp.expand(left).coeff(H)
    condition = 1 - GAMMA * L * M - 2 * (GAMMA * L * M * TAU) ** 2
    most = sp.solve(left.subs(H, 0), G)[0] / T
    return (
        equality("polarised", M * a * h, M / 2 * (a**2 + h**2 - (a - h) ** 2)),
        equality("noise and means apart", 2 * u**2 + 2 * v**2 - (u + v) ** 2, (u - v) ** 2),
        equality("H is left out under the condition", kept, -drop * condition),
        equality("sum of T steps", sp.expand(most), sp.expand(bound)),
        computes(AsysgCon(), bound.subs(M, 1)),
        computes(AsysgCon(3), bound.subs(M, 3)),
    )


def prove_asysg_con(claimed: Any = RATE, bound: Any = BOUND) -> Verdict:
    r"""gamma = sqrt(Delta/(M L T sigma2)) gives at most ``claimed``.

    For T = 4 M L Delta (tau + 1)^2 (1 + v)^2/sigma2, v >= 0: the condition of Theorem 1 holds, and
    2 Delta/(M T gamma) + (gamma L + 2 L^2 M tau gamma^2) sigma2 is below the claim, which the
    first two terms make up to 3/4.
    """
    tau, v, gamma = sp.symbols("tau v gamma", nonnegative=True)
    long = {T: 4 * M * L * asysg_con_gap * (tau + 1) ** 2 * (1 + v) ** 2 / sigma2}
    step = sp.sqrt(asysg_con_gap / (M * L * T * sigma2))
    lead = 2 * asysg_con_gap / (M * T * step) + step * L * sigma2
    delay = 2 * L**2 * M * tau * step**2 * sigma2
    condition = (1 - gamma * L * M - 2 * (gamma * L * M * tau) ** 2).subs(gamma, step).subs(long)
    share = sp.simplify(((claimed - lead - delay) / RATE).subs(long))
    y = 2 / (1 + sp.sqrt(1 + 8 * tau**2))
    return settled(
        "asysg_con",
        f"at most {claimed}",
        "Lian et al. 2015, arXiv:1506.08272, Theorem 1, Corollary 2",
        *theorem_1(bound),
        equality("two terms at the stepsize", sp.simplify(lead / RATE), sp.Rational(3, 4)),
        nonnegative("the condition holds", sp.simplify(condition), tau, v),
        nonnegative("the third term fits", share, tau, v),
        equality("the largest stepsize", sp.expand(y + 2 * y**2 * tau**2).simplify(), 1),
    )


# AsySG with inconsistent reads: missed parts of updates, their noises uncorrelated.


ASYSG_INCON_FLOOR = (GAMMA * L + 2 * GAMMA**2 * L**2 * tau_coordinate) * sigma2


def prove_asysg_incon(claimed: Any = ASYSG_INCON_FLOOR, returns: Any = 1) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    xhat - x = gamma sum over k <= tau of parts of (grad f(xhat_{t-k}) + noise), so E||xhat - x||^2
    <= 2 gamma^2 (tau sum_k h_{t-k} + tau sigma2), h = ||grad f(xhat)||^2: noises of different
    updates are uncorrelated, whichever parts were missed. Over all steps each h comes back at most
    tau times (``returns`` times that), and gamma L + 2 gamma^2 L^2 tau^2 <= 1 pays for it.
    """
    g2, h, gap, T = sp.symbols("g2 h Delta T", nonnegative=True)
    y, v = sp.symbols("y v", nonnegative=True)  # y = gamma L
    one = -GAMMA * (g2 + h) / 2 + GAMMA**2 * L / 2 * (h + sigma2)
    late = GAMMA / 2 * L**2 * 2 * GAMMA**2 * tau_coordinate * sigma2
    back = returns * GAMMA / 2 * L**2 * 2 * GAMMA**2 * tau_coordinate**2 * h
    mean = sp.expand(one + back + late)
    of_h = sp.factor(mean.coeff(h, 1))
    paid = -GAMMA / 2 * (1 - GAMMA * L - 2 * GAMMA**2 * L**2 * tau_coordinate**2)
    total = sp.solve(sp.Eq(-gap / T, mean.subs(h, 0)), g2)[0]
    a, b = sp.symbols("a b", real=True)
    edge = (1 - y - 2 * y**2 * tau_coordinate**2).subs(
        y, 2 / (1 + sp.sqrt(1 + 8 * tau_coordinate**2))
    )
    return settled(
        "asysg_incon",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Lian et al. 2015, arXiv:1506.08272, Section 4",
        missed(3),
        equality("(a + b)^2 <= 2 a^2 + 2 b^2", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        equality("the condition pays for what comes back", of_h, sp.factor(paid)),
        equality("the largest stepsize", sp.simplify(edge), 0),
        nonnegative("a smaller one does too", (1 - y).subs(y, 1 / (1 + v)), v),
        equality("sum of T steps", total, 2 * gap / (GAMMA * T) + claimed),
        descends(asysg_incon, 2, claimed),
    )


# Derivations: delay-compensated asynchronous SGD with bounded gradients.

LONGEST = steepest / (1 - GAMMA * extra * tau)


def prove_dc_asgd_bounded(longest: Any = LONGEST) -> Verdict:
    """Directions of updates are at most ``longest`` = U long: a gradient, and c times a move of at
    most gamma tau U.

    <grad f, h> >= (g2 - ||grad f - h||^2)/2 for the mean direction h, which is off by at most
    (L + c) gamma tau U. gamma = 1/(2 c tau (1 + v)) leaves half of the denominator.
    """
    g2, h2, v = sp.symbols("g2 h2 v", nonnegative=True)
    lam, g, decay = sp.symbols("lambda_0 g m", positive=True)
    off = (L + extra) * GAMMA * tau * longest
    change = -GAMMA / 2 * (g2 + h2 - off**2) + GAMMA**2 * L / 2 * longest**2
    floor = GAMMA * L * longest**2 + GAMMA**2 * (L + extra) ** 2 * tau**2 * longest**2
    slack = sp.simplify(-GAMMA / 2 * g2 + GAMMA / 2 * floor - change)
    left = (1 - GAMMA * extra * tau).subs(GAMMA, 1 / (2 * extra * tau * (1 + v)))
    compensated = lam / sp.sqrt((1 - decay) * g**2) * g**2
    return settled(
        "dc_asgd_bounded",
        f"directions are at most {longest} long, so the rate of SGD up to (L + c)^2 tau^2",
        "derived; setting of Zheng et al. 2017, arXiv:1609.08326",
        equality("the adaptive term", sp.simplify(compensated), lam * g / sp.sqrt(1 - decay)),
        equality("no direction is longer", steepest + extra * GAMMA * tau * longest, longest),
        nonnegative(
            "half is left", sp.simplify((left - sp.Rational(1, 2)) * 2 * (1 + v)), v
        ),
        nonnegative("one step descends, however stale", slack, h2, GAMMA),
        descends(dc_asgd_bounded, 2, floor),
    )  # fmt: skip


PROOFS = (
    prove_asynchronous_moments,
    prove_asynchronous_pl,
    prove_asysg_con,
    prove_asysg_incon,
    prove_dc_asgd_bounded,
)
