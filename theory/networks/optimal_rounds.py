r"""Rounds and time to accuracy epsilon over a network: lower bounds, upper orders, derived bounds.

kappa is the condition number beta/alpha of every f_i, gamma the normalised eigengap
lambda_{n-1}/lambda_1 of the gossip matrix, tau the time of a round of messages in units of a local
computation. Orders carry no constants: they are drawn beside, never asserted. What ends in
``_at_most`` is derived here and may be.

Derivation. The dual of min sum_i f_i(x_i) subject to sqrt(W) x = 0 is smooth with 1/alpha and
strongly convex with gamma/beta on the range of W (lambda_1 = 1): condition number Q = kappa/gamma.
Nesterov's method from 0 keeps phi(y_t) - phi* <= (L + m)/2 ||lambda*||^2 exp(-t/sqrt Q) (Bubeck
2015, arXiv:1405.4980, Theorem 3.18), hence ||y_t - lambda*|| <= sqrt(1 + Q) ||lambda*||
exp(-t/(2 sqrt Q)); the extrapolated point is at most 2 + e^{1/2} times as far; models are
1/alpha-Lipschitz in it, ||lambda*|| <= ||grad f_i(x*)||/sqrt(gamma) and grad f_i(x*) <= beta times
the distance of the first models grad f_i^*(0). All norms are over the stacked rows of the workers.
"""

from __future__ import annotations

import math


def optimal_time(kappa: float, gamma: float, tau: float, epsilon: float) -> float:
    r"""\sqrt{\kappa} (1 + \tau/\sqrt{\gamma}) \ln(1/\epsilon): the lower bound for smooth strongly
    convex f_i, in order (Scaman et al. 2017, Theorem 2), which MSDA attains (Theorem 4)."""
    _check(kappa, gamma, epsilon)
    return math.sqrt(kappa) * (1 + tau / math.sqrt(gamma)) * math.log(1 / epsilon)


def ssda_rounds_at_most(kappa: float, gamma: float, epsilon: float) -> float:
    r"""Steps of SSDA after which sum_i ||theta_i - x*||^2 <= epsilon^2 times its first value.

    2 \sqrt Q \ln((2 + \sqrt e) \sqrt{1 + Q} \kappa/(\sqrt\gamma \epsilon)), Q = \kappa/\gamma; the
    first value is that of theta_0 = grad f_i^*(0).
    """
    _check(kappa, gamma, epsilon)
    q = kappa / gamma
    start = (2 + math.exp(0.5)) * math.sqrt(1 + q) * kappa / (math.sqrt(gamma) * epsilon)
    return 2 * math.sqrt(q) * math.log(start)


def chebyshev_gap(gamma: float, degree: int) -> float:
    r"""((1 - c_1^K)/(1 + c_1^K))^2, at most the eigengap of P_K(W) (Scaman et al. 2017, section
    4.2)."""
    root = math.sqrt(gamma)
    c = ((1 - root) / (1 + root)) ** degree
    return ((1 - c) / (1 + c)) ** 2


def msda_steps_at_most(kappa: float, gamma: float, degree: int, epsilon: float) -> float:
    """Local minimisations of MSDA until the same accuracy; ``degree`` rounds go with each."""
    return ssda_rounds_at_most(kappa, chebyshev_gap(gamma, degree), epsilon)


def _check(kappa: float, gamma: float, epsilon: float) -> None:
    if kappa < 1 or not 0 < gamma <= 1 or not 0 < epsilon < 1:
        raise ValueError(
            f"kappa must be at least 1, gamma in (0, 1] and epsilon in (0, 1), got kappa={kappa}, "
            f"gamma={gamma}, epsilon={epsilon}"
        )
