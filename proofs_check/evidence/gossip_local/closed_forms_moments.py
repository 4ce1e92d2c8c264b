r"""Exact second moments of local SGD over gossip on quadratics, one coordinate at a time.

f_i(x) = a_i x^2/2 - c_i x at worker i, constant step gamma, H local steps, then W or one round of
CHOCO with an operator that keeps each coordinate with probability delta (unscaled rand-k, k/d =
delta), each worker by itself. With s = (x, \hat x, 1) a round is s <- F s + noise,

    F = \bar F + \sum_i (\beta_i - \delta) u_i v_i^T,    \beta_i Bernoulli(delta), independent,

so that M = E s s^T obeys M <- \bar F (M + N) \bar F^T
+ \delta(1-\delta) \sum_i u_i u_i^T (v_i^T (M + N) v_i). What a round multiplies ||s|| by in mean
square follows from its homogeneous part; without compression it is the spectral radius of
W diag((1 - gamma a_i)^H).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import scipy

from theory.arrays import Floats


def lazy_complete(n: int, gap: float) -> Floats:
    """W = (1 - gap) I + gap J: every gap in (0, 1] on the complete graph of n."""
    return np.asarray((1 - gap) * np.eye(n) + gap * np.full((n, n), 1 / n))


@final
@dataclass(frozen=True, eq=False)
class Recursion:
    """One coordinate: curvatures ``a``, slopes ``c`` ``[n]``, ``variance`` of a gradient's noise.

    ``period`` H may be any positive number where there is no noise: (1 - gamma a)^H needs no more.
    ``delta`` = 1 sends everything; with ``consensus_step`` = 1 this is plain gossip.

    Attributes:
        w: the mixing matrix ``[n, n]``.
    """

    w: Floats
    a: Floats
    c: Floats
    gamma: float
    period: float
    delta: float = 1.0
    consensus_step: float = 1.0
    variance: float = 0.0

    @property
    def n(self) -> int:
        """Number of workers, one curvature each."""
        return len(self.a)

    @cached_property
    def kept(self) -> Floats:
        """(1 - gamma a_i)^H ``[n]``."""
        return np.asarray((1 - self.gamma * self.a) ** self.period)

    @cached_property
    def _pull(self) -> Floats:
        """Increment of H steps: (1 - kept) c / a, gamma H c where a = 0."""
        flat = self.a == 0
        safe = np.where(flat, 1.0, self.a)
        moved = np.where(flat, self.gamma * self.period, (1 - self.kept) / safe)
        return np.asarray(moved * self.c)

    @cached_property
    def _noise(self) -> Floats:
        """Variance that H steps add at each worker: gamma^2 v sum_h (1 - gamma a)^(2h)."""
        powers = (1 - self.gamma * self.a) ** (2 * np.arange(self.period)[:, None])
        return np.asarray(self.gamma**2 * self.variance * powers.sum(0))

    @cached_property
    def _local(self) -> Floats:
        """H local steps on s ``[2n + 1]``."""
        n = self.n
        local = np.eye(2 * n + 1)
        local[:n, :n] = np.diag(self.kept)
        local[:n, -1] = self._pull
        return local

    @cached_property
    def _mixed(self) -> Floats:
        """x += gamma_c (W - I) xhat."""
        n = self.n
        mixed = np.eye(2 * n + 1)
        mixed[:n, n : 2 * n] = self.consensus_step * (self.w - np.eye(n))
        return mixed

    @cached_property
    def _exchange(self) -> Floats:
        """The expected message, then the mixing."""
        n = self.n
        sent = np.eye(2 * n + 1)
        sent[n : 2 * n, :n] = self.delta * np.eye(n)
        sent[n : 2 * n, n : 2 * n] = (1 - self.delta) * np.eye(n)
        return np.asarray(self._mixed @ sent)

    def after(self, m: Floats) -> Floats:
        """E s s^T after a round that starts from ``m`` ``[2n + 1, 2n + 1]``."""
        n, local = self.n, self._local
        stepped = local @ m @ local.T
        stepped[:n, :n] += np.diag(self._noise) if self.variance else 0.0
        exchange = self._exchange
        square = np.diag(stepped)
        gap = square[:n] + square[n : 2 * n] - 2 * np.diag(stepped[:n, n : 2 * n])
        u = self._mixed[:, n : 2 * n]
        return np.asarray(
            exchange @ stepped @ exchange.T + self.delta * (1 - self.delta) * (u * gap) @ u.T
        )

    def growth(self) -> float:
        """log of what a round multiplies the root mean square by, without noise and slopes."""
        if self.delta == 1 and self.consensus_step == 1:
            radius = np.abs(np.linalg.eigvals(self.w * self.kept[None, :])).max()
            return math.log(float(radius))
        n2 = 2 * self.n
        local, mixed = self._local[:n2, :n2], self._mixed[:n2, :n2]
        mean = self._exchange[:n2, :n2] @ local
        u, v = mixed[:, self.n :], local[: self.n] - np.eye(n2)[self.n :]
        squares = np.einsum("ai,bi,ic,id->abcd", u, u, v, v).reshape(n2**2, n2**2)
        moments = np.kron(mean, mean) + self.delta * (1 - self.delta) * squares
        return 0.5 * math.log(float(np.abs(np.linalg.eigvals(moments)).max()))

    def start(self, x0: float = 0.0) -> Floats:
        """E s s^T where all models are x0 and all copies 0."""
        s = np.concatenate((np.full(self.n, x0), np.zeros(self.n), [1.0]))
        return np.outer(s, s)

    def simulated(self, rounds: int) -> Floats:
        """E s s^T so many rounds after :meth:`start`."""
        m = self.start()
        for _ in range(rounds):
            m = self.after(m)
        return m

    def settled(self) -> tuple[Floats, Floats]:
        """Mean ``[n]`` and covariance ``[n, n]`` of the models in the long run, plain gossip.

        Raises:
            ArithmeticError: there is no long run; the models diverge.
        """
        if self.growth() >= 0:
            raise ArithmeticError(f"no long run: growth {self.growth():.3g} per round")
        step = self.w * self.kept[None, :]
        mean = np.linalg.solve(np.eye(self.n) - step, self.w @ self._pull)
        added = self.w @ np.diag(self._noise) @ self.w.T
        return np.asarray(mean), np.asarray(scipy.linalg.solve_discrete_lyapunov(step, added))

    def rest(self) -> Floats:
        """E s s^T in the long run, whatever is compressed: a fixed point of :meth:`after`.

        Raises:
            ArithmeticError: there is no long run; the models diverge.
        """
        if self.growth() >= 0:
            raise ArithmeticError(f"no long run: growth {self.growth():.3g} per round")
        size = 2 * self.n + 1
        zero = np.zeros((size, size))
        constant = self.after(zero).ravel()
        basis = np.eye(size**2).reshape(-1, size, size)
        step = np.stack([self.after(m).ravel() - constant for m in basis], axis=1)
        system = np.eye(size**2) - step
        system[-1], constant[-1] = 0.0, 1.0  # E 1^2 = 1 in the place of 0 = 0
        system[-1, -1] = 1.0
        return np.asarray(np.linalg.solve(system, constant).reshape(size, size))


def consensus(m: Floats, n: int) -> float:
    """(1/n) sum_i E (x_i - xbar)^2 of a second moment."""
    x = m[:n, :n]
    return float((np.trace(x) - x.sum() / n) / n)


def mean_square(m: Floats, n: int, x_star: float) -> float:
    """E (xbar - x*)^2 of a second moment."""
    return float(m[:n, :n].sum() / n**2 - 2 * x_star * m[:n, -1].mean() + x_star**2)


def boundary(
    growth: Callable[[float], float], low: float = 1e-2, high: float = 1e5, precision: float = 1e-9
) -> float:
    """Largest x at which ``growth`` is still below 0, by bisection of log x.

    Raises:
        ValueError: the ends do not differ in sign.
    """
    if growth(low) >= 0 or growth(high) <= 0:
        raise ValueError(f"growth must change its sign between {low:g} and {high:g}")
    while high / low > 1 + precision:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if growth(middle) > 0 else (middle, high)
    return low
