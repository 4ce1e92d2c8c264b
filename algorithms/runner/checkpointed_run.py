"""A run that goes on where it ended: state on disk, on any number of ranks, to the same bits.

All that a run carries from step to step is its state: models, memories, shifts, queues. Random
numbers are functions of seed and step, schedules of their seed. A leaf's axis of workers is found
by asking the method for the state of one worker and of two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method, RunContext
from algorithms.network.alone import alone
from algorithms.network.base import Network
from algorithms.network.checkpoint_files import newest, read_parts, write_checkpoint
from algorithms.network.point_to_point import PointToPointNetwork
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.synchronisation.schedule import Schedule


@final
@dataclass(frozen=True)
class Checkpoints:
    """Folder and interval of a run's checkpoints.

    Attributes:
        folder: of this run alone.
        every: steps between two.

    Raises:
        ValueError: every < 1.
    """

    folder: Path
    every: int

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every must be at least 1 step, got every={self.every}")


@final
class CheckpointedRun(NamedTuple):
    """Result of a checkpointed run.

    Attributes:
        models: rows held here ``[..., m, d]``, or ``[..., 1, d]``.
        seen: what was watched, by step, of the parts before this one too.
        began: step that it went on from.
    """

    models: Tensor
    seen: dict[int, float]
    began: int


def checkpointed_run(
    method: Method[Any],
    problem: Problem,
    *,
    steps: int,
    kept: Checkpoints,
    seed: int = 0,
    replicas: int = 1,
    network: Network | None = None,
    watch: Callable[[Tensor], float] | None = None,
) -> CheckpointedRun:
    """Steps up to ``steps``, from the newest checkpoint on if there is one; all ranks call it.

    ``watch`` of the models is noted at every checkpoint, and kept with it.

    Raises:
        ValueError: the checkpoint is another run's: names what differs; or the state is one whose
            workers cannot be told apart; or another run writes into the folder.
        Unreadable: there are checkpoints, none of them whole.
        NonFiniteGradient: a gradient is not finite.
    """
    network = network or Simulated(problem.n)
    context = RunContext(problem, network, Key.seed(seed), torch.arange(replicas))
    told = {
        "method": repr(method), "problem": problem.name, "n": problem.n, "seed": seed,
        "replicas": replicas,
    }  # fmt: skip
    with one_thread(), alone(kept.folder):
        state, axes = method.init(problem.start(), context), worker_axes(method, context)
        began, seen = 0, dict[int, float]()
        found = newest(kept.folder)
        if found is not None:
            began, words = found
            _same_run(words["run"], told)
            seen = {int(t): float(value) for t, value in words["seen"].items()}
            parts = parts_of(state, axes, context)
            read_parts(kept.folder, began, parts)
            state = with_parts(state, parts, axes, context, words["same"])
        for t in range(began, steps):
            state = method.step(state, t, context)
            if (t + 1) % kept.every == 0 or t + 1 == steps:
                if watch is not None:
                    seen[t + 1] = watch(method.models(state))
                parts = parts_of(state, axes, context)
                told_too = {"run": told, "seen": seen, "same": same_tensors(state)}
                write_checkpoint(kept.folder, t + 1, parts, told_too)
    return CheckpointedRun(method.models(state), seen, began)


def _same_run(there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    for name, value in here.items():
        if there.get(name) != value:
            raise ValueError(
                f"{name} must be the checkpoint's {there.get(name)!r}, got {value!r}; another "
                "folder would do"
            )


def leaves(state: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Tensors and numbers of a state by where they lie; plans are drawn again, and are none."""
    if isinstance(state, Schedule) or state is None:
        return
    if isinstance(state, tuple):
        names = getattr(state, "_fields", range(len(state)))
        for name, part in zip(names, state, strict=True):
            yield from leaves(part, f"{path}/{name}")
    elif is_dataclass(state):
        for one in fields(state):
            yield from leaves(getattr(state, one.name), f"{path}/{one.name}")
    else:
        yield path, state


def worker_axes(method: Method[Any], context: RunContext) -> dict[str, int | None]:
    """Along which axis, from the end, the workers of each tensor of a state lie; None: it is the
    server's, or holds all.

    Raises:
        ValueError: a leaf is neither a tensor nor a whole number, or has two such axes.
    """
    count = min(2, context.network.n)
    shapes = [
        {path: leaf.shape for path, leaf in _init(method, context, k) if isinstance(leaf, Tensor)}
        for k in (1, count)
    ]
    found: dict[str, int | None] = {}
    for path, one in shapes[0].items():
        axes = [a - len(one) for a, size in enumerate(one) if shapes[1][path][a] != size]
        if len(axes) > 1:
            raise ValueError(f"{method.name}: workers of {path} lie along several axes {axes}")
        found[path] = axes[0] if axes else None
    return found


def _init(method: Method[Any], context: RunContext, held: int) -> list[tuple[str, Any]]:
    alone = replace(context, network=PointToPointNetwork(context.network.n, torch.arange(held)))
    told = list(leaves(method.init(context.problem.start(), alone)))
    for path, leaf in told:
        if not isinstance(leaf, Tensor | int):
            raise ValueError(f"{method.name} holds a {type(leaf).__name__} at {path}")
    return told


def parts_of(state: Any, axes: Mapping[str, int | None], context: RunContext) -> dict[str, Tensor]:
    """Copies of each leaf's part of each worker held here, by name; rows of nobody are left out."""
    parts = dict[str, Tensor]()
    for path, leaf in leaves(state):
        axis = axes.get(path)
        if not isinstance(leaf, Tensor):
            parts[path] = torch.tensor(leaf)
        elif axis is None:
            parts[path] = leaf.contiguous().clone()
        else:
            for place, worker in enumerate(context.network.workers.tolist()):
                parts[f"{path}/{worker}"] = leaf.select(axis, place).contiguous().clone()
    return parts


def same_tensors(state: Any) -> dict[str, str]:
    """The first leaf that each is one tensor with: steps that write in place write both."""
    first, found = dict[tuple[Any, ...], str](), dict[str, str]()
    for path, leaf in leaves(state):
        if isinstance(leaf, Tensor) and leaf.numel():
            found[path] = first.setdefault((leaf.data_ptr(), leaf.shape, leaf.stride()), path)
    return found


def with_parts(
    state: Any,
    parts: Mapping[str, Tensor],
    axes: Mapping[str, int | None],
    context: RunContext,
    same: Mapping[str, str],
) -> Any:
    """The state whose leaves are ``parts``; what was the ``same`` tensor is."""
    known = dict[str, Tensor]()

    def filled(leaf: Any, path: str) -> Any:
        if isinstance(leaf, Schedule) or leaf is None:
            return leaf
        if isinstance(leaf, tuple):
            names = getattr(leaf, "_fields", range(len(leaf)))
            inner = [filled(p, f"{path}/{n}") for n, p in zip(names, leaf, strict=True)]
            return type(leaf)(*inner) if hasattr(leaf, "_fields") else tuple(inner)
        if is_dataclass(leaf) and not isinstance(leaf, type):
            changed = {f.name: filled(getattr(leaf, f.name), f"{path}/{f.name}")
                       for f in fields(leaf)}  # fmt: skip
            return replace(leaf, **changed)
        if not isinstance(leaf, Tensor):
            return type(leaf)(parts[path].item())
        first = same.get(path, path)
        if first not in known:
            known[first] = new(leaf, path, axes[path])
        return known[first]

    def new(leaf: Tensor, path: str, axis: int | None) -> Tensor:
        if axis is None:
            return parts[path].clone()
        rows = leaf.clone(memory_format=torch.contiguous_format)
        for place, worker in enumerate(context.network.workers.tolist()):
            rows.select(axis, place).copy_(parts[f"{path}/{worker}"])
        return rows

    return filled(state, "")
