"""Attacker: how instances of a claim are made of numbers, and measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance
from proofs_check.refute.measured import BoundTrial
from theory.arrays import Floats


def never() -> bool:
    """Whether the time is over: there is enough of it."""
    return False


class Confirmation(NamedTuple):
    """Result of another computation at the same instance.

    Attributes:
        how: the computation, in words.
        measured: what it found of the metric.
        holds: whether it lies above the bound too.
        script: a Python file that shows it with numpy alone; empty: none.
    """

    how: str
    measured: float
    holds: bool
    script: str = ""


class Attacker(ABC):
    """One way of looking for instances that break a bound.

    Attributes of every member: ``name``, ``what`` it looks at in a line, its ``turn``, who
    finds most comes first, whether it makes problems of its own (``elsewhere``), the class of its
    instances (``kind``), and which number of the cube says the stepsize (``stepsize_at``).
    """

    name: str
    what: str
    turn: int = 9
    elsewhere: bool = True
    kind: type[Instance]
    stepsize_at: int

    @abstractmethod
    def coordinates(self, claim: Claim) -> int:
        """Number of values in [0, 1] that make an instance.

        Raises:
            Unfit: the claim is outside what the attacker can measure; says why.
        """

    def edges(self, size: int) -> Floats:
        """Points ``[K, size]`` of the cube that are looked at first; here none."""
        return np.zeros((0, size))

    @abstractmethod
    def instance(self, claim: Claim, u: Floats) -> Instance:
        """The instance at a point of the unit cube.

        Raises:
            Unfit: there is none that the claim allows.
        """

    @abstractmethod
    def measure(self, claim: Claim, instance: Instance) -> BoundTrial:
        """Value of the metric at an instance, and the bound.

        Raises:
            Unfit: the claim does not allow it.
        """

    @abstractmethod
    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        """The same by other means.

        Raises:
            Unfit: there are none.
        """

    def certificates(self, claim: Claim, over: Callable[[], bool] = never) -> tuple[str, ...]:
        """What is proved of the claim until the time is ``over``, in words; most attackers prove
        nothing."""
        return ()
