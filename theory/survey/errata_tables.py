"""Errata of the survey's tables, and of the other surveys."""

from __future__ import annotations

from theory.survey.erratum import Erratum, Nature

TABLES: tuple[Erratum, ...] = (
    Erratum(
        "T1",
        "Table IV, header",
        "convex O(1/T)",
        "1/T needs strong convexity (or the PL inequality); convex functions give 1/sqrt(T); the "
        "non-convex column bounds the mean squared gradient",
        "algebra of the theorems quoted",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "T2",
        "Table IV, parameter server with SSP, non-convex",
        "Ho et al. cited for a rate",
        "it proves a regret for convex Lipschitz functions; nothing for non-convex ones",
        "Theorem 1 of Ho et al. 2013 (NIPS)",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "T3",
        "Table IV, parameter server with ASP, convex",
        "Stich 2018 and Lian et al. 2015 cited",
        "the second is non-convex, the first about local SGD with a section on asynchrony",
        "from knowledge of the papers",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "T4",
        "Table IV, ASP with quantisation, non-convex",
        "1-bit SGD cited for a rate",
        "it has no convergence theorem",
        "the paper",
        Nature.CITATION,
    ),
    Erratum(
        "T5",
        "Table IV, BSP with quantisation, convex",
        "DIANA and Jiang, Agrawal 2018 (NeurIPS) cited",
        "the second is non-convex only",
        "from knowledge of the paper; DIANA has strongly convex functions (arXiv:1901.09269)",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "T6",
        "Table IV, gossip with quantisation, non-convex",
        "ECQ-SGD cited",
        "it has a server and a theorem for quadratics only; DCD/ECD-PSGD and CHOCO-SGD belong "
        "there",
        "Wu et al. 2018, arXiv:1806.08054; CHOCO-SGD fills the convex column",
        Nature.CITATION,
    ),
    Erratum(
        "T7",
        "Table IV, gossip with local SGD, convex",
        "cooperative SGD cited",
        "its theorem is for non-convex functions, with one objective for all workers",
        "Theorem 1 of Wang, Joshi 2018, arXiv:1808.07576",
        Nature.ALGEBRAIC,
    ),
    Erratum(
        "T8",
        "Table IV, gossip with quantisation, workers",
        "n b N_peers T bits",
        "b N n_peers T: n and N have changed places; a misprint, for the lines above and below it "
        "have N n_peers and n_peers",
        "the ledger of D-PSGD, DCD-PSGD and CHOCO-SGD; 4 times N takes 4 times the bits, twice n "
        "as many as before",
        Nature.NUMERICAL,
    ),
    Erratum(
        "T9",
        "Table IV, parameter server with local SGD, server",
        "32 N T / T_comm bits",
        "n times that: the server talks to every worker",
        "the line for BSP, 32 n N T, at T_comm = 1",
        Nature.NUMERICAL,
    ),
    Erratum(
        "T10",
        "Table IV, all-reduce with quantisation",
        "O(b N T) bits",
        "the sum of n ternaries needs log2(2 n + 1) bits, else an all-gather n b N",
        "n = 64: 7.01 bits for b = log2 3 = 1.58",
        Nature.NUMERICAL,
    ),
    Erratum(
        "T11",
        "Table III, cost of all-reduce",
        "seconds of sending alone; no halving-doubling; log n for any n",
        "adding costs gamma for each bit added; halving-doubling has 2 log2 n messages and a "
        "ring's bits; recursive doubling and halving-doubling need n = 2^k",
        "Thakur, Rabenseifner, Gropp 2005; 8 workers played message by message: with gamma = beta "
        "adding takes a ring half as long as its sending",
        Nature.NUMERICAL,
    ),
    Erratum(
        "T12",
        "Table II, local SGD",
        "convergence difficult",
        "subjective; local SGD has the rate of parallel SGD for H up to sqrt(T/n)",
        "Stich 2018, arXiv:1805.09767; no number stands behind the word",
        Nature.CITATION,
    ),
    Erratum(
        "S1",
        "Survey 000, Section 3.1, batches and iterations",
        "100 epochs of ImageNet in batches of 1024 are 250,000 iterations",
        "125,000; 250,000 are those of batches of 512",
        "1.28 million images: 15,625 for batches of 8192, as printed beside it",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S2",
        "Another survey, error feedback with decay",
        "error feedback, the residual decaying",
        "it is the plain one for decay 1 only; else it loses mass in every step",
        "algebra: of a residual e the share 1 - decay is in neither message nor memory",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S3",
        "Another survey, LAG",
        "5283 uploads fall to 1756 by lazy aggregation",
        "1756 is the server rule (LAG-PS); the workers' rule (LAG-WK) sends 412",
        "table of Chen et al. 2018, arXiv:1805.09965, from memory",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S4",
        "Survey 001, speedup of N workers",
        "t_s/(t_s/N + t_m) approaches t_s/t_m as N grows",
        "only where t_m does not grow; a ring's latency does, so the speedup has a peak",
        "BERT-Large, t_s = 163 ms, 100 Gbit/s, 10 us latency: 0.78, 0.69 and 0.107 for 8, "
        "1024 and 65,536 workers, where t_s/t_m at 8 is 0.87",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S5",
        "Survey 001, BERT-Large",
        "model intensity 248; speedup 1.08 of four workers",
        "597e9 operations for 8 samples and 336e6 parameters are 222; 1.08 takes t_s = 4 x 163 ms, "
        "the time of the global batch",
        "597e9/8/336e6 = 222; 652/(163 + 441) = 1.08, where 163/(163/4 + 441) = 0.34",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S6",
        "Survey 001, seconds of messages on 100 Gbit/s InfiniBand",
        "one cost alpha + beta m for messages of all sizes",
        "16 and 32 KiB give 5.6 us and 7.28 GB/s, 1 MB was measured at 10.4 GB/s: no single pair "
        "fits",
        "the line through 7.85 us and 10.1 us says 143 us for 1 MB, measured 96 us",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S7",
        "Survey 001, synchronised SGD",
        "the same convergence as one worker",
        "as one worker with the batch of all n together and the same stepsize",
        "the floor of n = 4 workers is that of one with a batch four times as large, a quarter of "
        "that of one with a worker's batch",
        Nature.NUMERICAL,
    ),
    Erratum(
        "S8",
        "Survey 004, ring and halving-doubling",
        "recursive halving and doubling is log n times slower than a ring",
        "that is recursive doubling of whole vectors; halving-doubling sends a ring's bits, "
        "2 (n - 1)/n m, in 2 log2 n messages",
        "8 workers played message by message: 1.75 m a worker for both, 3 m for recursive doubling",
        Nature.NUMERICAL,
    ),
)
