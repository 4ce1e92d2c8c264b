"""DDP communication hooks, torch's and others', as operators x -> x_hat on this machine's ranks.

A bucket of gradients cannot be made by hand, so a DistributedDataParallel model with one parameter
w and the loss <w, x> is built: its gradient is x, and after the hook w.grad is x_hat. All ranks
hold the same x, so that an exact average is x.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.core.names import look_up
from algorithms.network.ranks import (
    default_hooks,
    gathered,
    place,
    powerSGD_hook,
    quantization_hooks,
    stacked_futures,
    wait_for_all,
)
from algorithms.network.traffic import Traffic
from proofs_check.audit.calls import nearly_square
from proofs_check.audit.orders import APART, CALL, RESET, STOP, hear, tell
from proofs_check.audit.randomness import seed_all

_VANILLA = 2


class HookFailure(RuntimeError):
    """A hook, or DDP's check of it, raised; the message is the innermost one."""


@final
@dataclass(frozen=True)
class TorchHook:
    """A hook (state, bucket) -> future of a tensor, as users register it.

    ``state`` makes its state (None: it has none); ``matrix`` says that x is laid out as the most
    nearly square matrix of d entries, since the hook treats matrices and vectors differently.

    Attributes:
        name: its name on the command line.
        what: one line about it.
    """

    name: str
    what: str
    hook: Callable[..., Any]
    state: Callable[[], Any] | None = None
    matrix: bool = False

    def shape(self, d: int) -> tuple[int, ...]:
        """Shape of the parameter with d entries."""
        return nearly_square(d) if self.matrix else (d,)


def _power_state() -> Any:
    """PowerSGD's defaults, but compressing from the third step, the earliest that it allows."""
    make: Any = powerSGD_hook.PowerSGDState
    return make(None, start_powerSGD_iter=_VANILLA)


def _under_another_name(hook: Callable[..., Any]) -> Callable[..., Any]:
    """The same hook; DDP decides by a hook's name whether it may run on a backend."""

    return lambda state, bucket: hook(state, bucket)


TORCH_HOOKS = (
    TorchHook("allreduce", "allreduce_hook, no compression", default_hooks.allreduce_hook),
    TorchHook("fp16", "fp16_compress_hook", default_hooks.fp16_compress_hook),
    TorchHook("bf16", "bf16_compress_hook", default_hooks.bf16_compress_hook),
    TorchHook(
        "bf16-renamed",
        "bf16_compress_hook under a name that DDP does not know",
        _under_another_name(default_hooks.bf16_compress_hook),
    ),
    TorchHook(
        "8bit", "quantization_pertensor_hook", quantization_hooks.quantization_pertensor_hook
    ),
    TorchHook(
        "8bit-stacked",
        "quantization_pertensor_hook, given the stacked futures that it expects",
        stacked_futures(quantization_hooks.quantization_pertensor_hook),
    ),
    TorchHook(
        "8bit-channel",
        "quantization_perchannel_hook",
        quantization_hooks.quantization_perchannel_hook,
    ),
    TorchHook(
        "8bit-channel-stacked",
        "quantization_perchannel_hook, given the stacked futures that it expects",
        stacked_futures(quantization_hooks.quantization_perchannel_hook),
    ),
    TorchHook("powersgd", "powerSGD_hook, rank 1", powerSGD_hook.powerSGD_hook, _power_state, True),
    TorchHook(
        "powersgd-batched",
        "batched_powerSGD_hook, rank 1",
        powerSGD_hook.batched_powerSGD_hook,
        _power_state,
    ),
)


def torch_hook(name: str) -> TorchHook:
    """The hook of that name.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return look_up("hook of torch", name, {hook.name: hook for hook in TORCH_HOOKS})


@final
class _Weights(nn.Module):
    """Loss <w, x>, whose gradient is x."""

    def __init__(self, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(shape, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        return (self.w * x.view_as(self.w)).sum()


@final
class HookLine:
    """One hook on the ranks of the running process group: rank 0 calls, the others follow.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """

    def __init__(self, hook: TorchHook) -> None:
        self.hook = hook
        self.rank, self.ranks = place()
        self._traffic = Traffic()
        self._models: dict[tuple[int, torch.dtype], Any] = {}
        self._last: tuple[int, torch.dtype] | None = None
        self._state: Any = None
        self._ahead: deque[tuple[Tensor, int]] = deque()

    def __call__(self, x: Tensor, seed: int = 0) -> Tensor:
        """x_hat ``[d]`` of x ``[d]``; other ranks seed their global generators with ``seed``.

        Raises:
            HookFailure: the hook, or DDP's check of it, raised.
        """
        if self._ahead:
            self._ahead.popleft()
        else:
            self._tell(CALL, x.reshape(1, -1), (seed,))
        return self._step(x)

    def announce(self, rows: Tensor, seeds: Sequence[int]) -> None:
        """The next P calls are on these rows ``[P, d]`` with these seeds: one message for all.

        What is not called after all is, ahead of the next order, since the others wait there.
        """
        if self.ranks > 1:
            self._tell(CALL, rows, seeds)
            self._ahead.extend(zip(rows, seeds, strict=True))

    @property
    def handed(self) -> tuple[Any, ...]:
        """Data that this rank handed to collectives in the last call."""
        return tuple(self._traffic.handed)

    def apart(self, x: Tensor, seed: int = 0) -> list[Tensor]:
        """Output on every rank where rank r holds (r + 1) x.

        Raises:
            HookFailure: the hook, or DDP's check of it, raised.
        """
        self._tell(APART, x.reshape(1, -1), (seed,))
        seed_all(seed)
        return gathered(self._step(x))

    def reset(self) -> None:
        """Forget all state, as at the start of a training."""
        self._tell(RESET)
        self._reset()

    def stop(self) -> None:
        """Let the followers go, and give up all models."""
        self._tell(STOP)
        self._close()

    def follow(self) -> None:
        """Serve rank 0 until it says stop."""
        while True:
            order = hear()
            if order.what == STOP:
                return self._close()
            if order.what == RESET:
                self._reset()
            for x, seed in zip(order.rows, order.seeds, strict=False):
                seed_all(seed)
                apart = order.what == APART
                with suppress(HookFailure):
                    y = self._step((self.rank + 1) * x if apart else x)
                    if apart:
                        gathered(y)

    def _close(self) -> None:
        """Free the models while the process group lives.

        They hold it in reference cycles; left to the end of the interpreter, one process in ten
        was seen to abort there.
        """
        self._models.clear()
        self._state = None
        gc.collect()
        wait_for_all()

    def _reset(self) -> None:
        if self.hook.state is not None:
            self._state = _past_warm_up(self.hook.state())

    def _tell(self, what: int, rows: Tensor | None = None, seeds: Sequence[int] = ()) -> None:
        if self.ranks == 1:
            return
        while self._ahead:
            x, seed = self._ahead.popleft()
            seed_all(seed)
            with suppress(HookFailure):
                self._step(x)
        tell(what, rows, seeds)

    def _step(self, x: Tensor) -> Tensor:
        """One step of the training of this size and type; another one starts afresh."""
        key = (x.numel(), x.dtype)
        if key != self._last:
            self._last = key
            self._reset()
        try:
            if key not in self._models:
                self._models[key] = self._model(*key)
            with self._traffic:
                return self._gradient(self._models[key], x)
        except Exception as error:  # a stranger's hook may raise anything
            self._models.pop(key, None)
            raise HookFailure(_innermost(error)) from error

    def _model(self, d: int, dtype: torch.dtype) -> Any:
        """A model past the steps in which DDP rebuilds its buckets."""
        model = DistributedDataParallel(_Weights(self.hook.shape(d), dtype))
        if self.hook.state is None:
            model.register_comm_hook(None, self.hook.hook)
            return model
        model.register_comm_hook(None, lambda _, bucket: self.hook.hook(self._state, bucket))
        kept, self._state = self._state, self.hook.state()
        for _ in range(_VANILLA):
            self._gradient(model, torch.ones(d, dtype=dtype))
        self._state = kept
        return model

    def _gradient(self, model: Any, x: Tensor) -> Tensor:
        w = model.module.w
        w.grad = None
        model(x).backward()
        gradient: Tensor = w.grad.detach().clone().view(-1)
        return gradient


def _past_warm_up(state: Any) -> Any:
    """PowerSGD's state sends all at first; what follows is to be audited."""
    if hasattr(state, "start_powerSGD_iter"):
        state.iter = state.start_powerSGD_iter
    return state


def _innermost(error: BaseException) -> str:
    """``IndexError: ...``: the first line of the innermost error, as told through callbacks."""
    told = str(error).partition("\n")[0]
    told = told.split("running the callback: ")[-1]
    if told.partition(":")[0].endswith("Error"):
        return told
    return f"{type(error).__name__}: {told or _where(error)}"


def _where(error: BaseException) -> str:
    """The function that raised."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return f"in {step.tb_frame.f_code.co_name}" if step is not None else "nowhere"
