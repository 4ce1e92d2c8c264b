"""Anybody's ``torch.nn.Module`` as a workload: its tensors, counted operations, measured times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from algorithms.workloads.base import ParameterTensor, Workload, WorkloadLayer
from theory.arrays import Floats
from theory.claims import Source

_OWN = Source("", 0, "", "the caller's own module")


def workload_of(
    module: nn.Module, *inputs: Tensor, name: str = "own", samples: int = 0
) -> Workload:
    """The module's layers in the order in which it runs them on ``inputs``.

    A layer is a module with parameters of its own, and with those of modules inside it whose
    parameters it uses without calling them (attention's output matrix in torch). Operations
    between two layers count as the earlier one's. Counted is what ``torch.utils.flop_counter``
    knows: matrix products,
    convolutions, attention. A recurrent layer that runs as one fused operation counts as none
    there; measure its seconds by :func:`forward_seconds`.

    Args:
        module: it is run once, without gradients.
        inputs: arguments of the module, the first with the samples on its first axis.
        name: what timelines call it.
        samples: number of samples in the inputs; 0: length of the first input's first axis.

    Raises:
        ValueError: no input and no number of samples, or a parameter that the run does not reach.
    """
    count = samples or _samples(inputs)
    counter = FlopCounterMode(display=False)
    recorder = _Recorder(module, counter.get_total_flops)
    with counter, torch.no_grad(), recorder.attached():
        module(*inputs)
    recorder.settle()
    layers, seen = _layers(module, recorder, count)
    missed = [n for n, p in module.named_parameters() if id(p) not in seen]
    if missed:
        raise ValueError(
            f"module must run all layers that have parameters, {missed[0]} was not reached; "
            "leave out what a step does not train"
        )
    return Workload(name, name, "one row of the inputs", layers, _OWN)


def forward_seconds(module: nn.Module, *inputs: Tensor, repeats: int = 5) -> Floats:
    """Seconds of each layer of :func:`workload_of` on these inputs: the least of ``repeats`` runs.

    The times are of this machine and of whole calls: on a device that works behind the caller's
    back they are those of the caller.

    Raises:
        ValueError: repeats < 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got repeats={repeats}")
    best: dict[str, float] = {}
    for _ in range(repeats):
        recorder = _Recorder(module, time.perf_counter)
        with torch.no_grad(), recorder.attached():
            module(*inputs)
        recorder.settle()
        best = {k: min(v, best.get(k, v)) for k, v in recorder.spent.items()}
    return torch.tensor(list(best.values()), dtype=torch.float64).numpy()


def _layers(
    module: nn.Module, recorder: _Recorder, samples: int
) -> tuple[tuple[WorkloadLayer, ...], set[int]]:
    """Layers that ran, in order, and the ids of their parameters."""
    layers, seen = [], set[int]()
    used = _used_by(module, [label for label, _ in recorder.order])
    for label, owner in recorder.order:
        own = [
            (prefix + n, p)
            for prefix, part in {"": owner, **used.get(label, {})}.items()
            for n, p in part.named_parameters(recurse=False)
            if id(p) not in seen
        ]
        seen |= {id(parameter) for _, parameter in own}
        tensors = tuple(ParameterTensor(n, tuple(p.shape)) for n, p in own)
        layers.append(WorkloadLayer(label, tensors, recorder.spent[label] / 2 / samples))
    return tuple(layers), seen


def _used_by(module: nn.Module, ran: list[str]) -> dict[str, dict[str, nn.Module]]:
    """Modules with parameters that were not called, under the nearest module around them that was;
    by the prefix of their parameters there."""
    found: dict[str, dict[str, nn.Module]] = {}
    for label, owner in module.named_modules():
        if not owner._parameters or label in ran:
            continue
        around = [other for other in ran if label.startswith(f"{other}.")]
        if around:
            nearest = max(around, key=len)
            found.setdefault(nearest, {})[f"{label[len(nearest) + 1 :]}."] = owner
    return found


def _samples(inputs: tuple[Tensor, ...]) -> int:
    if not inputs or inputs[0].dim() == 0:
        raise ValueError("inputs must begin with a tensor of samples, or give samples=COUNT")
    return len(inputs[0])


@final
@dataclass
class _Recorder:
    """Spreads a growing meter (operations, seconds) over the layers that are at work."""

    module: nn.Module
    meter: Callable[[], float]
    order: list[tuple[str, nn.Module]] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    _inside: list[str] = field(default_factory=list)
    _mark: float = 0.0

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Watch the layers while inside."""
        with ExitStack() as stack:
            for label, owner in self.module.named_modules():
                if owner._parameters:
                    enter = self._entering(label or "module", owner)
                    stack.callback(owner.register_forward_pre_hook(enter).remove)
                    stack.callback(owner.register_forward_hook(self._leaving).remove)
            self._mark = self.meter()
            yield

    def settle(self) -> None:
        """Charge what ran last."""
        now = self.meter()
        if self.order:
            at = self._inside[-1] if self._inside else self.order[-1][0]
            self.spent[at] += now - self._mark
        self._mark = now

    def _entering(self, label: str, owner: nn.Module) -> Callable[..., None]:
        def enter(*_: Any) -> None:
            self.settle()
            if label not in self.spent:
                self.order.append((label, owner))
                self.spent[label] = 0.0
            self._inside.append(label)

        return enter

    def _leaving(self, *_: Any) -> None:
        self.settle()
        self._inside.pop()
