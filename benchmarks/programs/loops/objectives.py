"""What a numpy loop knows of a problem: its data, and one worker's gradient at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Numbers = np.random.Generator

_SOLVE_STEPS = 10  # of an inexact local solve
_NEWTON_STEPS = 40


class Objective(ABC):
    """f_i of worker i; members are frozen dataclasses with these fields.

    Attributes:
        start: where models start ``[d]``.
        gamma: stepsize that loops take [x^2 / f].
        smooth: a bound on every f_i's curvature [f / x^2].
        shapes: shapes of the tensors that x holds.
    """

    n: int
    start: Array
    gamma: float
    smooth: float
    shapes: tuple[tuple[int, ...], ...]

    @property
    def d(self) -> int:
        """Number of parameters."""
        return len(self.start)

    @abstractmethod
    def gradient(self, i: int, x: Array, rng: Numbers, times: int = 1) -> Array:
        """Stochastic gradient ``[d]`` of worker i at x ``[d]``, of ``times`` usual batches."""

    @abstractmethod
    def full_gradient(self, i: int, x: Array) -> Array:
        """Exact gradient ``[d]`` of f_i."""

    def proximal(self, i: int, v: Array, weight: float, start: Array) -> Array:
        """argmin_x f_i(x) + weight/2 ||x - v||^2, here by a few gradient steps."""
        x = start
        for _ in range(_SOLVE_STEPS):
            g = self.full_gradient(i, x) + weight * (x - v)
            x = x - g / (self.smooth + weight)
        return x


@final
@dataclass(frozen=True)
class LogisticData(Objective):
    """Logistic regression on samples times labels ``[n, S, d]``, with an l2 penalty of weight
    ``lam``, or the bounded one lam x^2 / (1 + x^2)."""

    rows: Array
    lam: float
    bounded: bool
    batch: int
    n: int
    start: Array
    gamma: float
    smooth: float
    shapes: tuple[tuple[int, ...], ...]

    def gradient(self, i: int, x: Array, rng: Numbers, times: int = 1) -> Array:
        return self._mean(
            self.rows[i, rng.integers(self.rows.shape[1], size=times * self.batch)], x
        )

    def full_gradient(self, i: int, x: Array) -> Array:
        return self._mean(self.rows[i], x)

    def _mean(self, rows: Array, x: Array) -> Array:
        pull = 1 / (1 + np.exp(rows @ x))
        penalty = 2 * self.lam * x / (1 + x * x) ** 2 if self.bounded else self.lam * x
        g: Array = penalty - (pull @ rows) / len(rows)
        return g

    def proximal(self, i: int, v: Array, weight: float, start: Array) -> Array:
        """Newton's method in double precision; with fewer samples than parameters the system is
        solved in the samples (Woodbury)."""
        if self.bounded:
            return super().proximal(i, v, weight, start)
        rows, x, ridge = (
            self.rows[i].astype(np.float64),
            start.astype(np.float64),
            self.lam + weight,
        )
        gram = rows @ rows.T if len(rows) < len(x) else None
        for _ in range(_NEWTON_STEPS):
            pull = 1 / (1 + np.exp(rows @ x))
            second_derivative = np.maximum(pull * (1 - pull), 1e-300) / len(rows)
            g = self.lam * x + weight * (x - v) - (pull @ rows) / len(rows)
            if gram is None:
                step = np.linalg.solve(
                    (rows.T * second_derivative) @ rows + ridge * np.eye(len(x)), g
                )
            else:
                inner = np.linalg.solve(gram + np.diag(ridge / second_derivative), rows @ g)
                step = (g - inner @ rows) / ridge
            x -= step
            if step @ step <= 1e-12 * (1e-12 + x @ x):
                break  # the error is the square of this step
        return x.astype(start.dtype)


@final
@dataclass(frozen=True)
class QuadraticData(Objective):
    """1/2 sum_j a_j x_j^2 - c_j x_j with a ``[n or 1, d]`` and c ``[n, d]``, and normal noise of
    ``deviation`` in every coordinate of a gradient."""

    a: Array
    c: Array
    deviation: float
    n: int
    start: Array
    gamma: float
    smooth: float
    shapes: tuple[tuple[int, ...], ...]

    def gradient(self, i: int, x: Array, rng: Numbers, times: int = 1) -> Array:
        noise = rng.standard_normal(len(x)) * (self.deviation / times**0.5)
        g: Array = self.full_gradient(i, x) + noise
        return g

    def full_gradient(self, i: int, x: Array) -> Array:
        g: Array = self.a[i % len(self.a)] * x - self.c[i]
        return g

    def proximal(self, i: int, v: Array, weight: float, start: Array) -> Array:
        best: Array = (weight * v + self.c[i]) / (self.a[i % len(self.a)] + weight)
        return best


@final
@dataclass(frozen=True)
class SquaresData(Objective):
    """1/2 ||A_i x - y_i||^2 with A_i ``[S_i, d]``, without noise."""

    features: list[Array]
    targets: list[Array]
    n: int
    start: Array
    gamma: float
    smooth: float
    shapes: tuple[tuple[int, ...], ...]

    def gradient(self, i: int, x: Array, rng: Numbers, times: int = 1) -> Array:
        return self.full_gradient(i, x)

    def full_gradient(self, i: int, x: Array) -> Array:
        a = self.features[i]
        g: Array = a.T @ (a @ x - self.targets[i])
        return g


@final
@dataclass(frozen=True)
class PerceptronData(Objective):
    """Cross-entropy of one hidden layer of tanh on features ``[n, S, p]``, labels ``[n, S]``."""

    features: Array
    labels: Array
    batch: int
    n: int
    start: Array
    gamma: float
    smooth: float
    shapes: tuple[tuple[int, ...], ...]

    def gradient(self, i: int, x: Array, rng: Numbers, times: int = 1) -> Array:
        which = rng.integers(self.features.shape[1], size=times * self.batch)
        return self._mean(self.features[i, which], self.labels[i, which], x)

    def full_gradient(self, i: int, x: Array) -> Array:
        return self._mean(self.features[i], self.labels[i], x)

    def _mean(self, features: Array, labels: Array, x: Array) -> Array:
        """Forward and backward pass by hand."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        parts = zip(np.split(x, ends), self.shapes, strict=True)
        w1, b1, w2, b2 = (part.reshape(shape) for part, shape in parts)
        hidden = np.tanh(features @ w1.T + b1)
        scores = hidden @ w2.T + b2
        back = np.exp(scores - scores.max(axis=1, keepdims=True))
        back /= back.sum(axis=1, keepdims=True)
        back[np.arange(len(labels)), labels] -= 1
        back /= len(labels)
        deep = (back @ w2) * (1 - hidden**2)
        layers = (deep.T @ features, deep.sum(0), back.T @ hidden, back.sum(0))
        return np.concatenate([layer.ravel() for layer in layers])
