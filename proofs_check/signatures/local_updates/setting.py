"""What signatures of local updates share: workers of their own Hessians, and the errors of all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Cost, Measurement, at_end, to_reach
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep

N, D, REPLICAS, SEED = 8, 100, 48, 71
UNEVEN = "quadratic-unequal with curvatures from 1/4 to 1, d = 100"
ERROR = "(1/n) sum_i ||x_i - x*||^2"
Y_LABEL = f"{ERROR} [x^2]"


def told(replicas: int = REPLICAS) -> str:
    """What makes the run again, but for the number of its steps."""
    return f"n = {N}, gamma_t = (2/mu)/(4/mu + t), {replicas} replicas, seed {SEED}"


def uneven(sigma2: float = 10.0) -> Quadratic:
    """Workers with Hessians and minimisers of their own, so that local steps drift apart."""
    return unequal(N, D, sigma2=sigma2, ratio=4.0)


def falling(problem: Problem) -> InverseTimeStep:
    """gamma_t = (2/mu) / (4/mu + t), for the rate 1/(nT).

    Where f is flat, mu is that of the PL condition.
    """
    c = problem.constants()
    mu = c.mu or c.need("pl")
    return InverseTimeStep(2 / mu, 4 / mu)


def partly_flat() -> Quadratic:
    """The same without curvature in the last half of the coordinates: Polyak-Lojasiewicz only."""
    whole = uneven()
    curved = torch.arange(D) < D // 2
    a, minimisers = torch.where(curved, whole.a, 0.0), whole.c / whole.a
    return Quadratic.from_arrays(a, minimisers, sigma2=10.0, name="quadratic-pl")


def played(method: Method[Any], problem: Problem, steps: int, replicas: int = REPLICAS) -> Trace:
    """The run of all replicas, every step of it recorded."""
    return run(method, problem, steps=steps, replicas=replicas, seed=SEED, points=steps + 1)


def errors(trace: Trace) -> Floats:
    """(1/n) sum_i ||x_i - x*||^2 ``[R, K]``: what the workers have, not only their mean."""
    return trace.consensus + trace.squared_distance


def reached(trace: Trace, target: float, x: Cost) -> Measurement:
    """What of ``x`` was spent when the workers' error first was at most ``target``."""
    of_workers = replace(trace, squared_distance=errors(trace))
    return _at_meetings(to_reach(of_workers, target, x, "squared_distance"), trace)


def ended(trace: Trace, x: Cost = "steps") -> Measurement:
    """The workers' error after the last step, drawn against ``x``."""
    of_workers = replace(trace, squared_distance=errors(trace))
    return _at_meetings(at_end(of_workers, "squared_distance", x), trace)


def _at_meetings(seen: Measurement, trace: Trace) -> Measurement:
    """The same, drawn where messages had just been sent: between meetings the error saws up."""
    sent = trace.sent_bits.mean(axis=0)
    met = np.flatnonzero(np.diff(sent, prepend=sent[0]) > 0)
    kept = np.union1d([0], met) if len(met) > 1 else np.arange(len(sent))
    return Measurement(seen.values, seen.x[kept], seen.y[:, kept])
