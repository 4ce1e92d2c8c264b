"""Gradual warm-up: the same step at a stepsize that starts from the base one."""

from __future__ import annotations

from typing import Any

from proofs_check.proofs.derivation import settled
from proofs_check.proofs.large_batch.warm_up_strongly_convex import NOISE, iterated, one_step
from proofs_check.verdict import Verdict
from theory.theorems.gradual_warm_up_strongly_convex import gradual_warm_up_strongly_convex

COVERS = ("linear-scaling",)


def prove(noise: Any = NOISE) -> Verdict:
    """A step adds ``noise`` times gamma^2 sigma2/n to what it leaves of the squared distance."""
    return settled(
        "gradual_warm_up_strongly_convex",
        f"d_(t+1) = (1 - gamma_t (2 - gamma_t L) mu) d_t + {noise} gamma_t^2 sigma2/n",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, one step of Theorem 4.6",
        one_step(),
        iterated(gradual_warm_up_strongly_convex, noise),
    )
