"""Errata of the survey's theory (Section VIII) and of where it puts methods."""

from __future__ import annotations

from theory.survey.erratum import Erratum, Nature

THEORY: tuple[Erratum, ...] = (
    Erratum(
        "E11",
        "Section VIII, Eq. 21",
        "G_i(x) := E grad F_i(x)",
        "E G_i(x) = grad f_i(x)",
        "algebra: Eq. 5 has G_i(x) random",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E12",
        "Section VIII, Eq. 20-26",
        "R^n and norms over n; contraction with 0 < d < n",
        "R^N, N the dimension, n the workers; (1 - k/N) with 0 < k <= N",
        "the printed range excludes the identity",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E13",
        "Section VIII, assumption 1 of gossip",
        "W 1 = W",
        "W 1 = 1",
        "a vector is not a matrix; agreement is kept where every row of W sums to 1",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "E14",
        "Section VIII, spectral gap",
        "rho = max(|lambda_2|, |lambda_n|) called the spectral gap",
        "that is the second modulus lambda; the gap is 1 - lambda",
        "contradicts the papers it quotes; the complete graph would have gap 0",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E15",
        "Section VIII, Eq. 26, unbiased compression",
        "E C(x) = x alone",
        "with a variance bound: relative for DCD-PSGD, absolute for ECD-PSGD",
        "two workers that average unbiased differences: consensus changes by omega/2 a step; "
        "rand-1 of 4 has omega = 3, factor 1.5",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E16",
        "Section VIII, assumptions 4 and 5",
        "bounded gradients (23) and strong convexity (24) listed together",
        "they exclude each other on R^d; the gradient bound must be asked along the iterates",
        "||grad f(x)|| >= mu ||x - x*|| grows without bound",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E17",
        "Section VIII-A, QSGD bound",
        "noise factor min(n/s, sqrt(n)/s)",
        "min(n/s^2, sqrt(n)/s), n being the dimension, and B a second-moment bound",
        "dimension 100, s = 20: 0.25, printed 0.5; the printed minimum is always sqrt(n)/s",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E18",
        "Section VIII-A, QSGD bound",
        "min(.) B / L as the whole noise",
        "(1 + min(.)) B, or omega B + sigma^2",
        "algebra: as s grows the printed noise is 0 whatever the gradients' own",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E19",
        "Section VIII-A, top-k",
        "slowdown proportional to k",
        "slowdown proportional to d/k: it grows as k falls",
        "k = d sends everything and costs nothing",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "E20",
        "Section VIII-A, sparsified SGD with memory",
        "k-sparsification converges at O(G^2/(mu T))",
        "O(G^2/(mu T) + (d/k)^2 kappa G^2/(mu T^2) + (d/k)^3 G^2/(mu T^3)), strongly convex, "
        "one worker",
        "Theorem 2.4 of Stich, Cordonnier, Jaggi 2018",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E21",
        "Section VIII, CHOCO-SGD, convex",
        "O(1/(n T) + 1/(T delta^2 omega))",
        "O(1/(n T) + 1/(T delta^2 omega)^2), strongly convex",
        "abstract of the paper; T = 10^4, delta = omega = 0.1: 0.1 against 0.01",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E22",
        "Section VIII, CHOCO-SGD, non-convex",
        "O(1/(sqrt(n T) + n) + 1/(rho^4 sigma^2 T))",
        "O(1/sqrt(n T) + n/(rho^4 delta^2 T))",
        "Theorem 4.1 of the paper, arXiv:1907.09356; n = 16, T = 10^6, rho = delta = 0.1: second "
        "term 1, corrected 16",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E23",
        "Section VIII, D-PSGD",
        "1/T + 1/sqrt(n T), later 1/sqrt(n K)",
        "1/sqrt(n T) once T is large against a power of n and 1/(1 - lambda): the other term is "
        "n/((1 - lambda)^2 T)",
        "K is the survey's T; the rate as Koloskova et al. 2020, arXiv:1907.09356, quote it",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "E35",
        "Sections III-B and III-C, which scheme a method belongs to",
        "backup workers stand under stale synchronous, D-ADMM under asynchronous methods",
        "both are synchronous: backup workers drop gradients and no gradient is stale; a "
        "coloured graph updates class by class",
        "the papers: Chen et al. 2016, arXiv:1604.00981; Mota et al. 2013, arXiv:1202.2805",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E36",
        "Section III-D, growing batches",
        "the same rate as SSP",
        "the same rate as parallel SGD",
        "from knowledge of the paper (Yu, Jin 2019, arXiv:1905.04346)",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E37",
        "Section VIII-A, local SGD with large steps",
        "sqrt(T)/N^{3/2} with N the dimension",
        "N is the number of workers there, T that of all gradients",
        "from knowledge of the paper (Dieuleveut, Patel 2019, NeurIPS)",
        Nature.CITATION,
    ),
    Erratum(
        "E38",
        "Section VIII-A, local updates with periodic averaging",
        "(pT)1/3 rounds",
        "(pT)^{1/3}, p the workers",
        "algebra: Haddadpour et al. 2019, arXiv:1910.13598",
        Nature.ALGEBRAIC,
    ),
)
