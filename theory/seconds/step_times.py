r"""Mean seconds of a server update under each barrier: order statistics and renewals.

A gradient takes shift + rest E seconds, E exponential with mean 1, independent over workers and
gradients (Lee et al. 2018, arXiv:1512.02673, Section III): rest = 0 is constant times, shift = 0
exponential ones. Communication takes no time. With :math:`H_n = 1 + 1/2 + \dots + 1/n`, the k-th
of n arrives after shift + rest (H_n - H_{n-k}) seconds in the mean (Renyi 1953).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

MOST_IN_TURN = 11  # workers of a round robin: its chain has 2^(n-1) states


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n, H_0 = 0.

    Raises:
        ValueError: n < 0.
    """
    if n < 0:
        raise ValueError(f"n must be at least 0, got n={n}")
    return math.fsum(1 / k for k in range(1, n + 1))


@final
@dataclass(frozen=True)
class StepTimes:
    """Mean seconds of an update by n workers whose gradients take shift + rest E seconds.

    Raises:
        ValueError: a negative time, or no time at all.
    """

    shift: float = 0.0
    rest: float = 1.0

    def __post_init__(self) -> None:
        if not (self.shift >= 0 and self.rest >= 0 and self.shift + self.rest > 0):
            raise ValueError(
                "shift and rest must be at least 0 and not both 0, got "
                f"shift={self.shift}, rest={self.rest}"
            )

    @property
    def mean(self) -> float:
        """Seconds of one gradient."""
        return self.shift + self.rest

    def bulk(self, n: int) -> float:
        """BSP: all n (``backup`` with none to spare)."""
        return self.backup(n, 0)

    def backup(self, n: int, b: int) -> float:
        """The first n - b of n, the others start afresh (Chen et al. 2016, arXiv:1604.00981).

        Raises:
            ValueError: b outside [0, n).
        """
        if not 0 <= b < n:
            raise ValueError(f"b must lie in [0, {n}), got b={b}")
        return self.shift + self.rest * (harmonic(n) - harmonic(b))

    def partial(self, n: int, least: int) -> float:
        """An update at every ``least`` arrivals of n, the others go on, without a bound on delay.

        Raises:
            ValueError: least outside [1, n], or times with a shift and a rest both.
        """
        if not 1 <= least <= n:
            raise ValueError(f"least must lie in [1, {n}], got least={least}")
        self._one_kind("a partial barrier")
        return self.shift * least / n if self.rest == 0 else self.backup(n, n - least)

    def asynchronous(self, n: int) -> float:
        """One arrival an update: in the long run mean / n, for exponential times at every one."""
        _some(n)
        return self.mean / n

    def deadline(self, n: int, seconds: float) -> float:
        r"""All who arrive in time, or else the first: E min(max, D) + E (min - D)^+.

        With :math:`D' = D - shift > 0` and :math:`p = 1 - e^{-D'/rest}`: shift + rest
        :math:`\left(\sum_{k=1}^n p^k/k + (1-p)^n/n\right)`; without, the mean of the first.

        Raises:
            ValueError: n < 1 or seconds not positive.
        """
        _some(n)
        left = self._left(seconds)
        if left <= 0:
            return self.shift + self.rest / n
        late = self._late(left)
        within = math.fsum((1 - late) ** k / k for k in range(1, n + 1))
        return self.shift + self.rest * (within + late**n / n)

    def in_time(self, n: int, seconds: float) -> float:
        """Gradients that count in such an update, in the mean: at least one.

        Raises:
            ValueError: n < 1 or seconds not positive.
        """
        _some(n)
        left = self._left(seconds)
        if left < 0 or (left == 0 and self.rest > 0):
            return 1.0
        late = self._late(left)
        return n * (1 - late) + late**n

    def in_turn(self, n: int) -> float:
        """Round robin, one gradient an update (Chen, Wang, Li 2019, INFOCOM).

        Constant times: shift / n. Exponential ones: rest over the mean number of workers that
        compute, by the stationary law of who behind the next in turn is done.

        Raises:
            ValueError: n < 1, times with a shift and a rest both, or, unless they are constant, n
                above 11.
        """
        _some(n)
        self._one_kind("a round robin")
        if self.rest == 0:
            return self.shift / n
        if n > MOST_IN_TURN:
            raise ValueError(f"n must be at most {MOST_IN_TURN} (2^(n-1) states), got n={n}")
        return self.rest / _busy(n)

    def _left(self, seconds: float) -> float:
        if not seconds > 0:
            raise ValueError(f"seconds must be positive, got seconds={seconds}")
        return seconds - self.shift

    def _late(self, left: float) -> float:
        return math.exp(-left / self.rest) if self.rest else 0.0

    def _one_kind(self, what: str) -> None:
        if self.shift and self.rest:
            raise ValueError(
                f"{what} has a closed form for shift=0 or rest=0 only, got shift={self.shift}, "
                f"rest={self.rest}"
            )


def _some(n: int) -> None:
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")


def _busy(n: int) -> float:
    """Mean number of computing workers of a round robin with exponential times.

    States: which of the n - 1 workers behind the next in turn are done. Each of the others is done
    after an exponential time; when the next in turn is, it and the done ones right behind it hand
    in at once and begin anew at the back.
    """
    states = list(product((False, True), repeat=n - 1))
    place = {state: i for i, state in enumerate(states)}
    flow = np.zeros((len(states), len(states)))
    for i, state in enumerate(states):
        run = next((j for j, done in enumerate(state) if not done), n - 1)
        after = ((*state[run:], *(False,) * (run + 1)))[1:n]
        changed = [(*state[:j], True, *state[j + 1 :]) for j in range(n - 1) if not state[j]]
        for other in (after, *changed):
            flow[i, i] -= 1
            flow[i, place[other]] += 1
    balance = np.vstack([flow.T[:-1], np.ones(len(states))])
    share = np.linalg.solve(balance, np.eye(len(states))[-1])
    return float(share @ [n - sum(state) for state in states])
