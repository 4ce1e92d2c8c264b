"""What the machine does at most: copies, reads of random rows, matrix products."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from algorithms.core.threads import Threads

_COPIED = 1 << 26  # bytes, more than the caches hold
_PRODUCT = 512


@numba.njit(cache=True, fastmath=True)
def _read(rows, index):  # type: ignore[no-untyped-def]
    total = rows.dtype.type(0)
    for i in index:
        row = rows[i]
        for j in range(row.shape[0]):
            total += row[j]
    return total


def timed(work: Callable[[], object], count: int) -> float:
    """Seconds of ``count`` times the same work."""
    start = time.perf_counter()
    for _ in range(count):
        work()
    return time.perf_counter() - start


def copy(threads: int = 1) -> tuple[Callable[[int], float], int]:
    """A copy of ones, shared by so many threads, and the bytes that it reads and writes."""
    source = np.ones(_COPIED // 4, dtype=np.float32)
    target, together = np.empty_like(source), Threads(threads)

    def share(first: int, end: int) -> None:
        np.copyto(target[first:end], source[first:end])

    return lambda count: timed(lambda: together.each(len(source), share), count), 2 * source.nbytes


def random_rows(rows: NDArray[Any], batch: int) -> tuple[Callable[[int], float], int]:
    """Reads of ``batch`` random rows of each shard ``[n, S, d]``, and the bytes of all."""
    n, samples, d = rows.shape
    drawn = np.random.default_rng(0).integers(samples, size=(n, batch))
    index = (drawn + samples * np.arange(n)[:, None]).reshape(-1)
    flat = rows.reshape(-1, d)
    return lambda count: timed(lambda: _read(flat, index), count), len(index) * d * rows.itemsize


def product(dtype: str) -> tuple[Callable[[int], float], int]:
    """A matrix product, and its floating point operations."""
    a = np.ones((_PRODUCT, _PRODUCT), dtype=dtype)
    return lambda count: timed(lambda: a @ a, count), 2 * _PRODUCT**3


def described() -> dict[str, Any]:
    """Processor, cores and versions."""
    import torch

    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": len(names) or None,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
