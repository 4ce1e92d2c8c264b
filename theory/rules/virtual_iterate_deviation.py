r"""Distance from a virtual iterate at which methods take their gradients, in units of gamma G.

The virtual iterate z moves by gain times the mean gradient, and by noise of mean 0 whose square is
at most excess G^2/n in the mean over steps. Gradients have second moments of at most G^2. Distances
are roots of second moments, averaged over workers: they add up (Minkowski), a contraction of
quality delta leaves r = sqrt(1 - delta) of them, and what a step loses of x and adds to it ends at
most at the fixed point of S <- r (S + 1). :mod:`theory.theorems.perturbed_iterate` makes bounds of
these; :mod:`proofs_check.evidence.auxiliary.proofs_iterates` holds the identities by computer
algebra.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Reach:
    """Constants that :mod:`theory.theorems.perturbed_iterate` asks of a method.

    Attributes:
        reach: distance of gradients' points from the model that is looked at [gamma G].
        behind: distance of that model from z [gamma G].
        gain: steps of z over gamma times the mean gradient.
        excess: noise of z beside that of gradients [G^2/n].
    """

    reach: float = 0.0
    behind: float = 0.0
    gain: float = 1.0
    excess: float = 0.0


def _below_one(what: str, value: float) -> None:
    """Numbers only: symbols are what proofs put here."""
    if isinstance(value, float) and not value < 1:
        raise ValueError(f"{what} must be below 1, got {value:.4g}")


def left(delta: float) -> float:
    """r/(1 - r), r = sqrt(1 - delta): the residual of error feedback around steps of length 1.

    e <- p - C(p) with p = s + e and ||s|| <= 1 has ||e|| <= r (1 + ||e||).
    """
    r: float = (1 - delta) ** 0.5
    return r / (1 - r)


def both_ways(up: float, down: float) -> float:
    """Residuals of workers and server together around steps of length 1, by delta of either way.

    The server gets at most (1 + r_up)/(1 - r_up) of a worker's step, as s + e - e^+.
    """
    one: float = (1 - up) ** 0.5
    return left(up) + (1 + one) / (1 - one) * left(down)


def fed_back_locally(steps: float, delta: float) -> Reach:
    """Local steps, then their sum through a contraction with error feedback (Qsparse-local-SGD).

    z = mean model minus mean residual, both at a meeting and between two. A gradient is taken at
    most ``steps`` - 1 local steps from the model that all began from, and no further from the mean.
    """
    return Reach(steps - 1, behind=steps * left(delta))


def quantised_locally(steps: float, omega: float) -> Reach:
    """Local steps, then their sum through an unbiased operator: z is the mean model, which jumps.

    A jump has a variance of omega steps^2 G^2/n, once in so many steps.
    """
    return Reach(steps - 1, excess=omega * steps)


def fed_back_momentum(m: float, residual: float) -> Reach:
    r"""Error feedback around velocities u <- m u + g, ``residual`` as :func:`left` has it.

    z = x - e - m/(1 - m) u. Velocities are at most 1/(1 - m) long.
    """
    return Reach(behind=(residual + m / (1 - m)) / (1 - m), gain=1 / (1 - m))


def fed_back_globally(m: float, delta: float) -> Reach:
    """Error feedback around the model's own last move (GMC): g + m (mean sent before) + e.

    z = (x - e - m x_before)/(1 - m). What is compressed is at most p <- 1 + m (1 + r) p + r p,
    since a message is at most 1 + r = 1 + sqrt(1 - delta) times as long.
    """
    r: float = (1 - delta) ** 0.5
    longest = 1 / (1 - r - m * (1 + r))
    return Reach(behind=longest * (r + m * (1 + r)) / (1 - m), gain=1 / (1 - m))


def fed_back_nesterov(m: float, residual: float) -> Reach:
    """Error feedback around m u + g, u <- m u + g: z = x - e - m^2/(1 - m) u, one step behind."""
    return Reach(behind=(residual + m**2 / (1 - m)) / (1 - m), gain=1 / (1 - m))


def block_momentum(steps: int, eta: float, zeta: float = 1.0) -> Reach:
    """Blocks of local steps whose moves D <- eta D + zeta change are added to the model (BMUF; with
    eta = 0 a server's rate zeta, FedAvg; FedAvgM and SlowMo).

    z = a + (eta D + zeta (mean model - a))/(1 - eta), a the model that the block began from. Moves
    are at most zeta steps/(1 - eta) long, changes within a block at most steps.
    """
    past = eta * zeta * steps / (1 - eta)
    behind = (past + abs(zeta - (1 - eta)) * steps) / (1 - eta)
    return Reach(steps - 1, behind=behind, gain=zeta / (1 - eta))


def told_downwards(delta: float) -> Reach:
    """Gradients at w, to which the server sends C(x - w) after each plain step of x: z is x
    (EF21-P), and x - w is the residual of error feedback."""
    return Reach(left(delta))


def error_controlled(eta: float, delta: float) -> Reach:
    """EControl: h <- h + C(p), p = eta e + g - h, e <- e + g - h, x moves by -h: z = x - e.

    With the residual rho of p, e <- (1 - eta) e + rho and the next p is the change of g, 2 at most,
    and (1 + eta) rho - eta^2 e: e is at most r p/eta long, p at most 2/(1 - r (1 + 2 eta)).

    Raises:
        ValueError: r (1 + 2 eta) >= 1, r = sqrt(1 - delta), where they need not stay bounded.
    """
    r: float = (1 - delta) ** 0.5
    kept = r * (1 + 2 * eta)
    _below_one("sqrt(1 - delta) (1 + 2 eta)", kept)
    return Reach(behind=2 * r / (eta * (1 - kept)))


def mixed(total: float) -> Reach:
    """Gossip that keeps the mean: z is the mean model.

    ``total`` is what is left, summed over all ages, of a step taken by one worker: sum_k ||W_t ...
    W_{t-k+1} - J||, 1/(1 - lam) for one matrix.
    """
    return Reach(total)


def mixed_at_random(kept: float) -> Reach:
    """Gossip by matrices drawn afresh, each of which leaves ``kept`` of the squared spread in
    expectation: z is the mean model, and spreads S <- sqrt(kept) S + 1."""
    return Reach(1 / (1 - kept**0.5))


def wandering(steps: float, lam: float) -> Reach:
    """So many local steps between rounds of one symmetric W: z is the mean model.

    Steps of one period are whole until its end, then lam of each is left, then lam^2.
    """
    return Reach(steps / (1 - lam))


def wandering_compressed(steps: float, kept: float) -> Reach:
    """Local steps between rounds of compressed gossip that leave ``kept`` of the potential.

    Both parts of the potential grow by one step's length a step, S <- sqrt(kept) S + sqrt(2) steps;
    sqrt(2) more makes room for a potential at the start.
    """
    return Reach(2 * steps / (1 - kept**0.5))


def late(tau_rms: float, omega: float) -> Reach:
    """One gradient an update, read tau updates early, through an unbiased operator: z is x.

    A message is at most sqrt(1 + omega) G long in the root mean square.
    """
    return Reach((1 + omega) ** 0.5 * tau_rms)


def mixed_in_pairs(n: float, tau: float, kept: float) -> Reach:
    """AD-PSGD, one gradient a tick by one of n workers of one objective.

    Whoever calls, an average leaves ``kept`` of the squared spread in expectation, at most. A model
    is read at most tau ticks early, while the mean moves by 1/n a tick. A gradient is one worker's
    own: its variance is at most sigma^2/n and (1 - 1/n) G^2.
    """
    spread = (1 - 1 / n) ** 0.5 / (1 - kept**0.5)
    return Reach(spread + tau / n, gain=1 / n, excess=n - 1.0)


def kept_by_pairs(n: int) -> float:
    """Factor with which averaging a worker and a uniform one of the n - 1 others scales the squared
    spread, in expectation and whoever it is."""
    return 1 - 1 / (2 * (n - 1))


def sent_differences(lam: float, beta: float, omega: float) -> Reach:
    """DCD-PSGD: models move by C(W x - gamma g - x), C unbiased; z is the mean model.

    Raises:
        ValueError: lam^2 + omega beta^2 >= 1, where models need not stay together.
    """
    kept = lam**2 + omega * beta**2
    _below_one("lam^2 + omega beta^2", kept)
    spread = (1 + omega) ** 0.5 / (1 - kept**0.5)
    return Reach(spread, excess=omega * (beta * spread + 1) ** 2)


def decaying(alpha: float, beta: float, omega: float) -> Reach:
    """ECQ-SGD: C(g + alpha h) is sent, h <- beta h + g - sent, C unbiased.

    z = x - c gamma h with c = alpha/(alpha + 1 - beta): what is left of the noise is 1 - c of it.

    Raises:
        ValueError: (beta - alpha)^2 + omega alpha^2 >= 1, where h need not stay bounded.
    """
    kept = (beta - alpha) ** 2 + omega * alpha**2
    _below_one("(beta - alpha)^2 + omega alpha^2", kept)
    h = omega**0.5 / (1 - kept**0.5)
    c = alpha / (alpha + 1 - beta)
    return Reach(behind=c * h, excess=(1 - c) ** 2 * omega * (1 + alpha * h) ** 2)


def elastic(n: int, alpha: float, period: int) -> Reach:
    """EASGD with pulls of alpha both ways every ``period`` steps; the centre is looked at.

    z is the mean of workers and centre, which moves by n/(n + 1) of the mean gradient; a pull
    leaves max(|1 - alpha|, |1 - (n + 1) alpha|) of the spread Q of these n + 1 rows about z, of
    which the centre holds q with q^2 <= Q^2 n/(n + 1). Workers are within Q^2/n + q^2 (1 + 1/n) of
    the centre in the mean square.

    Raises:
        ValueError: alpha is such that pulls do not bring workers together.
    """
    kept = max(abs(1 - alpha), abs(1 - (n + 1) * alpha))
    if not kept < 1:
        raise ValueError(f"alpha must lie between 0 and 2/(n + 1), got alpha={alpha} with n={n}")
    spread, share = n**0.5 * period / (1 - kept), n / (n + 1)
    return Reach(spread / share**0.5, behind=spread * share**0.5, gain=share)
