"""What studies of dual methods share: problems side by side, steps to an accuracy, power laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import PowerLawFit, fit_power, rational
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

Build = Callable[[StaticTopology, LocalModel], Method[Any]]
ACCURACY, REPLICAS, _COLUMNS = 1e-6, 16, 2
_LOGARITHM = 0.04  # what the logarithms of gamma and kappa beside the power may add to an exponent


def quadratics(n: int, kappa: float, seed: int) -> Quadratic:
    """``REPLICAS`` problems side by side, of ``_COLUMNS`` parameters each; workers differ."""
    generator = torch.Generator().manual_seed(seed)
    shape = (n, REPLICAS * _COLUMNS)
    a = torch.exp(torch.rand(shape, generator=generator, dtype=torch.float64) * math.log(kappa))
    a[0], a[-1] = 1.0, kappa
    b = torch.randn(shape, generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name="quadratics")


def own_distance(problem: Quadratic) -> Floats:
    """Distance ``[R]`` of the workers' own minimisers, stacked, from x*."""
    return distance(problem.c / problem.a, problem)


def distance(rows: Tensor, problem: Quadratic) -> Floats:
    """Distance ``[R]`` of all workers' models ``[n, d]`` from x*, for each of the problems."""
    squares = (rows - problem.x_star).square().reshape(problem.n, REPLICAS, -1)
    return np.asarray(squares.sum((0, 2)).sqrt().numpy())


def steps_to(method: Method[Any], problem: Quadratic, accuracy: float, limit: int) -> Floats:
    """Steps of each replica ``[R]`` until its error stays below ``accuracy``; a dual method's first
    step makes its starting models.

    Raises:
        ArithmeticError: some replica is not there after ``limit`` steps.
    """
    last, unit = np.zeros(REPLICAS), own_distance(problem)
    for moment in path(method, problem, limit):
        if moment.t == 0:
            continue
        error = distance(method.models(moment.state)[0], problem)
        last[error > accuracy * unit] = moment.t
        if moment.t > 1.1 * last.max() + 25:
            return last
    raise ArithmeticError(f"{method.name} has not reached {accuracy:g} after {limit} steps")


@final
class Fitted(NamedTuple):
    """A measured power law: replicas' values ``[R, K]`` at x ``[K]``, and its fit.

    Attributes:
        samples: the replicas' values ``[R, K]``.
    """

    x: Floats
    samples: Floats
    fit: PowerLawFit

    def drawn(self, label: str) -> PanelLine:
        """Means with their band."""
        return PanelLine(label, self.x, *band(self.samples))


def line(x: Floats, samples: Floats) -> Fitted:
    """Fit a power law in x to the replicas' values."""
    return Fitted(x, samples, fit_power(x, samples, ALPHA))


def power_verdict(
    row: str, found: Fitted, order: float, variable: str, claim: str, provenance: str
) -> Verdict:
    """Is the exponent ``order``, up to its interval and the logarithms beside the power?"""
    fit, slack = found.fit, found.fit.half_width + _LOGARITHM
    return Verdict(
        subject=row,
        problem="quadratics",
        claim=claim,
        check=f"rate in {variable}",
        kind=CheckKind.RATE,
        outcome=Outcome.SUPPORTED if abs(fit.slope - order) <= slack else Outcome.REFUTED,
        statistic=fit.slope,
        bound=order,
        order=f"{variable}^{order:g}",
        exponent=rational(order),
        uncertainty=slack,
        resolution=2 * slack,
        evidence=f"exponent {fit.slope:.4f} +- {fit.half_width:.4f} and {_LOGARITHM} for the "
        f"logarithms, on {fit.points} points, {fit.replicas} problems each",
        provenance=provenance,
    )


def under(row: str, worst: Floats, bound: Floats, claim: str, provenance: str) -> Verdict:
    """Does the slowest replica ``[K]`` stay under the derived ``bound`` ``[K]``?"""
    ratio = float((worst / bound).max())
    return Verdict(
        subject=row,
        problem="quadratics",
        claim=claim,
        check="derived bound",
        outcome=Outcome.SUPPORTED if ratio <= 1 else Outcome.REFUTED,
        statistic=ratio,
        bound=1.0,
        tightness=ratio,
        evidence=f"largest ratio to the bound {ratio:.4f} over {worst.size} settings of "
        f"{REPLICAS} problems",
        provenance=provenance,
    )
