r"""Models of a curve that is nearly a power law, fitted by least squares to its logarithm.

Beside the power law A x^p: one after a burn-in, A (x + b)^p (b < 0 where the start is steeper,
b > 0 where it is flatter); one over a floor, A x^p + c; one with a logarithm, A x^p log x. In the
first two the third parameter is found on a grid and then by damped Gauss-Newton steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from theory.arrays import Floats

POWER, BURN_IN, FLOOR, LOGARITHM = "power law", "burn-in", "floor", "logarithm"
_SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # of x_0, for b < 0
_MOST_NEGATIVE, _MOST_POSITIVE = 0.97, 3.0  # b over x_0 and over the last x
_EXPONENTS = (*-np.geomspace(0.02, 6, 60)[::-1], *np.geomspace(0.02, 2, 20))
_LARGEST_EXPONENT = 10.0
_STEPS = 20
_RIDGE = 1e-9


class FittedModel(NamedTuple):
    """One model at N curves of K points.

    Attributes:
        exponent: p of each ``[N]``.
        residual: log curve - log model ``[N, K]``.
        jacobian: derivatives of log model by (log A, p, the third parameter) ``[N, K, 2 or 3]``.
        extra: the third parameter, b in the unit of x or c as a share of the last mean ``[N]``;
            zero where there is none.
    """

    exponent: Floats
    residual: Floats
    jacobian: Floats
    extra: Floats


def power(x: Floats, log_y: Floats) -> FittedModel:
    """A x^p to curves ``log_y`` ``[N, K]`` at ``x`` ``[K]``."""
    return _straight(np.log(x), log_y)


def logarithm(x: Floats, log_y: Floats) -> FittedModel:
    """A x^p log x; x must exceed 1."""
    return _straight(np.log(x), log_y - np.log(np.log(x)))


def burn_in(x: Floats, log_y: Floats) -> FittedModel:
    """A (x + b)^p with -0.97 x_0 <= b <= 3 x_K."""
    centred = log_y - log_y.mean(axis=1, keepdims=True)
    early = -x[0] * np.array(_SHARES)[::-1]
    grid = np.concatenate((early, [0.0], x[0] * np.geomspace(1e-3, x[-1] / x[0], 24)))
    places = np.log(x + grid[:, None])
    places = places - places.mean(axis=1, keepdims=True)
    slopes = centred @ places.T / (places**2).sum(axis=1)
    errors = (centred**2).sum(axis=1)[:, None] - slopes**2 * (places**2).sum(axis=1)
    b = grid[errors.argmin(axis=1)]
    best = errors.min(axis=1)
    for _ in range(_STEPS):
        p, residual = _shifted(x, centred, b)
        b_next = np.clip(
            b + x[0] * _steps(_shift_jacobian(x, p, b), residual)[:, 2],
            -_MOST_NEGATIVE * x[0],
            _MOST_POSITIVE * x[-1],
        )
        _, after = _shifted(x, centred, b_next)
        error = (after**2).sum(axis=1)
        b = np.where(error < best, b_next, b)
        best = np.minimum(error, best)
    p, residual = _shifted(x, centred, b)
    return FittedModel(p, residual, _shift_jacobian(x, p, b), b)


def floor(x: Floats, log_y: Floats) -> FittedModel:
    """A x^p + c; c may be negative as long as the model is positive at all points.

    The search starts from the best of a grid of p, or from c = 0 where no least-squares c of the
    grid leaves the model positive.
    """
    v, weight = np.log(x) - np.log(x).mean(), np.exp(-log_y)
    n = len(log_y)
    plain = (log_y * v).sum(axis=1) / (v**2).sum()
    found = np.stack((np.exp(log_y.mean(axis=1)), plain, np.zeros(n)))
    best = _floor_error(log_y, v, found)
    for p in _EXPONENTS:
        trial = _levels(weight, v, p)
        error = _floor_error(log_y, v, trial)
        found = np.where(error < best, trial, found)
        best = np.minimum(error, best)
    damping = np.full(n, 1e-3)
    for _ in range(_STEPS):
        step = _steps(_floor_jacobian(v, found), log_y - np.log(_floor_model(v, found)), damping)
        trial = found + step.T
        trial[1] = np.clip(trial[1], -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
        error = _floor_error(log_y, v, trial)
        better = error < best
        found, best = np.where(better, trial, found), np.where(better, error, best)
        damping = np.where(better, damping / 5, damping * 4)
    model = _floor_model(v, found)
    residual = log_y - np.log(model)
    return FittedModel(found[1], residual, _floor_jacobian(v, found), found[2] / model[:, -1])


ModelFit = Callable[[Floats, Floats], FittedModel]

MODELS: dict[str, ModelFit] = {
    POWER: power, BURN_IN: burn_in, FLOOR: floor, LOGARITHM: logarithm,
}  # fmt: skip


def _straight(u: Floats, log_y: Floats) -> FittedModel:
    centred = u - u.mean()
    p = (log_y * centred).sum(axis=1) / (centred**2).sum()
    residual = log_y - log_y.mean(axis=1, keepdims=True) - p[:, None] * centred
    jacobian = np.broadcast_to(np.stack((np.ones_like(u), u), axis=-1), (*log_y.shape, 2))
    return FittedModel(p, residual, jacobian, np.zeros(len(log_y)))


def _shifted(x: Floats, centred: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Exponents ``[N]`` and residuals ``[N, K]`` at given b ``[N]``."""
    place = np.log(x + b[:, None])
    place = place - place.mean(axis=1, keepdims=True)
    p = (centred * place).sum(axis=1) / (place**2).sum(axis=1)
    return p, centred - p[:, None] * place


def _shift_jacobian(x: Floats, p: Floats, b: Floats) -> Floats:
    """The third column is by b / x_0; p is kept off zero, where b has no effect."""
    shifted = x + b[:, None]
    size = np.where(np.abs(p) > 1e-3, p, 1e-3)[:, None]
    return np.stack((np.ones_like(shifted), np.log(shifted), size * x[0] / shifted), axis=-1)


def _levels(weight: Floats, v: Floats, p: float) -> Floats:
    """A and c of A exp(p v) + c by least squares of relative errors: ``[3, N]`` with p between; NaN
    where a curve's power and its constant cannot be told apart."""
    one, two = weight * np.exp(p * v), weight
    g11, g12, g22 = (one * one).sum(1), (one * two).sum(1), (two * two).sum(1)
    h1, h2 = one.sum(1), two.sum(1)
    det = g11 * g22 - g12**2
    det = np.where(det == 0, np.nan, det)
    return np.stack(
        ((g22 * h1 - g12 * h2) / det, np.full(len(weight), p), (g11 * h2 - g12 * h1) / det)
    )


def _floor_model(v: Floats, found: Floats) -> Floats:
    a, p, c = found[:, :, None]
    model: Floats = a * np.exp(p * v) + c
    return model


def _floor_error(log_y: Floats, v: Floats, found: Floats) -> Floats:
    """Sum of squares ``[N]``; infinite where the model is not positive."""
    model = _floor_model(v, found)
    positive = np.asarray((model > 0).all(axis=1))
    logs = np.log(np.where(positive[:, None], model, 1.0))
    return np.where(positive, ((log_y - logs) ** 2).sum(axis=1), np.inf)


def _floor_jacobian(v: Floats, found: Floats) -> Floats:
    a, p, _ = found[:, :, None]
    model, rise = _floor_model(v, found), np.exp(p * v)
    return np.stack((rise / model, a * rise * v / model, 1 / model), axis=-1)


def _steps(jacobian: Floats, residual: Floats, damping: Floats | float = _RIDGE) -> Floats:
    """Damped Gauss-Newton steps ``[N, k]``, columns scaled to unit length."""
    size = np.sqrt((jacobian**2).sum(axis=1)) + np.finfo(np.float64).tiny
    unit = jacobian / size[:, None]
    ridge = np.broadcast_to(damping, len(unit))[:, None, None] * np.eye(unit.shape[-1])
    gram = unit.transpose(0, 2, 1) @ unit + ridge
    towards = (unit * residual[..., None]).sum(axis=1)
    return np.asarray(np.linalg.solve(gram, towards[..., None])[..., 0] / size)
