"""Claims of theory: constants, claims, theorems, bits. No torch, no randomness.

Symbols used throughout the project, one meaning each:

    n       workers                        d       parameters
    T       steps                          H       local steps between averages
    L       smoothness of f                mu      strong convexity (or PL) of f
    sigma2  E||g_i - grad f_i||^2 of one worker's stochastic gradient
    zeta2   (1/n) sum_i ||grad f_i - grad f||^2; at a minimiser x* alone ``zeta2_star``
    G2      E||g_i||^2, second moment of one worker's stochastic gradient
    gap     f(x_0) - f* (``initial_gap``); R2 = ||x_0 - x*||^2
    lam     max(|lambda_2|, |lambda_n|) of a mixing matrix; spectral gap = 1 - lam
    omega   E||C(x) - x||^2 <= omega ||x||^2 with E C(x) = x
    delta   E||C(x) - x||^2 <= (1 - delta) ||x||^2
    tau     staleness in server updates; ``lead`` (s of SSP) in clocks of a worker
    l       Lipschitz constant of every component (``lipschitz``)
"""
