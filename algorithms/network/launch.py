"""Starts ranks on this machine and brings back what each returns."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore
from torch.multiprocessing.spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    start_processes,
)

from algorithms.network.given_ranks import bound_to_loopback
from algorithms.network.start import settle, start_method

Work = Callable[..., Any]

_SILENT = "not all ranks arrived in time"
_MOMENT = 0.05  # seconds between two looks at what ranks have finished


class RankLost(RuntimeError):
    """A rank of a distributed run died or stalled; no rank is left running."""


def _broken(description: str) -> bool:
    """Whether a rank failed, by its traceback, because another did not take part."""
    signs = ("DistBackendError", "DistStoreError", _SILENT)
    return any(sign in description for sign in signs) or "gloo" in description.lower()


def _failures(folder: Path, ranks: int) -> dict[int, str]:
    """Tracebacks of the ranks that failed. One that failed by itself takes others with it, and
    those may end first."""
    files = {rank: folder / f"{rank}.failed" for rank in range(ranks)}
    return {rank: file.read_text() for rank, file in files.items() if file.is_file()}


def _wait_for_all(store: FileStore, ranks: int, place: str) -> None:
    """Return when all ``ranks`` have come to ``place``.

    A rank's connections stand when ``init_process_group`` returns on that rank, not on the others:
    one that leaves at once closes a connection that another is still making. The files of the
    store outlive the ranks, so here nobody can miss anybody.
    """
    if store.add(place, 1) == ranks:
        store.set(f"{place}, all", "")
    try:
        store.wait([f"{place}, all"])
    except RuntimeError as error:
        raise RuntimeError(f"{_SILENT} at {place!r}") from error


def _rank(
    rank: int,
    ranks: int,
    folder: str,
    backend: str,
    work: Work,
    calls: Sequence[tuple[Any, ...]],
    timeout: float,
    environment: Mapping[str, str],
) -> None:
    settle(environment)
    os.environ.update(bound_to_loopback(os.environ, one_machine=True))
    torch.set_num_threads(1)
    if backend == "nccl":
        torch.cuda.set_device(rank)
    patience = timedelta(seconds=timeout)
    store = FileStore(f"{folder}/rendezvous", ranks)
    store.set_timeout(patience)
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=patience)
    try:
        _wait_for_all(store, ranks, "connected")
        for number, arguments in enumerate(calls):
            written = Path(folder) / f"{rank}.written"
            torch.save(work(*arguments), written)
            written.replace(_result(Path(folder), rank, number))  # whole as soon as it is there
        _wait_for_all(store, ranks, "finished")
    except Exception:  # told before the others can notice that this rank leaves
        (Path(folder) / f"{rank}.failed").write_text(traceback.format_exc())
        raise
    finally:
        dist.destroy_process_group()


def _result(folder: Path, rank: int, number: int) -> Path:
    return folder / f"{rank}.{number}.pt"


def launch(
    work: Work,
    *arguments: Any,
    ranks: int,
    backend: str = "gloo",
    timeout: float = 300.0,
    fresh: bool = False,
) -> list[Any]:
    """``work(*arguments)`` on every rank of a fresh process group; results in order of ranks.

    ``work`` must be importable by name and return what ``torch.save`` can write. ``backend`` is
    "gloo", or "nccl" with one GPU per rank. Ranks are forks of a process that has imported
    what the caller has of this package (:mod:`algorithms.network.start`), listen on loopback unless
    the environment names an interface (GLOO_SOCKET_IFNAME), and share its hashes
    of words; ``fresh`` ranks, and those with GPUs, are interpreters of their own.

    Raises:
        ValueError: ranks < 1, or more ranks than GPUs under nccl.
        RankLost: a rank died, or others waited for it longer than ``timeout`` seconds.
        torch.multiprocessing.ProcessRaisedException: a rank failed; carries its traceback.
    """
    (found,) = launch_each(
        work, (arguments,), ranks=ranks, backend=backend, timeout=timeout, fresh=fresh
    )
    return found


def launch_each(
    work: Work,
    calls: Sequence[tuple[Any, ...]],
    *,
    ranks: int,
    backend: str = "gloo",
    timeout: float = 300.0,
    fresh: bool = False,
) -> Generator[list[Any]]:
    """:func:`launch` of several calls one after another on the same ranks: the results of each in
    order of ranks, as soon as all ranks have them. Ranks are stopped where nobody asks further.

    Raises:
        ValueError: as :func:`launch`, at the first result as all others.
        RankLost: as :func:`launch`.
        torch.multiprocessing.ProcessRaisedException: as :func:`launch`.
    """
    if ranks < 1:
        raise ValueError(f"ranks must be at least 1, got ranks={ranks}")
    if backend == "nccl" and ranks > torch.cuda.device_count():
        raise ValueError(
            f"nccl takes one GPU per rank, got ranks={ranks} with "
            f"{torch.cuda.device_count()} GPUs; fewer ranks or backend='gloo' would do"
        )
    with tempfile.TemporaryDirectory(prefix="rateproof-") as folder:
        started: ProcessContext = start_processes(  # type: ignore[no-untyped-call]
            _rank,
            args=(ranks, folder, backend, work, calls, timeout, dict(os.environ)),
            nprocs=ranks,
            join=False,
            start_method=start_method(fresh or backend == "nccl"),
        )
        try:
            for number in range(len(calls)):
                files = [_result(Path(folder), rank, number) for rank in range(ranks)]
                while not all(file.exists() for file in files):
                    _look_after(started, Path(folder), ranks, timeout)
                yield [torch.load(file, weights_only=False) for file in files]
            while not _look_after(started, Path(folder), ranks, timeout):
                pass
        finally:
            for process in started.processes:
                if process.is_alive():
                    process.kill()
                process.join()


def _look_after(started: ProcessContext, folder: Path, ranks: int, timeout: float) -> bool:
    """Wait a moment for ranks; whether all have ended, and none of them badly."""
    try:
        return bool(started.join(timeout=_MOMENT))
    except ProcessExitedException as error:
        raise RankLost(
            f"rank {error.error_index} died with exit code {error.exit_code}; the others were "
            "stopped; start the run again"
        ) from error
    except ProcessRaisedException as error:
        if not _broken(str(error)):
            raise
        for rank, description in _failures(folder, ranks).items():
            if not _broken(description):
                raise ProcessRaisedException(description, rank, error.error_pid) from error
        raise RankLost(
            f"rank {error.error_index} waited more than {timeout:g} s for another, or lost its "
            "connection to it; all were stopped; a longer timeout, or a sound rank, would do"
        ) from error
