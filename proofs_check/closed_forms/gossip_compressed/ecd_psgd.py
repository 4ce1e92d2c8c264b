"""ECD-PSGD: the error of the estimates that it extrapolates.

Estimates carry the error (2/3)(2s - 3)/((s - 1)(s - 2)) v of messages with the error v. (Tang,
Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from proofs_check.closed_forms.gossip_compressed.difference_compression import (
    NOTHING,
    SEED,
    AdditiveNoise,
    equals_d_psgd,
    still,
)
from proofs_check.instruments.evidence import mean_square
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.networks.compressed_gossip import ecd_estimate_error
from theory.stepsizes import Stepsize

Build = Callable[[Stepsize, Topology, Compressor], Method[Any]]


def estimate_errors(build: Build = ECDPSGD) -> tuple[Verdict, ...]:
    """Estimates of one worker's model: variance 4, 1, 5/9, ... of that of a message."""
    problem, d, replicas, steps = still(1, 64), 64, 200, 40
    method = build(NOTHING, Complete(1), AdditiveNoise(1.0))
    moments = tuple(path(method, problem, steps, seed=SEED, replicas=replicas))
    return tuple(
        mean_square(
            "ecd-psgd",
            f"the estimate of x^{s} is off by {ecd_estimate_error(s, 1.0):.6g} times a message's "
            "error",
            (moments[s - 1].state.mixed - moments[s - 1].state.x).numpy(),
            ecd_estimate_error(s, 1.0),
            check="estimates",
            problem=problem.name,
            provenance=f"seed {SEED}, {replicas} replicas, d={d}, normal errors of variance 1",
        )
        for s in (2, 3, 4, 10, steps + 1)
    )


def ecd_psgd() -> tuple[Verdict, ...]:
    """C = I, and the estimates of one worker's model."""
    return (equals_d_psgd(ECDPSGD, "ecd-psgd"), *estimate_errors())


CLOSED_FORMS = (ecd_psgd,)
