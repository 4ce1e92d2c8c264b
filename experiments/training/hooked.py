"""Rows as communication hooks of DistributedDataParallel, and torch's own hooks beside them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn.parallel import DistributedDataParallel

from algorithms.catalogue import METHODS, Row, row
from algorithms.ddp.hook import DDPHook
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.phases import PhaseClock
from algorithms.network.post_local import post_local
from algorithms.network.ranks import default_hooks, powerSGD_hook
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import PostLocal
from proofs_check.methods.ddp_equivalence import hookable
from theory.stepsizes import ConstantStep

Optimizer = torch.optim.Optimizer


def _halves(
    model: DistributedDataParallel, optimizer: Optimizer, task: Problem, steps: int
) -> Optimizer:
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    return optimizer


def _low_rank(
    model: DistributedDataParallel, optimizer: Optimizer, task: Problem, steps: int
) -> Optimizer:
    state = powerSGD_hook.PowerSGDState(
        None, matrix_approximation_rank=1, start_powerSGD_iter=2, min_compression_rate=1
    )
    model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    return optimizer


def _post_local(
    model: DistributedDataParallel, optimizer: Optimizer, task: Problem, steps: int
) -> Optimizer:
    rule = post_local_of(1.0, task, steps).periods
    assert isinstance(rule, PostLocal)
    return post_local(model, optimizer, rule.switch, rule.period)


def post_local_of(rate: float, task: Problem, steps: int) -> LocalSGD:
    """The row ``post-local-sgd``, whose periods ``torch:post-local-sgd`` takes."""
    built = row("post-local-sgd").recipe
    assert built is not None
    method = built.build(ConstantStep(rate), task, steps)
    assert isinstance(method, LocalSGD)
    return method


OF_TORCH: dict[
    str, Callable[[DistributedDataParallel, Optimizer, Problem, int], Optimizer]
] = {
    "torch:fp16": _halves, "torch:powersgd": _low_rank, "torch:post-local-sgd": _post_local,
}  # fmt: skip
"""Hooks that come with torch, by the name that ``train`` gives them; from model, optimizer, task
and steps the optimizer to step with. What they send is not told."""


def hook_rows(problem: Problem, rate: float, steps: int) -> tuple[str, ...]:
    """Keys of all rows that a hook can play on a problem, plain averaging first, and torch's."""
    found = []
    for one in METHODS:
        try:
            method_of(one.key, problem, rate, steps)
        except ValueError:
            continue
        found.append(one.key)
    return ("bsp-sgd", *(key for key in found if key != "bsp-sgd"), *OF_TORCH)


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
