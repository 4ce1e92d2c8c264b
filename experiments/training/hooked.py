"""Rows as communication hooks of DistributedDataParallel, and torch's own hooks beside them."""

from __future__ import annotations

from collections.abc import Callable

from torch.nn.parallel import DistributedDataParallel

from algorithms.catalogue import METHODS, Row, row
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.ddp_hook import DDPHook
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import default_hooks, powerSGD_hook
from algorithms.problems.base import Problem
from proofs_check.methods.ddp_equivalence import hookable
from theory.stepsizes import ConstantStep


def _halves(model: DistributedDataParallel) -> None:
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)


def _low_rank(model: DistributedDataParallel) -> None:
    state = powerSGD_hook.PowerSGDState(
        None, matrix_approximation_rank=1, start_powerSGD_iter=2, min_compression_rate=1
    )
    model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)


OF_TORCH: dict[str, Callable[[DistributedDataParallel], None]] = {
    "torch:fp16": _halves, "torch:powersgd": _low_rank,
}  # fmt: skip
"""Hooks that come with torch, by the name that ``train`` gives them; what they send is not told."""


def method_of(key: str, problem: Problem, rate: float, steps: int) -> BSP:
    """The method of a row with parameters for a problem's shapes, if a hook can play it.

    Raises:
        ValueError: there is no such row, it is no method, or no hook can play it; says why.
    """
    built = _required(row(key)).recipe
    assert built is not None
    method = built.build(ConstantStep(rate), problem, steps)
    if isinstance(method, BSP) and hookable(method):
        return method
    raise ValueError(
        f"row {key!r} is no hook: {_why(method)}; a row whose workers send one message a step, "
        "which is averaged, would do (bsp-sgd, qsgd, top-k, dgc ...)"
    )


def _required(one: Row) -> Row:
    if one not in METHODS and ":" not in one.key:
        raise ValueError(f"row {one.key!r} is a {one.kind}, no method; bsp-sgd would do")
    return one


def _why(method: object) -> str:
    if not isinstance(method, BSP):
        return (
            f"{type(method).__name__} does more than average what workers send, and a hook does "
            "that alone"
        )
    if method.two_way:
        return f"its server sends {method.downlink.name} back, and all-reduce has no server"
    return "its step is not plain SGD's, and steps are the optimizer's business"


def hook_of(method: BSP, seed: int, rate: Callable[[], float], phases: PhaseClock) -> DDPHook:
    """The hook that plays a method."""
    return DDPHook(
        method.compressor, method.memory, seed=seed, learning_rate=rate,
        transform=method.transform, phases=phases,
    )  # fmt: skip
