"""Starts ranks on this machine and brings back what each returns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import (
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
)

Work = Callable[..., Any]


class RankLost(RuntimeError):
    """A rank of a distributed run died or stalled; no rank is left running."""


def _broken(traceback: str) -> bool:
    """Whether a rank failed in a collective because another did not take part."""
    return "DistBackendError" in traceback or "gloo" in traceback.lower()


def _rank(
    rank: int,
    ranks: int,
    folder: str,
    backend: str,
    work: Work,
    arguments: tuple[Any, ...],
    timeout: float,
) -> None:
    torch.set_num_threads(1)
    if backend == "nccl":
        torch.cuda.set_device(rank)
    dist.init_process_group(
        backend,
        init_method=f"file://{folder}/rendezvous",
        rank=rank,
        world_size=ranks,
        timeout=timedelta(seconds=timeout),
    )
    try:
        torch.save(work(*arguments), Path(folder) / f"{rank}.pt")
    finally:
        dist.destroy_process_group()


def launch(
    work: Work,
    *arguments: Any,
    ranks: int,
    backend: str = "gloo",
    timeout: float = 300.0,
) -> list[Any]:
    """``work(*arguments)`` on every rank of a fresh process group; results in order of ranks.

    ``work`` must be importable by name (processes are spawned) and return what ``torch.save``
    can write. ``backend`` is "gloo", or "nccl" with one GPU per rank.

    Raises:
        ValueError: ranks < 1, or more ranks than GPUs under nccl.
        RankLost: a rank died, or others waited for it longer than ``timeout`` seconds.
        torch.multiprocessing.ProcessRaisedException: a rank failed; carries its traceback.
    """
    if ranks < 1:
        raise ValueError(f"ranks must be at least 1, got ranks={ranks}")
    if backend == "nccl" and ranks > torch.cuda.device_count():
        raise ValueError(
            f"nccl takes one GPU per rank, got ranks={ranks} with "
            f"{torch.cuda.device_count()} GPUs; fewer ranks or backend='gloo' would do"
        )
    with tempfile.TemporaryDirectory(prefix="rateproof-") as folder:
        try:
            spawn(  # type: ignore[no-untyped-call]
                _rank, args=(ranks, folder, backend, work, arguments, timeout), nprocs=ranks
            )
        except ProcessExitedException as error:
            raise RankLost(
                f"rank {error.error_index} died with exit code {error.exit_code}; the others were "
                "stopped; start the run again"
            ) from error
        except ProcessRaisedException as error:
            if not _broken(str(error)):
                raise
            raise RankLost(
                f"rank {error.error_index} waited more than {timeout:g} s for another, or lost its "
                "connection to it; all were stopped; a longer timeout, or a sound rank, would do"
            ) from error
        return [
            torch.load(Path(folder) / f"{rank}.pt", weights_only=False) for rank in range(ranks)
        ]
