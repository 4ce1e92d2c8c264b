"""A folder that one run alone writes into: a second one is refused, on all ranks alike."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch.distributed as dist

from algorithms.network.ranks import gathered_words


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Within, no other run is within for the same folder; all ranks call it, rank 0 holds it.

    The hold ends with its process, however that ends.

    Raises:
        ValueError: another run holds the folder; names its process.
    """
    ranks = dist.is_initialized()
    handle, refused = -1, ""
    if not ranks or dist.get_rank() == 0:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".held", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.truncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        except BlockingIOError:
            by = os.pread(handle, 32, 0).decode("ascii", "replace") or "unknown"
            refused = (
                f"folder must be of this run alone, got {folder}, which process {by} writes into; "
                "wait for it, or another folder would do"
            )
    try:
        if ranks:
            refused = "".join(one["refused"] for one in gathered_words({"refused": refused}))
        if refused:
            raise ValueError(refused)
        yield
    finally:
        if handle >= 0:
            os.close(handle)
