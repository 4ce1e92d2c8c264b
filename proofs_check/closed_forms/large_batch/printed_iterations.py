"""Iterations of an epoch, and the rate of growing batches, as printed: S1, E36."""

from __future__ import annotations

from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stale import SSP
from proofs_check.closed_forms.erratum import erratum
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep

COVERS = ("cr-psgd", "linear-scaling")


def s1() -> tuple[Verdict, ...]:
    """1.28 million images, 100 epochs."""
    samples = 100 * 1_280_000
    return (
        erratum(
            "S1", "linear-scaling", "steps of 100 epochs of 1.28 million images, batches of 1024",
            (samples / FixedBatch(1024)(0), 125_000), (samples / FixedBatch(512)(0), 125_000),
            f"printed 250,000 is for batches of 512; 8192: {samples // FixedBatch(8192)(0)}",
        ),
    )  # fmt: skip


def e36() -> tuple[Verdict, ...]:
    """Batches of four are parallel SGD with a quarter of the variance; stale gradients are not."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0)
    step, steps, told = ConstantStep(0.2), 60, {"seed": 5, "replicas": 2}
    parallel = models(BSP(step), problem.resampled(4), steps, **told)[-1]
    grown = models(Batched(BSP(step), FixedBatch(4)), problem, steps, **told)[-1]
    stale = ParameterServer(step, steps, Exponential(), SSP(1), Weighting.ALL)
    late = models(stale, problem.resampled(4), steps, **told)[-1]
    return (
        erratum(
            "E36", "cr-psgd", "||x_60|| with batches of four is parallel SGD's, step by step",
            (float(grown.norm()), float(parallel.norm())),
            (float(late.norm()), float(parallel.norm())),
            "printed: that of SSP, here with s = 1",
        ),
    )  # fmt: skip


CLOSED_FORMS = (s1, e36)
DEMONSTRATIONS = (("S1", s1), ("E36", e36))
