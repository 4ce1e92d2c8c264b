"""A random mask at stepsize gamma is subsampling at q gamma."""

from __future__ import annotations

from algorithms.compressors.random_mask import RandomMask
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.sparsification.drawn import SEED
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def mask_is_slow_subsampling() -> Verdict:
    """Unscaled at gamma = 0.4, q = 1/4, and scaled at gamma = 0.1: path by path."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0, zeta2=1.0)
    plain, scaled = (
        models(BSP(ConstantStep(gamma), mask), problem, 50, seed=SEED, replicas=2)
        for gamma, mask in ((0.4, RandomMask(0.25)), (0.1, RandomMask(0.25, scaled=True)))
    )
    return identity(
        "random-mask", "a random mask at stepsize gamma is subsampling at q gamma",
        plain, scaled, check="closed form", problem=problem.name,
        provenance=f"seed {SEED}, 2 replicas, 50 steps",
    )  # fmt: skip


def random_mask() -> tuple[Verdict, ...]:
    """Equality with subsampling at a smaller stepsize, on drawn rows."""
    return (mask_is_slow_subsampling(),)


CLOSED_FORMS = (random_mask,)
