"""How many coordinates Gaussian-k sends."""

from __future__ import annotations

import torch

from algorithms.compressors.gaussian_k import GaussianK
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.verdict import Outcome, Verdict


def gaussian_count() -> Verdict:
    """How many of k = 100 Gaussian-k sends of Gaussian rows, d = 10 000 (no claim: compared)."""
    d, k = 10_000, 100
    x = draws_of(64, "count").normal(d, torch.float64)
    sent = (GaussianK(k).compress(x, draws_of(64, "none")) != 0).sum(-1).double()
    low, high = float(sent.min()), float(sent.max())
    return Verdict(
        subject="gaussian-k", claim="a Gaussian row sends 2k/3 to 4k/3 coordinates",
        check="conditional bound", outcome=Outcome.COMPARED, statistic=float(sent.mean()),
        bound=float(k), evidence=f"{low:.0f} to {high:.0f} of {d} sent, 64 rows, k = {k}",
        provenance=f"Shi et al. 2019, arXiv:1911.08772, Algorithm 1; seed {SEED}",
    )  # fmt: skip


def gaussian_k() -> tuple[Verdict, ...]:
    """How many coordinates a Gaussian threshold keeps, on drawn rows."""
    return (gaussian_count(),)


CLOSED_FORMS = (gaussian_k,)
