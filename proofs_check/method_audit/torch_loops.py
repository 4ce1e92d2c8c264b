"""A subclass of torch's optimizers with a loop as a method that is audited."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.optim import Optimizer

from proofs_check.method_audit.instances import AuditInstance, GradientOracle
from proofs_check.method_audit.subject import MethodSubject, State, method
from theory.arrays import Floats

Make = Callable[..., Optimizer]
Loop = Callable[..., None]


class Workers(NamedTuple):
    """What a loop works on, each worker's in its place.

    Attributes:
        models: a parameter ``[d]`` a worker.
        optimizers: one a worker.
        losses: f_i as a function of nothing, for ``loss().backward()``.
        server: a dict in which a loop may keep tensors of the server's.
        W: the mixing matrix.
    """

    models: list[torch.nn.Parameter]
    optimizers: list[Optimizer]
    losses: list[Callable[[], Tensor]]
    server: dict[str, Any]
    W: Floats


def torch_method(
    name: str,
    optimizer: Make,
    loop: Loop,
    *,
    parameters: Mapping[str, Any],
    **claims: Any,
) -> MethodSubject:
    """``optimizer(params, **parameters)`` of each worker, and ``loop(workers, **parameters)``, that
    takes one round with them in place; both take the parameters that they name.

    ``claims`` as of :func:`method`. Entries of the state are the models ``x``, what optimizers keep
    of their parameter, by its name, and ``server``'s tensors.

    Raises:
        ValueError: as :func:`method`.
    """

    def start(x0: Floats, gradients: GradientOracle, **values: Any) -> State:
        models = [torch.nn.Parameter(torch.tensor(x0)) for _ in range(gradients.instance.n)]
        made = [_called(optimizer, [model], values) for model in models]
        return _state((models, made, {}))

    def step(state: State, gradients: GradientOracle, **values: Any) -> State:
        world = state["world"]  # one a run: memory that a loop shares stays shared
        _write(state, world)
        models, optimizers, server = world
        losses = [_loss(model, gradients.instance, i) for i, model in enumerate(models)]
        _called(loop, Workers(models, optimizers, losses, server, gradients.instance.W), values)
        return _state(world)

    return method(name, step, start=start, parameters=parameters, **claims)


def _called(function: Callable[..., Any], first: Any, values: Mapping[str, Any]) -> Any:
    wanted = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in wanted.values())
    return function(first, **{k: v for k, v in values.items() if anything or k in wanted})


def _loss(model: Tensor, one: AuditInstance, worker: int) -> Callable[[], Tensor]:
    a, b = torch.tensor(one.a[worker]), torch.tensor(one.b[worker])
    return lambda: 0.5 * (a * (model - b).square()).sum()


def _tensors(world: Any) -> dict[str, list[Tensor]]:
    """Tensors by name, a row each; one alone of the server's."""
    models, optimizers, server = world
    found = {"x": [model.data for model in models]}
    for model, optimizer in zip(models, optimizers, strict=True):
        for name, value in optimizer.state[model].items():
            if isinstance(value, Tensor) and value.shape == model.shape:
                found.setdefault(name, []).append(value)
    alone = {name: [value] for name, value in server.items() if isinstance(value, Tensor)}
    return {**found, **alone}


def _state(world: Any) -> State:
    server = world[2]
    arrays = {
        name: np.stack([one.detach().numpy() for one in rows]).copy()
        for name, rows in _tensors(world).items()
    }
    return {name: v[0] if name in server else v for name, v in arrays.items()} | {"world": world}


def _write(state: State, world: Any) -> None:
    """What the audit changed is written where the loop reads it."""
    with torch.no_grad():
        for name, rows in _tensors(world).items():
            given = state[name][None] if name in world[2] else state[name]
            for one, row in zip(rows, given, strict=True):
                one.copy_(torch.from_numpy(row))
