"""The usual compositions of a row's parts."""

from __future__ import annotations

from algorithms.catalogue.row import CORE, Recipe
from algorithms.compressors.base import Compressor
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.sets.projection import onto_domain
from theory.theorem import Result, Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_variance import ef_sgd_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.mem_sgd import mem_sgd

PLAIN: tuple[Theorem, ...] = (bsp_strongly_convex_decreasing, bsp_strongly_convex, bsp_nonconvex)
"""One batch a step, of n gradients at the newest model."""

LOCAL: tuple[Theorem, ...] = (local_sgd, local_sgd_nonconvex)
"""At most H local steps between two averagings, on one objective."""

UNBIASED: tuple[Theorem, ...] = (compressed_bsp_strongly_convex, compressed_bsp_nonconvex)
"""Any operator in U(omega), sent plainly."""

FEEDBACK: tuple[Theorem, ...] = (
    ef_sgd_workers, ef_sgd_variance, ef_sgd_nonconvex, mem_sgd,
)  # fmt: skip
"""Any contraction with error feedback on every worker."""


def compressed(
    compressor: Compressor,
    *,
    theorems: tuple[Theorem, ...] = UNBIASED,
    operators: tuple[Compressor, ...] = (),
    problems: tuple[str, ...] = CORE,
    results: tuple[Result, ...] = (),
) -> Recipe:
    """BSP with an unbiased operator, bound to the tensors of the problem."""
    return Recipe(
        lambda step, p, _t: BSP(
            step, compressor.for_shapes(p.shapes), proximal=onto_domain(p)
        ),
        theorems, compressor, problems=problems, operators=operators, results=results,
    )  # fmt: skip


def with_feedback(
    compressor: Compressor,
    *,
    theorems: tuple[Theorem, ...] = FEEDBACK,
    operators: tuple[Compressor, ...] = (),
    problems: tuple[str, ...] = CORE,
    results: tuple[Result, ...] = (),
) -> Recipe:
    """BSP with a contraction and error feedback, bound to the tensors of the problem."""
    return Recipe(
        lambda step, p, _t: BSP(step, compressor.for_shapes(p.shapes), ErrorFeedback()), theorems,
        compressor, problems=problems, operators=operators,
        results=results,
    )  # fmt: skip
