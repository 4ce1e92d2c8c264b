"""Errata of what the surveys print.

Errata are those of the rows that are implemented; ``printed`` is the survey's formula (Tang et al.
2020, arXiv:2003.06307), ``correct`` the one in use, ``evidence`` how the difference shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Erratum:
    """One formula of the survey that is wrong as printed."""

    id: str
    place: str
    printed: str
    correct: str
    evidence: str


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "E3",
        "Eq. 8, asynchronous SGD",
        "a sum of delayed gradients over all n workers in every step, with delays tau_{i,k} for a "
        "free index k",
        "x_{t+1} = x_t - gamma g_i(x_{t-tau_t}) for the one gradient that arrives; the sum of Lian "
        "et al. 2015 runs over M arrivals",
        "algebra: the printed indices do not name an update",
    ),
    Erratum(
        "E4",
        "Eq. 9, local SGD",
        "at a synchronisation x_{i,t} - gamma mean_j g_j(x_{j,t})",
        "mean_j (x_{j,t} - gamma g_j(x_{j,t}))",
        "x_0 = (0, 1), f = x^2/2, gamma = 0.1, synchronised every 4 of 40 steps: the workers stay "
        "0.9^30 = 0.0424 apart; with minima (0, 1) they stay 1 apart forever",
    ),
    Erratum(
        "E5",
        "Eq. 10-11, 1-bit SGD",
        "delta_t on both sides; delta = G - Q^-1(Q(G + delta))",
        "send Q(g_t + delta_{t-1}); delta_t = (g_t + delta_{t-1}) - Q^-1 of what was sent",
        "with the printed residual what was not sent before is lost",
    ),
    Erratum(
        "E6",
        "Eq. 12, 1-bit SGD",
        "the server averages the encoded gradients",
        "it averages the decoded ones, Q^-1 of what arrived",
        "algebra: signs of columns with different means do not add",
    ),
    Erratum(
        "E7",
        "Section IX-A, error feedback",
        "v_t = grad_t - C(v_{t-1} + grad_t)",
        "v_t = v_{t-1} + grad_t - C(v_{t-1} + grad_t)",
        "top-1 of g = (1, 0.4) for 100 steps: printed delivers (100, 0), correct (100, 39.6) and "
        "keeps the rest",
    ),
    Erratum(
        "E8",
        "Eq. 14, QSGD",
        "levels 0 < l < s",
        "levels 0 <= l < s",
        "the printed range excludes every |v_j| < ||v||/s, and s = 1 altogether",
    ),
    Erratum(
        "E9",
        "Eq. 17, natural compression",
        "p(t) = 2^{ceil - floor} / 2^{ceil} for rounding down",
        "p(t) = (2^{ceil} - |t|) / 2^{floor}",
        "t = 2.5: printed p = 1/2 gives the mean 3; t = 0.3: printed p = 4 is no probability",
    ),
    Erratum(
        "E10",
        "Section V, natural dithering",
        "levels l_1 = 1, ..., l_s = 2^{s-1} put into Eq. 14 as l/s",
        "levels 2^{j-s}, j = 1, ..., s, and 0",
        "the paper; s = 3: printed 1/3, 2/3, 4/3, of which the last exceeds the norm",
    ),
    Erratum(
        "E11",
        "Section VIII, Eq. 21",
        "G_i(x) := E grad F_i(x)",
        "E G_i(x) = grad f_i(x)",
        "algebra: Eq. 5 has G_i(x) random",
    ),
    Erratum(
        "E12",
        "Section VIII, Eq. 20-26",
        "R^n and norms over n; contraction with 0 < d < n",
        "R^N, N the dimension, n the workers; (1 - k/N) with 0 < k <= N",
        "the printed range excludes the identity",
    ),
    Erratum(
        "E14",
        "Section VIII, spectral gap",
        "rho = max(|lambda_2|, |lambda_n|) called the spectral gap",
        "that is the second modulus lambda; the gap is 1 - lambda",
        "contradicts the papers it quotes; the complete graph would have gap 0",
    ),
    Erratum(
        "E15",
        "Section VIII, Eq. 26, unbiased compression",
        "E C(x) = x alone",
        "with a variance bound: relative for DCD-PSGD, absolute for ECD-PSGD",
        "two workers that average unbiased differences: consensus changes by omega/2 a step; "
        "rand-1 of 4 has omega = 3, factor 1.5",
    ),
    Erratum(
        "E16",
        "Section VIII, assumptions 4 and 5",
        "bounded gradients (23) and strong convexity (24) listed together",
        "they exclude each other on R^d; the gradient bound must be asked along the iterates",
        "||grad f(x)|| >= mu ||x - x*|| grows without bound",
    ),
    Erratum(
        "E17",
        "Section VIII-A, QSGD bound",
        "noise factor min(n/s, sqrt(n)/s)",
        "min(n/s^2, sqrt(n)/s), n being the dimension, and B a second-moment bound",
        "dimension 100, s = 20: 0.25, printed 0.5; the printed minimum is always sqrt(n)/s",
    ),
    Erratum(
        "E18",
        "Section VIII-A, QSGD bound",
        "sqrt(min(.) B / T) as the whole noise",
        "(1 + min(.)) B, or omega B + sigma^2",
        "algebra: as s grows the printed noise is 0 whatever the gradients' own",
    ),
    Erratum(
        "E19",
        "Section VIII-A, top-k",
        "slowdown proportional to k",
        "slowdown proportional to d/k: it grows as k falls",
        "k = d sends everything and costs nothing",
    ),
    Erratum(
        "E20",
        "Section VIII-A, sparsified SGD with memory",
        "k-sparsification converges at O(G^2/(mu T))",
        "O(G^2/(mu T) + (d/k)^2 kappa G^2/(mu T^2) + (d/k)^3 G^2/(mu T^3)), strongly convex, "
        "one worker",
        "Theorem 2.4 of Stich, Cordonnier, Jaggi 2018",
    ),
    Erratum(
        "E21",
        "Section VIII, CHOCO-SGD, convex",
        "O(1/(n T) + 1/(T delta^2 omega))",
        "O(1/(n T) + 1/(T delta^2 omega)^2), strongly convex",
        "abstract of the paper; T = 10^4, delta = omega = 0.1: 0.1 against 0.01",
    ),
    Erratum(
        "E22",
        "Section VIII, CHOCO-SGD, non-convex",
        "O(1/(sqrt(n T) + n) + 1/(rho^4 sigma^2 T))",
        "O(1/sqrt(n T) + n/(rho^4 delta^2 T))",
        "n = 16, T = 10^6, rho = delta = 0.1: second term 1, corrected 16",
    ),
    Erratum(
        "E23",
        "Section VIII, D-PSGD",
        "O(1/sqrt(n K))",
        "O(1/T + 1/sqrt(n T)) once T is large against a power of n and 1/(1 - lambda)",
        "K is the survey's T; Theorem 1 of Lian et al. 2017 has the gap in its other terms",
    ),
    Erratum(
        "E24",
        "Section IX, IBCD",
        "m blocks are optimal",
        "m/n of the m blocks a worker",
        "the paper; m = 400, n = 100: 4 blocks, where omega/n = 0.99",
    ),
    Erratum(
        "E25",
        "Section V, majority vote",
        "credited to the paper on fault tolerance (2018)",
        "introduced in Bernstein et al. 2018, arXiv:1802.04434, Section 4; the other adds small"
        " batches and faults",
        "the paper",
    ),
    Erratum(
        "E26",
        "Section V, DIANA",
        "its novelty is to split the vector into blocks",
        "it compresses differences g_i - h_i; blocks are in QSGD and TernGrad already",
        "from knowledge of the papers",
    ),
    Erratum(
        "E27",
        "Section V, quantisation saves at most 32 times",
        "32 times, one bit a coordinate",
        "more with entropy coding",
        "QSGD with s = 1, dimension 10^6: at most 19498 bits by Theorem 3.2, 1641 times less "
        "than floats",
    ),
    Erratum(
        "E28",
        "Section V, Strom",
        "elements less than T become 0",
        "those within [-T, T]; below -T, -T is sent",
        "algebra: the printed rule never sends a negative value",
    ),
    Erratum(
        "E29",
        "Section VI, truncated gradient",
        "gradients are truncated",
        "weights are, every K steps, after the gradient step",
        "Langford et al. 2009",
    ),
    Erratum(
        "E30",
        "Section IX, momentum correction",
        "v is never reduced by what was sent",
        "v and u are set to 0 where the mask sent",
        "everything sent, f = x^2/2, m = 0.9, gamma = 0.01: printed grows beyond 10^12 in 400 "
        "steps; m = 0: a root of modulus 1",
    ),
    Erratum(
        "E31",
        "Section IX, global momentum compression",
        "u = g - m (x_t - x_{t-1})",
        "g - (m/gamma) (x_t - x_{t-1})",
        "f = x^2/2, m = 0.9, gamma = 0.01, x_0 = 1, 200 steps: printed 0.1315, corrected "
        "4.3e-6, plain 0.134",
    ),
    Erratum(
        "E32",
        "Section IX, momentum boxes",
        "the sum over workers",
        "the mean over workers, as in Eq. 6",
        "algebra: the step would grow with n",
    ),
    Erratum(
        "E33",
        "Eq. 27-28, local clipping",
        "the threshold N^{-1/2} without a condition",
        "valid where noise dominates; aligned gradients have a mean that is clipped",
        "n = 4 equal gradients at the global threshold: their mean is halved",
    ),
    Erratum(
        "T1",
        "Table IV, header",
        "convex O(1/T)",
        "1/T needs strong convexity (or the PL inequality); convex functions give 1/sqrt(T); the "
        "non-convex column bounds the mean squared gradient",
        "algebra of the theorems quoted",
    ),
    Erratum(
        "T4",
        "Table IV, ASP with quantisation, non-convex",
        "1-bit SGD cited for a rate",
        "it has no convergence theorem",
        "the paper",
    ),
    Erratum(
        "T5",
        "Table IV, BSP with quantisation, convex",
        "TernGrad and another cited",
        "the second is non-convex only",
        "from knowledge of the papers",
    ),
    Erratum(
        "T6",
        "Table IV, gossip with quantisation, non-convex",
        "ECQ-SGD cited",
        "it has a server and a theorem for quadratics only; DCD/ECD-PSGD and CHOCO-SGD belong "
        "there",
        "from knowledge of the papers; CHOCO-SGD fills the convex column",
    ),
    Erratum(
        "T10",
        "Table IV, all-reduce with quantisation",
        "O(b N T) bits",
        "the sum of n ternaries needs log2(2 n + 1) bits, else an all-gather n b N",
        "n = 64: 7.01 bits for b = log2 3 = 1.58",
    ),
    Erratum(
        "S2",
        "Another survey, error feedback with decay",
        "error feedback, the residual decaying",
        "it is the plain one for decay 1 only; else it loses mass in every step",
        "algebra: of a residual e the share 1 - decay is in neither message nor memory",
    ),
)
