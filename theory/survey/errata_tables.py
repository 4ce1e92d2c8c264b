"""Errata of the survey's tables, and of another survey."""

from __future__ import annotations

from theory.survey.erratum import Erratum

TABLES: tuple[Erratum, ...] = (
    Erratum(
        "T1",
        "Table IV, header",
        "convex O(1/T)",
        "1/T needs strong convexity (or the PL inequality); convex functions give 1/sqrt(T); the "
        "non-convex column bounds the mean squared gradient",
        "algebra of the theorems quoted",
    ),
    Erratum(
        "T2",
        "Table IV, parameter server with SSP, non-convex",
        "Ho et al. cited for a rate",
        "it proves a regret for convex Lipschitz functions; nothing for non-convex ones",
        "Theorem 1 of Ho et al. 2013 (NIPS)",
    ),
    Erratum(
        "T3",
        "Table IV, parameter server with ASP, convex",
        "Stich 2018 and Lian et al. 2015 cited",
        "the second is non-convex, the first about local SGD with a section on asynchrony",
        "from knowledge of the papers",
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
        "DIANA and Jiang, Agrawal 2018 (NeurIPS) cited",
        "the second is non-convex only",
        "from knowledge of the paper; DIANA has strongly convex functions (arXiv:1901.09269)",
    ),
    Erratum(
        "T6",
        "Table IV, gossip with quantisation, non-convex",
        "ECQ-SGD cited",
        "it has a server and a theorem for quadratics only; DCD/ECD-PSGD and CHOCO-SGD belong "
        "there",
        "Wu et al. 2018, arXiv:1806.08054; CHOCO-SGD fills the convex column",
    ),
    Erratum(
        "T7",
        "Table IV, gossip with local SGD, convex",
        "cooperative SGD cited",
        "its theorem is for non-convex functions, with one objective for all workers",
        "Theorem 1 of Wang, Joshi 2018, arXiv:1808.07576",
    ),
    Erratum(
        "T8",
        "Table IV, gossip with quantisation, workers",
        "n b N_peers T bits",
        "b N n_peers T: n and N have changed places; a misprint, for the lines above and below it "
        "have N n_peers and n_peers",
        "the ledger of D-PSGD, DCD-PSGD and CHOCO-SGD; 4 times N takes 4 times the bits, twice n "
        "as many as before",
    ),
    Erratum(
        "T9",
        "Table IV, parameter server with local SGD, server",
        "32 N T / T_comm bits",
        "n times that: the server talks to every worker",
        "the line for BSP, 32 n N T, at T_comm = 1",
    ),
    Erratum(
        "T10",
        "Table IV, all-reduce with quantisation",
        "O(b N T) bits",
        "the sum of n ternaries needs log2(2 n + 1) bits, else an all-gather n b N",
        "n = 64: 7.01 bits for b = log2 3 = 1.58",
    ),
    Erratum(
        "T12",
        "Table II, local SGD",
        "convergence difficult",
        "subjective; local SGD has the rate of parallel SGD for H up to sqrt(T/n)",
        "Stich 2018, arXiv:1805.09767; no number stands behind the word",
    ),
    Erratum(
        "S2",
        "Another survey, error feedback with decay",
        "error feedback, the residual decaying",
        "it is the plain one for decay 1 only; else it loses mass in every step",
        "algebra: of a residual e the share 1 - decay is in neither message nor memory",
    ),
    Erratum(
        "S3",
        "Another survey, LAG",
        "5283 uploads fall to 1756 by lazy aggregation",
        "1756 is the server rule (LAG-PS); the workers' rule (LAG-WK) sends 412",
        "table of Chen et al. 2018, arXiv:1805.09965, from memory",
    ),
)
