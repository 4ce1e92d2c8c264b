"""Sound compressors as a stranger would write them, and what theory says of each.

All refuse what is not finite, and reckon in double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from proofs_check.audit.claims import Stated

Rule = Callable[[np.ndarray], Any]


def careful(rule: Rule) -> Rule:
    """The rule in double precision; zero comes back as it is, and what is not finite is refused."""

    @wraps(rule)
    def guarded(x: np.ndarray) -> np.ndarray:
        if not np.isfinite(x).all():
            raise ValueError("x must be finite")
        if not x.any():
            return np.zeros_like(x)
        return np.asarray(rule(x.astype(np.float64)), dtype=x.dtype)

    return guarded


def share(d: int) -> int:
    """A tenth of the coordinates, at least one."""
    return max(1, d // 10)


def rows_of(d: int) -> int:
    """Rows of the most nearly square matrix of d entries."""
    return next(n for n in range(int(d**0.5), 0, -1) if d % n == 0)


def largest(x: np.ndarray, k: int) -> np.ndarray:
    y = np.zeros_like(x)
    kept = np.argsort(-np.abs(x), kind="stable")[:k]
    y[kept] = x[kept]
    return y


def drawn(x: np.ndarray, k: int) -> np.ndarray:
    y = np.zeros_like(x)
    kept = np.random.permutation(len(x))[:k]
    y[kept] = x[kept]
    return y


@careful
def top_k(x: np.ndarray) -> np.ndarray:
    return largest(x, share(len(x)))


@careful
def rand_k(x: np.ndarray) -> np.ndarray:
    return drawn(x, share(len(x))) * (len(x) / share(len(x)))


@careful
def rand_k_of_a_hundredth(x: np.ndarray) -> np.ndarray:
    return drawn(x, max(1, len(x) // 100))


class Feedback:
    """What was left out comes back with the next vector."""

    rule: Rule

    def __init__(self) -> None:
        self.residual: Any = None

    def compress(self, x: np.ndarray) -> Any:
        if not np.isfinite(x).all():
            raise ValueError("x must be finite")
        wanted = x + (0 if self.residual is None else self.residual)
        sent = type(self).rule(wanted)
        self.residual = wanted - sent
        return sent


class RandKWithFeedback(Feedback):
    rule = staticmethod(careful(lambda x: drawn(x, share(len(x)))))


class TopKWithFeedback(Feedback):
    rule = staticmethod(top_k)


@careful
def qsgd(x: np.ndarray) -> Any:
    """Four levels: omega <= min(d / 16, sqrt(d) / 4)."""
    norm = np.linalg.norm(x)
    level = np.abs(x) / norm * 4
    low = np.floor(level)
    return norm * np.sign(x) * (low + (np.random.random(len(x)) < level - low)) / 4


@careful
def terngrad(x: np.ndarray) -> Any:
    top = np.abs(x).max()
    return top * np.sign(x) * (np.random.random(len(x)) < np.abs(x) / top)


@careful
def sign_with_norm(x: np.ndarray) -> Any:
    return np.sign(x) * np.abs(x).mean()


@careful
def natural(x: np.ndarray) -> Any:
    """To one of the two powers of two around it."""
    mantissa, exponent = np.frexp(x)
    power = np.ldexp(1.0, exponent - 1)
    up = np.random.random(len(x)) < 2 * np.abs(mantissa) - 1
    return np.where(x == 0, 0, np.sign(x) * power * (1 + up))


@careful
def nearest_power_of_two(x: np.ndarray) -> Any:
    """Farthest off at 3/2 of a power: delta = 8/9."""
    mantissa, exponent = np.frexp(x)
    power = np.ldexp(np.where(np.abs(mantissa) < 0.75, 0.5, 1.0), exponent)
    return np.where(x == 0, 0, np.sign(x) * power)


@careful
def rank_one(x: np.ndarray) -> Any:
    """One step of power iteration on the most nearly square matrix, always from one start."""
    matrix = x.reshape(rows_of(len(x)), -1)
    start = np.random.default_rng(0).standard_normal(matrix.shape[1])
    left = (matrix / np.abs(matrix).max()) @ start
    if not left.any():
        return np.zeros_like(x)
    left /= np.linalg.norm(left)
    return np.outer(left, left @ matrix).reshape(-1)


@careful
def identity(x: np.ndarray) -> np.ndarray:
    return x.copy()


@careful
def half_precision(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float16).astype(np.float64)


@careful
def top_of_blocks(x: np.ndarray) -> np.ndarray:
    """The larger quarter, rounded up, of each block of eight."""
    blocks = [x[start : start + 8] for start in range(0, len(x), 8)]
    return np.concatenate([largest(block, -(-len(block) // 4)) for block in blocks])


@careful
def stochastic_rounding(x: np.ndarray) -> Any:
    step = np.abs(x).max() / 127
    return np.floor(x / step + np.random.random(len(x))) * step


@careful
def count_sketch(x: np.ndarray) -> Any:
    """One row of d / 2 buckets with fresh hashes: omega = (d - 1) / buckets."""
    buckets = -(-len(x) // 2)
    bucket = np.random.randint(0, buckets, len(x))
    sign = np.random.choice((-1.0, 1.0), len(x))
    return sign * np.bincount(bucket, sign * x, buckets)[bucket]


@careful
def hard_threshold(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) >= 0.5, x, 0)


CASES: tuple[tuple[Any, Stated, set[str]], ...] = (
    (top_k, Stated(delta="max(0.05, 1 / d)"), set()),
    (rand_k, Stated(unbiased=True, omega="max(9, d - 1)"), set()),
    (rand_k_of_a_hundredth, Stated(delta="max(0.01, 1 / d)"), set()),
    (RandKWithFeedback, Stated(), {"state"}),
    (TopKWithFeedback, Stated(), {"state"}),
    (qsgd, Stated(unbiased=True, omega="min(d / 16, sqrt(d) / 4)"), set()),
    (terngrad, Stated(unbiased=True, omega="sqrt(d)"), set()),
    (sign_with_norm, Stated(delta="1 / d"), set()),
    (natural, Stated(unbiased=True, omega="1/8"), set()),
    (nearest_power_of_two, Stated(delta="8 / 9"), set()),
    (rank_one, Stated(), set()),
    (identity, Stated(unbiased=True, omega="0", delta="1"), set()),
    (half_precision, Stated(), {"huge", "tiny"}),
    (top_of_blocks, Stated(delta="1 / 4"), set()),
    (stochastic_rounding, Stated(unbiased=True, omega="d / (4 * 127**2)"), set()),
    (count_sketch, Stated(unbiased=True, omega="2 * (d - 1) / d"), set()),
    (hard_threshold, Stated(), set()),
)
"""A compressor, what may be stated of it, and what is truly found: memory, overflow, underflow."""
