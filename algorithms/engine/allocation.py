"""Handling of memory that a process has freed."""

from __future__ import annotations

import ctypes
import functools
import os
import platform

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # glibc's malloc.h
_LARGEST, _KEPT = 32 << 20, 256 << 20  # the first is the most that glibc takes
_SETTINGS = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES", "LD_PRELOAD")


@functools.cache
def keep_freed() -> bool:
    """Let the process keep up to 256 MB that it has freed, once; whether that could be said.

    A step frees what it has computed and the next one asks for as much again. By default glibc
    gives large blocks back to the system, which has to clear them before they are lent again: a
    quarter to a third of a step whose tensors have some megabytes. Blocks above 32 MB, data
    above all, are given back as before. An environment that sets glibc's malloc itself
    (``MALLOC_TRIM_THRESHOLD_`` and the like, or another malloc in ``LD_PRELOAD``) is left alone.
    """
    if platform.libc_ver()[0] != "glibc" or any(os.environ.get(name) for name in _SETTINGS):
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST) and mallopt(_TRIM_THRESHOLD, _KEPT))
