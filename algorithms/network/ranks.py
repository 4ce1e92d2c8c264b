"""The ranks of the running process group: what the audit and the checks of DDP ask of torch.

``torch.distributed`` is named in this folder only; its communication hooks for DDP are handed on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.algorithms.ddp_comm_hooks import (
    default_hooks,
    powerSGD_hook,
    quantization_hooks,
)

from algorithms.network.backend_threads import hand_over

__all__ = [
    "add_up", "copy_first", "default_hooks", "gathered", "gathered_words", "least", "place",
    "powerSGD_hook", "quantization_hooks", "stacked_futures", "wait_for_all", "wire_device",
]  # fmt: skip


def place() -> tuple[int, int]:
    """This process's rank, and how many ranks there are.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """
    if not dist.is_initialized():
        raise RuntimeError("torch.distributed is not initialised; start ranks with launch()")
    return dist.get_rank(), dist.get_world_size()


def wait_for_all() -> None:
    """Return when every rank has come here."""
    dist.barrier()


def wire_device(device: str) -> str:
    """Device of a message to be sent: ``device`` with NCCL; else the host, where gloo sends
    from."""
    return device if dist.get_backend() == "nccl" else "cpu"


def add_up(x: Tensor) -> None:
    """Write the sum of all ranks' x over x on every rank, as the backend sums."""
    hand_over(x)
    dist.all_reduce(x)


def least(words: Sequence[int], device: torch.device) -> list[int]:
    """The least of each whole number over ranks, on every rank."""
    flags = torch.tensor(list(words), dtype=torch.int64, device=device)
    hand_over(flags)
    dist.all_reduce(flags, dist.ReduceOp.MIN)
    return [int(word) for word in flags.tolist()]


def copy_first(x: Tensor) -> None:
    """Write rank 0's x over x on every rank."""
    hand_over(x)
    dist.broadcast(x, 0)


def gathered(x: Tensor) -> list[Tensor]:
    """Every rank's x, in order of ranks."""
    all_of_them = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    hand_over(x, *all_of_them)
    dist.all_gather(all_of_them, x)
    return all_of_them


def gathered_words(words: Mapping[str, str]) -> list[dict[str, str]]:
    """Every rank's words, in order of ranks; they cross as JSON, which runs nothing when read."""
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    told = torch.frombuffer(bytearray(json.dumps(dict(words)).encode()), dtype=torch.uint8)
    lengths = gathered(torch.tensor([told.numel()], device=device))
    room = torch.zeros(max(int(length) for length in lengths), dtype=torch.uint8, device=device)
    room[: told.numel()] = told.to(device)
    return [
        json.loads(bytes(theirs[: int(length)].tolist()))
        for theirs, length in zip(gathered(room), lengths, strict=True)
    ]


def stacked_futures(hook: Any) -> Callable[..., Any]:
    """The hook's own code, with the futures of all_gather as it expects them.

    It takes the first item of the future's value for all ranks' tensors in one, stacked; gloo's
    value is the list of them, whose first item is that of rank 0 alone.
    """

    def all_gather(out: list[Tensor], own: Tensor, **options: Any) -> Any:
        future = dist.all_gather(out, own, **options).get_future()
        stacked = future.then(lambda done: [torch.stack(done.value())])
        return SimpleNamespace(get_future=lambda: stacked)

    names = SimpleNamespace(all_gather=all_gather, get_rank=dist.get_rank, group=dist.group)
    scope = hook.__globals__ | {"dist": names}
    return FunctionType(hook.__code__, scope, hook.__name__, hook.__defaults__)
