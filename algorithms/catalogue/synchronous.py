"""Rows of the families synchronous, asynchronous and local updates."""

from __future__ import annotations

from algorithms.catalogue.row import OBJECTIVES, Parts
from algorithms.compressors.identity import Identity
from algorithms.methods.bsp import BSP
from algorithms.methods.local_sgd import LocalSGD
from algorithms.methods.parameter_server import ParameterServer
from algorithms.synchronisation.compute_times import Exponential
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex

_BSP = (bsp_strongly_convex_decreasing, bsp_strongly_convex, bsp_nonconvex)
_PERIOD = 8

READY: dict[str, Parts] = {
    "bsp-sgd": Parts(lambda step, _p, _t: BSP(step), _BSP, Identity(), OBJECTIVES),
    "asp": Parts(
        lambda step, _p, steps: ParameterServer(step, steps, Exponential()), (asysg_con,),
        Identity(), OBJECTIVES, caution=64.0,
    ),
    "local-sgd": Parts(
        lambda step, _p, _t: LocalSGD(step, _PERIOD), (local_sgd, local_sgd_nonconvex), Identity(),
        OBJECTIVES, caution=16.0,
    ),
}  # fmt: skip
