r"""Local SGD, strongly convex: the drift between averagings put into the weighted recursion."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs import weighted_recursion as lemma
from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.local_sgd import local_sgd

sigma2, n, G2, H, L = sp.symbols("sigma2 n G2 H L", positive=True)
DRIFT = 256 * lemma.T / lemma.mu**2 * G2 * H**2 * L


def prove(claimed: Any = DRIFT) -> Verdict:
    r"""The last term of Theorem 2.2 is ``claimed``/S_T.

    Lemma 3.1: A = 1/2, noise gamma^2 sigma2/n, drift 2 gamma L (1/n) sum ||xbar - x_i||^2.
    Lemma 3.3: at most H - 1 steps since the last averaging, each within a factor 2 of gamma_t
    (a > H), so (1/n) sum ||xbar - x_i||^2 <= H^2 (2 gamma_t)^2 G2.
    """
    gamma, v = sp.symbols("gamma v", nonnegative=True)
    third = sp.cancel(2 * gamma * L * H**2 * (2 * gamma) ** 2 * G2 / gamma**3)
    bound = lemma.BOUND.subs({lemma.A: sp.Rational(1, 2), lemma.B: sigma2 / n, lemma.C: third})
    start = lemma.mu * lemma.a**3 / 2 * lemma.R2
    noise = 4 * lemma.T * (lemma.T + 2 * lemma.a) / (lemma.mu * n) * sigma2
    # gamma_t <= 2 gamma_{t+H} when a + t = H + v
    ratio = 2 / (H + v + H) - 1 / (H + v)
    return settled(
        "local_sgd",
        f"the drift costs {claimed}/S_T",
        "Stich 2018, arXiv:1805.09767, Theorem 2.2, Lemmas 3.1, 3.3, 3.4",
        nonnegative("the stepsize halves at most within H steps", ratio, v, H),
        equality("the bound", bound * lemma.S_T, start + noise + claimed),
        computes(local_sgd, (start + noise + claimed) / lemma.S_T),
    )
