"""Which loop does what which row does."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.programs.loops import events, gossip, server
from benchmarks.programs.loops.objectives import Array, Numbers, Objective

Loop = Callable[[Objective, int, Numbers], Array]
"""From objective, number of steps (events of a loop without a clock) and random numbers to the
model ``[d]`` at the end."""

LOOPS: dict[str, Loop] = {
    "bsp-sgd": server.bsp,
    "sqrt-scaling": server.large_batch,
    "qsgd": server.qsgd,
    "top-k": server.top_k_feedback,
    "momentum-correction": server.momentum_correction,
    "signsgd-majority": server.sign_majority,
    "diana": server.diana,
    "powersgd": server.powersgd,
    "local-sgd": server.local_sgd,
    "easgd": server.easgd,
    "lag": server.lag,
    "d-psgd": gossip.d_psgd,
    "choco-sgd": gossip.choco,
    "sgp": gossip.sgp,
    "d-admm": gossip.d_admm,
    "asp": events.asp,
    "ad-psgd": events.ad_psgd,
}
"""Loops by the row that they do by hand: of every family of the catalogue."""


def seconds(loop: Loop, objective: Objective, steps: int) -> float:
    """Time [s] of so many steps of a loop."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    loop(objective, steps, rng)
    return time.perf_counter() - start
