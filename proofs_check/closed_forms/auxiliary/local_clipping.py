"""Where local clipping bites: thresholds T n^-1/2 for noise and for equal gradients (E33)."""

from __future__ import annotations

import torch

from algorithms.core.key import Key
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


def clipping_of_noise() -> Verdict:
    """E33, noise: local thresholds T n^-1/2 leave the sum what one threshold T on it leaves.

    The norm's relative standard deviation is (2 d)^-1/2 = 0.011; the tolerance is six of them.
    """
    n, d, threshold = 64, 4000, 5.0
    draws = Key.seed(0).fold("clip").draws(torch.tensor(0), torch.arange(n))
    left = ClipNorm(threshold).apply(draws.normal(d, torch.float64), n).sum(0).norm()
    return identity(
        "local-clipping", "independent noise: clipped at T n^-1/2 the sum has norm T, within 7 %",
        float(left) / threshold, 1.0, check="clipping", tolerance=0.07,
        provenance=f"n={n}, d={d}, T={threshold:g}; each row has norm about {d**0.5:.3g}",
    )  # fmt: skip


def clipping_of_sums() -> Verdict:
    """E33, aligned gradients: the same thresholds leave the sum n^1/2 T."""
    n, threshold = 64, 5.0
    g = torch.full((n, 9), 10.0, dtype=torch.float64)
    return identity(
        "local-clipping", "n = 64 equal gradients: clipped at T n^-1/2 their sum has norm 8 T",
        float(ClipNorm(threshold).apply(g, n).sum(0).norm()) / threshold, 8.0,
        check="clipping", provenance="norm 30 each, T = 5",
    )  # fmt: skip


def clipping_spares_the_mean(power: float = 0.0) -> Verdict:
    """Four equal gradients at the threshold for their mean: global clipping leaves the mean."""
    g = torch.tensor([[3.0, 4.0]], dtype=torch.float64).expand(4, 2)
    return identity(
        "local-clipping", "four equal gradients of norm T, threshold T: their mean stays",
        ClipNorm(5.0, power).apply(g, 4).mean(0), [3.0, 4.0], check="clipping",
        provenance=f"T = 5, local threshold T n^-{power:g}",
    )  # fmt: skip


def local_clipping() -> tuple[Verdict, ...]:
    """Independent noise, equal gradients, and a threshold for the mean."""
    return (clipping_of_noise(), clipping_of_sums(), clipping_spares_the_mean())


CLOSED_FORMS = (local_clipping,)
