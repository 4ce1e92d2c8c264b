"""One training of a torch module on ranks: steps, what is watched, checkpoints.

Random numbers are functions of seed, step and rank: a training goes on where it ended to the same
bits, and one in float64 is the simulation's run of its row.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, NoReturn, final

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.core.key import Key
from algorithms.ddp.hook import DDPHook
from algorithms.memories import in_place
from algorithms.network.checkpoint_files import newest, read_parts, write_checkpoint
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import add_up, copy_first, gathered_words, place
from algorithms.problems.module_problem import ModuleProblem
from experiments.training.hooked import OF_TORCH, hook_of, method_of
from experiments.training.plan import DTYPES, TrainingPlan


@final
class TrainedModule(NamedTuple):
    """Result of a training run.

    Attributes:
        seen: mean loss over all ranks' samples, by step.
        sent_bits: of rank 0's messages; None: torch's hooks do not tell.
        dense_bits: what these would have been uncompressed.
        parameters: of the model at the end ``[d]``.
        began: step that it went on from.
    """

    seen: dict[int, float]
    sent_bits: int | None
    dense_bits: int | None
    parameters: Tensor
    began: int


class TrainingDiverged(ValueError):
    """The loss is not finite any more, which all ranks are told alike."""


@final
@dataclass
class _Run:
    """A model and its hook on this rank, and what parts before this one came to."""

    module: nn.Module
    model: DistributedDataParallel
    optimizer: torch.optim.Optimizer
    hook: DDPHook | None
    began: int = 0
    sent: int = 0
    dense: int = 0

    def parts(self, rank: int) -> dict[str, Tensor]:
        """Tensors of a checkpoint: the model, alike on all ranks, and this rank's memory."""
        parts = {f"model/{name}": t.detach() for name, t in self.module.state_dict().items()}
        leaves = in_place.leaves(self.hook.state) if self.hook else ()
        return parts | {f"memory/{k}/{rank}": leaf for k, leaf in enumerate(leaves)}

    def spent(self) -> dict[str, int | None]:
        """Bits of rank 0 so far."""
        if self.hook is None:
            return {"sent_bits": None, "dense_bits": None}
        report = self.hook.report()
        return {"sent_bits": self.sent + report.sent_bits,
                "dense_bits": self.dense + report.dense_bits}  # fmt: skip


def train(
    plan: TrainingPlan,
    task: ModuleProblem,
    clock: PhaseClock,
    device: torch.device | str = "cpu",
    note: Callable[[str], None] = lambda _: None,
) -> TrainedModule:
    """Train on the ranks that are there, each with the samples of one worker; all call it.

    Raises:
        ValueError: no hook can play the row, the task has not a worker for each rank, or the
            checkpoint is of another training.
        TrainingDiverged: the loss is not finite when it is noted; names rank and step of the first
            that was not.
    """
    rank, ranks = place()
    if task.n != ranks:
        raise ValueError(f"task must have {ranks} workers, one a rank, got n={task.n}")
    where, dtype = torch.device(device), DTYPES[plan.dtype]
    run = _begun(plan, task, where, dtype, clock)
    seen, worst = _restored(run, plan, task, rank), ""
    features, labels = (
        a[rank].to(where, dtype if a.is_floating_point() else a.dtype)
        for a in (task.features, task.labels)
    )
    for t in range(run.began, plan.steps):
        if t == run.began + 1:
            clock.restart()  # the first step also sets up
        with clock.stepping(t):
            index = _samples(task, plan.seed, t, rank).to(where)
            torch.manual_seed(plan.seed + 1_000_003 * t + rank)  # drop-out, if there is any
            run.optimizer.zero_grad(set_to_none=True)
            loss = task.loss(run.model(features[index]), labels[index])
            if not worst and not bool(torch.isfinite(loss)):
                worst = f"loss {loss.item()} at step {t} on rank {rank}"
            loss.backward()  # type: ignore[no-untyped-call]
            run.optimizer.step()
        if (t + 1) % plan.every == 0 or t + 1 == plan.steps:
            seen[t + 1] = _loss_everywhere(task, run.module, features, labels)
            note(f"step {t + 1}: loss {seen[t + 1]:.4g}")
            if not math.isfinite(seen[t + 1]):
                _refuse(plan, worst or f"loss {seen[t + 1]} after step {t}")
            if plan.folder is not None:
                for buffer in run.module.buffers():
                    copy_first(buffer)  # as the next forward pass would
                words = {"training": _described(plan, task), "seen": seen, **run.spent()}
                write_checkpoint(plan.folder, t + 1, run.parts(rank), words)
    trained = [p.detach().reshape(-1) for p in run.module.parameters() if p.requires_grad]
    return TrainedModule(seen, parameters=torch.cat(trained), began=run.began, **run.spent())


def _refuse(plan: TrainingPlan, worst: str) -> NoReturn:
    description = "; ".join(
        dict.fromkeys(words["worst"] for words in gathered_words({"worst": worst}))
    )
    raise TrainingDiverged(f"{plan.row}: {description}; a smaller rate than {plan.rate:g} would do")


def _begun(
    plan: TrainingPlan, task: ModuleProblem, where: torch.device, dtype: torch.dtype,
    clock: PhaseClock,
) -> _Run:  # fmt: skip
    method = None if plan.row in OF_TORCH else method_of(plan.row, task, plan.rate, plan.steps)
    if method is None and plan.folder is not None:
        raise ValueError(
            f"{plan.row} keeps its memory to itself, so no checkpoint has it; a row, or no "
            "checkpoints, would do"
        )
    module = copy.deepcopy(task.module).to(where, dtype).train()
    model = DistributedDataParallel(module)
    optimizer = torch.optim.SGD(model.parameters(), lr=plan.rate)
    if method is None:
        stepper = OF_TORCH[plan.row](model, optimizer, task, plan.steps)
        return _Run(module, model, stepper, None)
    hook = hook_of(method, plan.seed, lambda: float(optimizer.param_groups[0]["lr"]), clock)
    hook.register(model)
    return _Run(module, model, optimizer, hook)


def _samples(task: ModuleProblem, seed: int, t: int, rank: int) -> Tensor:
    """Those of the rank's minibatch ``[b]``: the simulation's draws for this worker."""
    if task.batch == 0:
        return torch.arange(task.features.shape[1])
    draws = Key.seed(seed).fold("gradient", t).draws(torch.tensor([0]), torch.tensor([rank]))
    return draws.integers(task.features.shape[1], task.batch).reshape(-1)


def _restored(
    run: _Run, plan: TrainingPlan, task: ModuleProblem, rank: int
) -> dict[int, float]:  # fmt: skip
    """Go on from the newest checkpoint, if there is one; what was seen so far."""
    found = None if plan.folder is None else newest(plan.folder)
    if found is None or plan.folder is None:
        return {}
    run.began, words = found
    for name, value in _described(plan, task).items():
        if words["training"].get(name) != value:
            raise ValueError(
                f"{name} must be the checkpoint's {words['training'].get(name)!r}, got {value!r}; "
                "another folder would do"
            )
    parts = run.parts(rank)
    read_parts(plan.folder, run.began, parts)
    model = {name.removeprefix("model/"): t for name, t in parts.items() if name[:6] == "model/"}
    run.module.load_state_dict(model)
    if run.hook is not None:
        memory = [parts[name] for name in parts if name[:7] == "memory/"]
        run.hook.load_state_dict(run.hook.state_dict() | {"t": run.began, "memory": memory})
    run.sent, run.dense = words["sent_bits"], words["dense_bits"]
    return {int(t): float(value) for t, value in words["seen"].items()}


def _described(plan: TrainingPlan, task: ModuleProblem) -> dict[str, Any]:
    """In what a training must be the checkpoint's: all but how long and how often."""
    description = asdict(plan)
    for name in ("steps", "every", "folder"):
        del description[name]
    method = repr(method_of(plan.row, task, plan.rate, plan.steps))
    sizes = {"task": task.name, "n": task.n, "batch": task.batch, "d": task.d}
    return description | sizes | {"method": method}


def _loss_everywhere(
    task: ModuleProblem, module: nn.Module, features: Tensor, labels: Tensor
) -> float:
    """Mean loss over all ranks' samples, the module as it is evaluated."""
    module.eval()
    with torch.no_grad():
        mean = task.loss(module(features), labels).double().reshape(1)
    module.train()
    add_up(mean)
    return float(mean) / place()[1]
