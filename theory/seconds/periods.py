r"""The averaging period that is best in wall-clock time: Wang, Joshi 2018 (arXiv:1810.08313)."""

from __future__ import annotations

import math

from theory.constants import Constants


def error_in_time(
    c: Constants, gamma: float, period: float, seconds: float, compute: float, delay: float
) -> float:
    r"""The bound of local SGD after S seconds, K = S/(Y + D/H) steps [(f / x)^2].

    .. math:: \frac{2\Delta}{\gamma S}\left(Y + \frac DH\right) + \frac{\gamma L\sigma^2}n
       + \gamma^2L^2\sigma^2(H-1)

    ``compute`` (Y) and ``delay`` (D) are the seconds of a local step and of an averaging. It is
    :mod:`theory.theorems.local_sgd_nonconvex` after K steps.

    Raises:
        ValueError: period < 1, or a number that is not positive (delay: negative).
        MissingConstants: initial_gap, L, sigma2 or n is not stated.
    """
    _check(gamma, seconds, delay)
    if not (period >= 1 and compute > 0):
        raise ValueError(
            f"period must be at least 1 and compute positive, got period={period}, "
            f"compute={compute}"
        )
    L, sigma2 = c.need("L"), c.need("sigma2")
    start = 2 * c.need("initial_gap") / (gamma * seconds) * (compute + delay / period)
    noise = gamma * L * sigma2 / c.need("n")
    return start + noise + (gamma * L) ** 2 * sigma2 * (period - 1)


def best_period(c: Constants, gamma: float, seconds: float, delay: float) -> float:
    r"""H^* = \sqrt{2\Delta D/(\gamma^3L^2\sigma^2 S)}: where that bound is least, at least 1.

    Raises:
        ValueError: gamma or seconds is not positive, or delay negative.
        MissingConstants: initial_gap, L or sigma2 is not stated, or not positive.
    """
    _check(gamma, seconds, delay)
    cost = gamma**3 * c.positive("L") ** 2 * c.positive("sigma2") * seconds
    return max(1.0, math.sqrt(2 * c.need("initial_gap") * delay / cost))


def adapted_period(first: int, loss: float, first_loss: float) -> int:
    r"""\lceil \sqrt{F(x)/F(x_0)}\, H_0 \rceil, the period of AdaComm's next interval.

    Raises:
        ValueError: first < 1, a negative loss, or a first loss that is not positive.
    """
    if first < 1 or loss < 0 or not first_loss > 0:
        raise ValueError(
            "first must be at least 1, loss at least 0 and first_loss positive, got "
            f"first={first}, loss={loss}, first_loss={first_loss}"
        )
    return max(1, math.ceil(math.sqrt(loss / first_loss) * first))


def _check(gamma: float, seconds: float, delay: float) -> None:
    if not (gamma > 0 and seconds > 0 and delay >= 0):
        raise ValueError(
            "gamma and seconds must be positive and delay at least 0, got "
            f"gamma={gamma}, seconds={seconds}, delay={delay}"
        )
