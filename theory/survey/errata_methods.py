"""Errata of the updates that the survey prints: its Sections II to VII and IX."""

from __future__ import annotations

from theory.survey.erratum import Erratum, Nature

METHODS: tuple[Erratum, ...] = (
    Erratum(
        "E1",
        "Eq. 7, SSP",
        "the sum over all workers runs to t, and a worker's own last s updates are added again",
        "all workers up to t - s, the own window [t - s + 1, t], and a subset of the others' "
        "in [t - s + 1, t + s]",
        "s = 0, two workers, t = 3: 7 updates for 6 there are; s = 2, t = 5: 13 for 8; f = "
        "x^2/2 with gamma = 1/2 for each worker: the root is -1, while BSP is at the minimum "
        "after one step",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E2",
        "Eq. 7, SSP",
        "a window [t - s] without a factor 1/n",
        "the window of others' updates reaches s clocks to both sides; updates are summed, so "
        "gamma is n times that of a mean",
        "Ho et al. 2013: [c - s, c + s - 1]; n equal workers move n times as far as one",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E3",
        "Eq. 8, asynchronous SGD",
        "a sum of delayed gradients over all n workers in every step, with delays tau_{i,k} for a "
        "free index k",
        "x_{t+1} = x_t - gamma g_i(x_{t-tau_t}) for the one gradient that arrives; the sum of Lian "
        "et al. 2015 runs over M arrivals",
        "algebra: the printed indices do not name an update",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E4",
        "Eq. 9, local SGD",
        "at a synchronisation x_{i,t} - gamma mean_j g_j(x_{j,t})",
        "mean_j (x_{j,t} - gamma g_j(x_{j,t}))",
        "x_0 = (0, 1), f = x^2/2, gamma = 0.1, synchronised every 4 of 40 steps: the workers stay "
        "0.9^30 = 0.0424 apart; with minima (0, 1) they stay 1 apart forever",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E5",
        "Eq. 10-11, 1-bit SGD",
        "delta_t on both sides; delta = G - Q^-1(Q(G + delta))",
        "send Q(g_t + delta_{t-1}); delta_t = (g_t + delta_{t-1}) - Q^-1 of what was sent",
        "with the printed residual what was not sent before is lost",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E6",
        "Eq. 12, 1-bit SGD",
        "the server averages the encoded gradients",
        "it averages the decoded ones, Q^-1 of what arrived",
        "algebra: signs of columns with different means do not add",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E7",
        "Section IX-A, error feedback",
        "v_t = grad_t - C(v_{t-1} + grad_t)",
        "v_t = v_{t-1} + grad_t - C(v_{t-1} + grad_t)",
        "top-1 of g = (1, 0.4) for 100 steps: printed delivers (100, 0), correct (100, 39.6) and "
        "keeps the rest",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E8",
        "Eq. 14, QSGD",
        "levels 0 < l < s",
        "levels 0 <= l < s",
        "the printed range excludes every |v_j| < ||v||/s, and s = 1 altogether",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E9",
        "Eq. 17, natural compression",
        "p(t) = 2^{ceil - floor} / 2^{ceil} for rounding down",
        "p(t) = (2^{ceil} - |t|) / 2^{floor}",
        "t = 2.5: printed p = 1/2 gives the mean 3; t = 0.3: printed p = 4 is no probability",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E10",
        "Section V, natural dithering",
        "levels l_1 = 1, ..., l_s = 2^{s-1} put into Eq. 14 as l/s",
        "levels 2^{j-s}, j = 1, ..., s, and 0",
        "the paper; s = 3: printed 1/3, 2/3, 4/3, of which the last exceeds the norm",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E24",
        "Section VI-C, IBCD",
        "m blocks are optimal",
        "m/n of the m blocks a worker",
        "the paper; m = 400, n = 100: 4 blocks, where omega/n = 0.99",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E25",
        "Section V, majority vote",
        "credited to the paper on fault tolerance (2018)",
        "introduced in Bernstein et al. 2018, arXiv:1802.04434, Section 4; the other adds small"
        " batches and faults",
        "the paper",
        Nature.CITATION,
    ),
    Erratum(
        "E26",
        "Section V, DIANA",
        "its novelty is to split the vector into blocks",
        "it compresses differences g_i - h_i; blocks are in QSGD and TernGrad already",
        "abstract of Mishchenko et al. 2019, arXiv:1901.09269",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E27",
        "Section VI, quantisation saves at most 32 times",
        "32 times, one bit a coordinate",
        "more with entropy coding",
        "QSGD with s = 1, dimension 10^6: at most 19498 bits by Theorem 3.2, 1641 times less "
        "than floats",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E28",
        "Section V, Strom",
        "elements less than T become 0",
        "those within [-T, T]; below -T, -T is sent",
        "algebra: the printed rule never sends a negative value",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E29",
        "Section VI, truncated gradient",
        "gradients are truncated",
        "weights are, every K steps, after the gradient step",
        "Langford et al. 2009",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E30",
        "Section IX, momentum correction",
        "v is never reduced by what was sent",
        "v and u are set to 0 where the mask sent",
        "everything sent, f = x^2/2, m = 0.9, gamma = 0.01: printed grows beyond 10^12 in 400 "
        "steps; m = 0: a root of modulus 1",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E31",
        "Section IX, global momentum compression",
        "u = g - m (x_t - x_{t-1})",
        "g - (m/gamma) (x_t - x_{t-1})",
        "f = x^2/2, m = 0.9, gamma = 0.01, x_0 = 1, 200 steps: printed 0.1315, corrected "
        "4.3e-6, plain 0.134",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E32",
        "Section IX, momentum boxes",
        "the sum over workers",
        "the mean over workers, as in Eq. 6",
        "algebra: the step would grow with n",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E33",
        "Eq. 27-28, local clipping",
        "the threshold N^{-1/2} without a condition",
        "valid where noise dominates; aligned gradients have a mean that is clipped",
        "n = 4 equal gradients at the global threshold: their mean is halved",
        Nature.NUMERICAL,
    ),
    Erratum(
        "E34",
        "Section IV-C, SGP",
        "a worker sends the gradient to its out-neighbours, without waiting for a response",
        "they send biased parameters x and the push-sum weight w and divide, z = x / w; SGP is "
        "synchronous, its overlapped form has bounded delay",
        "without forces, workers that start apart agree only if parameters are sent (Assran et al. "
        "2018, arXiv:1811.10792, Algorithm 1)",
        Nature.NUMERICAL,
    ),
)
