"""Modelled time of blocks of steps: a stopwatch is charged step by step, ahead of the block.

Ahead, since a worker may be lost in a step: the block ends before that one, which the method then
takes itself and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from algorithms.network.clock import Clock
from algorithms.synchronisation.worker_states import WorkerLost

Charge = Callable[[Clock, int], None]
"""Charges a clock for step t with what the method's own ``step`` charges it for, in its order."""


def clocked(watch: Clock, charge: Charge, t: int, until: int) -> tuple[Clock, int]:
    """The clock after the steps t, ..., ``until`` - 1, or after those before one in which a worker
    is lost, and the step that it has reached; ``watch`` is left as it is."""
    ahead = copy(watch)  # clocks replace their tensors, they do not write to them
    for s in range(t, until):
        try:
            charge(ahead, s)
        except WorkerLost:
            return clocked(watch, charge, t, s)
    return ahead, until
