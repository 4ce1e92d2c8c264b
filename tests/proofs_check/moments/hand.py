"""Second-moment recursions written down by hand, to hold the engine to: numpy, one coordinate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch

from algorithms.problems.quadratic import Quadratic
from theory.arrays import Floats

GAMMA = 0.2


class Outcome(NamedTuple):
    """With probability p the state y becomes A y + b + N w, w standard normal."""

    p: float
    a: Floats
    b: Floats
    noise: Floats


class Coordinate(NamedTuple):
    """One coordinate of a problem: curvatures a_i, b_i of a_i x - c_i, noise's deviation, x_0."""

    a: Floats
    c: Floats
    s: float
    x0: float


Step = Callable[[Coordinate, int], Sequence[Outcome]]


def problem(n: int = 4, d: int = 2, sigma2: float = 0.5) -> Quadratic:
    """Unequal Hessians and minimisers, minimised near the origin."""
    generator = torch.Generator().manual_seed(2)
    a = 0.3 + torch.rand(n, d, dtype=torch.float64, generator=generator)
    b = torch.randn(n, d, dtype=torch.float64, generator=generator)
    return Quadratic.from_arrays(a, b, sigma2=sigma2, x0=torch.full((d,), 2.0, dtype=torch.float64))


def suboptimality(
    p: Quadratic, steps: int, step: Step, start: Callable[[float], Floats], read: Floats
) -> float:
    """E f(x_T) - f*, x_T = ``read`` y."""
    total, star = 0.0, p.x_star.numpy()
    for j in range(p.d):
        one = Coordinate(
            p.a[:, j].numpy(), p.c[:, j].numpy(), (p.sigma2 / p.d) ** 0.5, float(p.x0[j])
        )
        mean, cov = moments(one, steps, step, start(one.x0))
        distance = (read @ mean - star[j]) ** 2 + read @ cov @ read
        total += 0.5 * one.a.mean() * distance
    return float(total)


def moments(one: Coordinate, steps: int, step: Step, y: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance after so many steps from y."""
    mean, cov = y.astype(float), np.zeros((len(y), len(y)))
    for t in range(steps):
        outcomes = step(one, t)
        after = sum(o.p * (o.a @ mean + o.b) for o in outcomes)
        cov = sum(
            o.p
            * (
                o.a @ cov @ o.a.T
                + o.noise @ o.noise.T
                + np.outer(o.a @ mean + o.b - after, o.a @ mean + o.b - after)
            )
            for o in outcomes
        )
        mean = after
    return mean, cov


def certain(a: Floats, b: Floats, noise: Floats) -> tuple[Outcome, ...]:
    """One outcome."""
    return (Outcome(1.0, np.atleast_2d(a), np.atleast_1d(b), np.atleast_2d(noise)),)
