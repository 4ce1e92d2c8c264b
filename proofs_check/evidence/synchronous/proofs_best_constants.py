"""Derivations of best constants: what the worst function of a class attains, and no other exceeds.

The programmes of ``proofs_check/worst_case`` find these numbers at single settings; here they are
for all of them.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.verdict import Verdict

L, mu, gamma, sigma2, n = sp.symbols("L mu gamma sigma2 n", positive=True)
gap, kept, s = sp.symbols("Delta r s", positive=True)
T = sp.symbols("T", integer=True, positive=True)
v, w = sp.symbols("v w", nonnegative=True)

# Sums of squared gradients on smooth functions: r = 1 - q is what a step leaves of f - f*.

SUM_OF_GRADIENTS = 2 * L * (gap * (1 - kept**T) + s * (T - (1 - kept**T) / (1 - kept))) / (1 - kept)
"""Most that sum_{t<T} E||grad f(x_t)||^2 can be where a step takes off (1 - r)/(2 L) ||grad f||^2
on average and adds s."""


def prove_best_gradient_average(claimed: Any = SUM_OF_GRADIENTS) -> Verdict:
    r"""sum_{t<T} E||grad f(x_t)||^2 <= ``claimed``, attained by L/2 ||x||^2, without convexity.

    A step falls by q/(2L) ||grad f||^2 and adds s. Of gradient descent 1 - q = (1 - gamma L)^2,
    s = gamma^2 L sigma2/(2n), gamma < 2/L; along C(grad f) with ||C(g) - g||^2 <= (1 - delta)
    ||g||^2 it is 1 - q = (1 - gamma L (1 - sqrt(1 - delta)))^2, gamma <= 1/L. By induction over T,
    from ||grad f||^2 <= 2 L (f - f*), the first step is followed by the claim for T - 1 of them.
    """
    g2 = sp.symbols("g2", positive=True)
    left = (1 - gamma * L) ** 2
    noise = gamma**2 * L * sigma2 / (2 * n)
    descent = -gamma * g2 + gamma**2 * L / 2 * (g2 + sigma2 / n)
    after = gap - (1 - kept) / (2 * L) * g2 + s
    onward = g2 + claimed.subs(gap, after)
    parabola = sp.Function("D")
    worst = sp.rsolve(parabola(T + 1) - kept * parabola(T) - s, parabola(T), {parabola(0): gap})
    first = claimed.subs(T, 1)
    return settled(
        "best gradient average",
        f"sum of E||grad f||^2 over T steps <= {claimed}",
        "derived from the descent lemma and ||grad f||^2 <= 2 L (f - f*)",
        equality("descent falls by q/(2L) and adds s", descent, (left - 1) / (2 * L) * g2 + noise),
        *_contraction(g2),
        equality("one step: ||grad f||^2 <= 2 L (f - f*)", first, 2 * L * gap),
        equality(
            "one step more", claimed.subs(T, T + 1) - onward, kept**T * (2 * L * gap - g2)
        ),
        equality("L/2 ||x||^2 keeps r of f - f* and adds s", left * gap + noise, gap
                 + (descent.subs(g2, 2 * L * gap))),
        equality("and its sum is the claim", sp.diff(_difference(claimed), gap),
                 2 * L * sp.diff(worst, gap)),
        equality("with its noise", _difference(claimed).subs(gap, 0), 2 * L * worst.subs(gap, 0)),
    )  # fmt: skip


def _difference(total: Any) -> Any:
    """What step T + 1 adds to a sum over T steps."""
    return sp.expand(total.subs(T, T + 1) - total)


def _contraction(g2: Any) -> tuple[DerivationStep, ...]:
    """Along C(g) = g + r, ||r|| = rho ||g||, <g, r> = -(1 - e) rho ||g||^2, a step of gamma =
    1/(L (1 + v)) falls least for e = 0 and the largest rho, which ``w`` more is."""
    e, rho = sp.symbols("e rho", nonnegative=True)

    def change(length: Any, angle: Any) -> Any:
        inner = 1 - angle * length
        return g2 * (-gamma * inner + gamma**2 * L / 2 * (2 * inner - 1 + length**2))

    least = (change(rho + w, 1) - change(rho, 1 - e)).subs(gamma, 1 / (L * (1 + v)))
    left = (1 - gamma * L * (1 - rho)) ** 2
    return (
        nonnegative("the worst contraction shortens", least, e, rho, v, w, g2, L),
        equality("and leaves (1 - gamma L (1 - rho))^2", change(rho, 1), (left - 1) / (2 * L) * g2),
    )


# Distances on strongly convex functions, with unbiased operators on the way.

kappa = sp.symbols("kappa", positive=True)
DISTANCE = 1 - 2 * gamma * mu + kappa * gamma**2 * mu**2
"""Least factor of E||x - x*||^2 in a step, kappa = 1 + omega/n."""


def prove_best_distance_factor(claimed: Any = DISTANCE) -> Verdict:
    r"""E||x+ - x*||^2 <= ``claimed`` ||x - x*||^2 + gamma^2 sigma2/n, attained by mu/2 ||x||^2.

    For gamma kappa <= 2/(L + mu), kappa = 1 + omega/n, of n workers that share x*: their operators
    are drawn apart, so that E||e - gamma mean Q_i(g_i)||^2 <= ||e||^2 - 2 gamma <g, e> + gamma^2
    (||g||^2 + omega/n mean ||g_i||^2), at most the mean over workers of what kappa ||g_i||^2 gives.
    With h = g_i - mu e smooth and strongly convex f_i say <h, e> >= ||h||^2/(L - mu).
    """
    ee, hh, wide = sp.symbols("E H M", positive=True)
    inner = hh / wide + w
    step = (
        ee - 2 * gamma * (mu * ee + inner)
        + kappa * gamma**2 * (mu**2 * ee + 2 * mu * inner + hh)
    )  # fmt: skip
    slack = (claimed * ee - step).subs(gamma, 2 / (kappa * (2 * mu + wide) * (1 + v)))
    a, b = sp.symbols("a b", real=True)
    parabola = (1 - gamma * mu) ** 2 + (kappa - 1) * (gamma * mu) ** 2
    left = sp.symbols("q", positive=True)
    d = sp.Function("d")
    noise = gamma**2 * sigma2 / n
    series = sp.rsolve(d(T + 1) - left * d(T) - noise, d(T), {d(0): gap})
    floor = gamma * sigma2 / (n * mu * (2 - kappa * gamma * mu))
    return settled(
        "best distance factor",
        f"E||x - x*||^2 falls by {claimed} in a step",
        "derived; interpolation of Taylor, Hendrickx, Glineur 2017, arXiv:1502.05666, Theorem 4",
        equality(
            "||mean||^2 is at most the mean square", (a**2 + b**2) / 2 - ((a + b) / 2) ** 2,
            ((a - b) / 2) ** 2,
        ),
        nonnegative("one step", slack, ee, hh, wide, w, v, mu, kappa),
        equality("attained by mu/2 ||x||^2", parabola, claimed),
        equality("steps add up", series, left**T * gap + noise * (1 - left**T) / (1 - left)),
        equality("to the floor", noise / (1 - claimed), floor),
    )  # fmt: skip


# Function values on strongly convex functions: f - mu/2 ||x - x*||^2 is convex and smooth.

GAP = (1 - gamma * mu) ** 2
"""Least factor of f - f* in a step of gradient descent."""


def prove_best_gap_factor(claimed: Any = GAP) -> Verdict:
    r"""f(x+) - f* <= ``claimed`` (f(x) - f*) for gamma <= 2/(L + mu), attained by mu/2 ||x||^2.

    h = f - mu/2 ||x - x*||^2 is convex with (L - mu)-Lipschitz gradients p; three conditions of
    interpolation, x from x+, x* from x, x* from x+, with multipliers rho = 1 - gamma mu,
    rho (1 - rho) and 1 - rho, leave a sum of squares. One dimension stands for all, as every term
    is an inner product.
    """
    x, p, after, h, h_after, wide = sp.symbols("x p q h k M", real=True)
    rho = 1 - gamma * mu
    moved = rho * x - gamma * p
    from_after = h - h_after - after * (x - moved) - (p - after) ** 2 / (2 * wide)
    star_x = -h + p * x - p**2 / (2 * wide)
    star_after = -h_after + after * moved - after**2 / (2 * wide)
    weighed = rho * from_after + rho * (1 - rho) * star_x + (1 - rho) * star_after
    falls = claimed * (h + mu / 2 * x**2) - (h_after + mu / 2 * moved**2)
    u = gamma * wide
    square = (after + (u - rho) * p) ** 2 + (2 * rho - u) * (u + 1 - rho) * p**2
    positive = sp.symbols("M", positive=True)
    factor = ((2 * rho - u) * (u + 1 - rho)).subs(wide, positive)
    return settled(
        "best gap factor",
        f"f - f* falls by {claimed} in a step of gradient descent",
        "Taylor, Hendrickx, Glineur 2018, arXiv:1705.04398, Theorem 3.3",
        equality("a sum of squares is left", falls - weighed, square / (2 * wide)),
        nonnegative(
            "of positive weights", factor.subs(gamma, 2 / ((2 * mu + positive) * (1 + v))),
            positive, mu, v,
        ),
        equality("attained by mu/2 ||x||^2", (rho * x) ** 2 / x**2, claimed),
    )  # fmt: skip


PROOFS = (prove_best_gradient_average, prove_best_distance_factor, prove_best_gap_factor)

COVERS = {
    "prove_best_gradient_average": ("bsp-sgd", "lag", "local-sgd", "ri-sgd", "top-k"),
    "prove_best_distance_factor": ("bsp-sgd", "diana", "one-shot-averaging", "qsgd"),
    "prove_best_gap_factor": ("bsp-sgd", "lag", "lupa-sgd", "pr-sgd"),
}
