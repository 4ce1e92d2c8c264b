"""Does a user's training with our hook, or by a method's own step, go as the simulation does?

A method that averages what workers send is played as a hook of DistributedDataParallel, any other
as the optimizer of a module (:class:`MethodOptimizer`). Each rank is one worker. The model holds
the problem's parameters as tensors of its shapes; the loss is the problem's own on that worker's
next minibatch, back-propagated by torch. Iterates are compared to 1e-9 relative (torch's optimizer
rounds its step differently); bits exactly.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard, final

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.at_most_row import AtMostRow
from algorithms.core.key import Draws, Key
from algorithms.ddp.hook import DDPHook
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.launch import launch
from algorithms.network.ranks import place, wait_for_all
from algorithms.optimizers.base import SGD
from algorithms.optimizers.proximal import NoProximal
from algorithms.problems.base import Problem
from algorithms.problems.mlp import MLP
from algorithms.runner.method_optimizer import MethodOptimizer
from proofs_check.methods.equivalence import LOOSE
from proofs_check.verdict import CheckKind, Outcome, Verdict


@final
@dataclass(frozen=True)
class HookCase:
    """One training of ``method``, by a hook if its server does nothing but average.

    ``build(n)`` is importable and makes the problem; ``resume`` saves and loads the hook's state
    half-way, in a model made anew.

    Attributes:
        row: key of the row.
        steps: steps of the training.
        seed: seed of the draws.
    """

    row: str
    method: Method[Any]
    build: Callable[[int], Problem]
    steps: int = 20
    seed: int = 3
    resume: bool = False


class Trained(NamedTuple):
    """The model ``[d]``, bits sent, and bytes that came from the other ranks.

    Attributes:
        model: of a simulation where workers hold models of their own ``[ranks, d]``.
        sent_bits: bits sent by this worker.
        crossed: bytes that came from the other ranks.
        messages: messages sent by this worker, where they are counted.
    """

    model: Tensor
    sent_bits: int
    crossed: int
    messages: int = 0


def hookable(method: Method[Any]) -> TypeGuard[BSP]:
    """Whether a hook can play the method: one way, a plain mean, a plain step."""
    return (
        isinstance(method, BSP)
        and not method.two_way
        and isinstance(method.optimizer, SGD)
        and isinstance(method.proximal, NoProximal)
    )


@final
class _Model(nn.Module):
    """The problem's parameters; forward gives the worker's loss."""

    def __init__(self, problem: Problem, start: Tensor) -> None:
        super().__init__()
        pieces = torch.split(start, [math.prod(shape) for shape in problem.shapes])
        shaped = zip(pieces, problem.shapes, strict=True)
        self.tensors = nn.ParameterList([piece.reshape(shape).clone() for piece, shape in shaped])
        self.problem = problem

    def row(self) -> Tensor:
        """All parameters in one row ``[d]``."""
        return torch.cat([p.reshape(-1) for p in self.tensors])

    def forward(self, draws: Draws) -> Tensor:
        x = self.row()
        if isinstance(self.problem, MLP):
            return self.problem.minibatch_loss(x, draws)
        g = self.problem.gradient(x.detach()[None, None], draws)[0, 0]
        return (x * g).sum()


def train(case: HookCase) -> Trained:
    """The method on this rank: plain SGD on gradients averaged by the hook, or its own step."""
    if not hookable(case.method):
        return _train_by_step(case)
    method = _played(case)
    rank, ranks = place()
    problem = case.build(ranks)
    hook, model, optimizer = _setup(case, problem, problem.start(), None)
    sent = crossed = 0
    for t in range(case.steps):
        if case.resume and t == case.steps // 2:
            sent, crossed = sent + _bits(hook), crossed + _bytes(hook)
            saved, row = hook.state_dict(), model.module.row().detach()
            hook, model, optimizer = _setup(case, problem, row, saved)
        key = Key.seed(case.seed).fold("gradient", t)
        draws = key.draws(torch.zeros(1, dtype=torch.int64), torch.tensor([rank]))
        optimizer.param_groups[0]["lr"] = method.step_rule(t)
        optimizer.zero_grad()
        model(draws).backward()
        optimizer.step()
    return Trained(model.module.row().detach(), sent + _bits(hook), crossed + _bytes(hook))


def _played(case: HookCase) -> BSP:
    """The method of a case that a hook plays."""
    assert hookable(case.method)
    return case.method


def _train_by_step(case: HookCase) -> Trained:
    """A module trained by the method's own step."""
    rank, ranks = place()
    problem = case.build(ranks)
    model = _Model(problem, problem.start())
    optimizer = MethodOptimizer(model, case.method, seed=case.seed)
    sent = crossed = messages = 0
    for t in range(case.steps):
        if case.resume and t == case.steps // 2:
            saved = optimizer.state_dict()
            sent, messages = _sent(optimizer)
            crossed = _arrived(optimizer)
            model = _Model(problem, problem.start())
            optimizer = MethodOptimizer(model, case.method, seed=case.seed)
            optimizer.load_state_dict(saved)
        key = Key.seed(case.seed).fold("gradient", t)
        draws = key.draws(torch.zeros(1, dtype=torch.int64), torch.tensor([rank]))
        optimizer.step(partial(_backward, model, draws))
    more, others = _sent(optimizer)
    crossed += _arrived(optimizer)
    return Trained(model.row().detach(), sent + more, crossed, messages + others)


def _backward(model: nn.Module, draws: Draws) -> Tensor:
    loss: Tensor = model(draws)
    loss.backward()  # type: ignore[no-untyped-call]
    return loss


def _sent(optimizer: MethodOptimizer) -> tuple[int, int]:
    """Bits and messages that this rank was charged for."""
    account = optimizer.network.account((1,))
    return int(account.sent_bits.sum()), int(account.sent_messages.sum())


def _arrived(optimizer: MethodOptimizer) -> int:
    return int(optimizer.network.crossed_bytes.sum())


def _bits(hook: DDPHook) -> int:
    assert hook.network is not None
    return int(hook.network.account((1,)).sent_bits.sum())


def _bytes(hook: DDPHook) -> int:
    assert hook.network is not None
    return int(hook.network.crossed_bytes.sum())


def _setup(
    case: HookCase, problem: Problem, start: Tensor, saved: dict[str, Any] | None
) -> tuple[DDPHook, DistributedDataParallel, torch.optim.SGD]:
    model, method = DistributedDataParallel(_Model(problem, start)), _played(case)
    optimizer = torch.optim.SGD(model.parameters(), lr=method.step_rule(0))
    hook = DDPHook(
        method.compressor,
        method.memory,
        seed=case.seed,
        learning_rate=lambda: optimizer.param_groups[0]["lr"],
        transform=method.transform,
    )
    if saved is not None:
        hook.load_state_dict(saved)
    hook.register(model)
    return hook, model, optimizer


def train_all(cases: tuple[HookCase, ...]) -> list[Trained]:
    """All cases on this rank; no model outlives its process group."""
    trained = [train(case) for case in cases]
    gc.collect()
    wait_for_all()
    return trained


def simulate(case: HookCase, ranks: int) -> Trained:
    """The same training as a simulation with n = ranks workers.

    As the hook does, it sends the row itself where a message would be longer.
    """
    problem = case.build(ranks)
    if not hookable(case.method):
        trace = run(case.method, problem, steps=case.steps, seed=case.seed, points=2)
        sent, messages = (
            int(kind[0, 0]) for kind in (trace.account.sent_bits, trace.account.sent_messages)
        )
        return Trained(trace.rows[0], sent, 0, messages)
    method = _played(case)
    method = replace(method, compressor=AtMostRow(method.compressor.for_shapes(problem.shapes)))
    trace = run(method, problem, steps=case.steps, seed=case.seed, points=2)
    return Trained(trace.rows[0, 0], int(trace.account.sent_bits[0, 0]), 0)


def check_hooks(cases: tuple[HookCase, ...], ranks: int) -> tuple[Verdict, ...]:
    """Every case on ``ranks`` gloo ranks against the simulation; one launch for all."""
    parts = launch(train_all, cases, ranks=ranks)
    verdicts = []
    for k, case in enumerate(cases):
        mine = simulate(case, ranks)
        verdicts.append(judge(case, mine, [part[k] for part in parts], ranks))
    return tuple(verdicts)


def judge(case: HookCase, simulated: Trained, trained: list[Trained], ranks: int) -> Verdict:
    """Comparison of the ``trained`` ranks with the simulation."""
    scale = float(simulated.model.abs().max().clamp_min(1e-300))
    rows = simulated.model.expand(ranks, -1)  # one for all, or each worker's own
    pairs = zip(trained, rows, strict=True)
    gap = max(float((one.model - row).abs().max()) / scale for one, row in pairs)
    bits = trained[0].sent_bits
    due = (ranks - 1) * bits / 8  # what rank 0 hears, if every worker sends as much
    crossed = trained[0].crossed
    whole = (simulated.messages or case.steps) * (ranks - 1)
    varying = len({one.sent_bits for one in trained}) > 1
    compressed = varying or due <= crossed <= due + whole
    same = gap <= LOOSE and bits == simulated.sent_bits and compressed
    hooked, words = hookable(case.method), case.method.name
    if hooked:
        words = f"{_played(case).compressor.name}, {_played(case).memory.name}"
    how = "DistributedDataParallel with our hook" if hooked else "a module by the method's own step"
    resumed = ", resumed half-way" if case.resume else ""
    return Verdict(
        subject=case.row,
        problem=case.build(ranks).name,
        check=f"{'DDP hook' if hooked else 'own step'}, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim=f"{how} trains as the simulation does, {words}{resumed}",
        outcome=Outcome.AGREES if same else Outcome.REFUTED,
        statistic=gap,
        bound=LOOSE,
        evidence=f"largest relative difference {gap:.3g} after {case.steps} steps; {bits} bits "
        f"charged to rank 0, {simulated.sent_bits} in the simulation; {crossed} bytes reached "
        f"rank 0 from the others",
        provenance=f"seed {case.seed}, gloo, float64",
    )
