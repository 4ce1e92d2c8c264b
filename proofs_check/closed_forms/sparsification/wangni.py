"""Wangni's probabilities keep (1 + rho) s of a (rho, s)-approximately sparse vector."""

from __future__ import annotations

import torch

from algorithms.compressors.wangni import Wangni
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.verdict import Outcome, Verdict


def approximately_sparse(rho: float = 0.5, s: int = 10) -> Verdict:
    """E nnz = sum p_j <= (1 + rho) s where all but s coordinates have rho times their l1 norm."""
    noise = draws_of(64, "sparse").normal(200, torch.float64)
    head, tail = noise[..., :s], noise[..., s:].abs().clamp_max(0.05)
    tail = tail * (rho * head.abs().sum(-1, keepdim=True) / tail.sum(-1, keepdim=True))
    most = float(Wangni(rho).probabilities(torch.cat([head, tail], -1)).sum(-1).max())
    return Verdict(
        subject="wangni", claim="E nnz <= (1 + rho) s for (rho, s)-approximately sparse vectors",
        check="closed form",
        outcome=Outcome.SUPPORTED if most <= (1 + rho) * s * (1 + 1e-12) else Outcome.REFUTED,
        statistic=most, bound=(1 + rho) * s, tightness=most / ((1 + rho) * s),
        resolution=0.0,
        evidence=f"largest sum p_j {most:.6g} of 64 vectors with rho = {rho:g}, s = {s}, d = 200",
        provenance=f"Wangni et al. 2018, arXiv:1710.09854, Lemma 3; seed {SEED}",
    )  # fmt: skip


def wangni() -> tuple[Verdict, ...]:
    """How many coordinates Wangni's probabilities keep, on drawn rows."""
    return (approximately_sparse(),)


CLOSED_FORMS = (wangni,)
