"""Work in a forked process that is stopped after so much processor time, or so long a wait.

What it writes goes to a folder of its own that is removed after it: temporary files, and compiled
functions, which numba keeps by their byte code alone, in which constants do not stand.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_WAIT, _WAITS = 120.0, 10.0  # seconds on the clock: always, and for each of processor time
_PDEATHSIG = 1  # of Linux's prctl: the signal at the end of the parent
_PART = 1 << 16


class TooLong(BaseException):
    """A piece of work took more processor time than it may."""


class ProcessDied(RuntimeError):
    """A process ended without an answer, by a signal, or by an error of its own (signal 0)."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"a process ended without an answer, signal {signal}")
        self.signal = signal


def forked(work: Callable[[], T], most: float, *, own: bool = True, wait: float | None = None) -> T:
    """What ``work`` gives in a copy of this process, which may take ``most`` [s] of processor time.

    Args:
        work: what is done there; it gives what can be pickled.
        most: processor time [s].
        own: whether it has a folder of its own for what it stores, else it shares this process's.
        wait: seconds on the clock after which it is killed; 120 and ten times ``most`` if None.

    Raises:
        Died: the process ended before it had an answer, by a signal or by its limit.
    """
    parent, folder = os.getpid(), tempfile.mkdtemp(prefix="rateproof-mutants-") if own else ""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            _end_with(parent)
            _limit(most)
            if folder:
                _store_in(Path(folder))
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
            code = 0
        except BaseException:  # the process ends here, whatever it was
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    status = None
    try:
        told = _read(reading, _WAIT + _WAITS * most if wait is None else wait)
        if told is None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(reading)
        if status is None:  # interrupted
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    if not told or status:
        raise ProcessDied(max(0, -os.waitstatus_to_exitcode(status)))
    found: Any = pickle.loads(told)
    return found  # type: ignore[no-any-return]


def _read(reading: int, wait: float) -> bytes | None:
    """All that a pipe gives; None if its end does not come within ``wait`` [s]."""
    parts: list[bytes] = []
    end = time.monotonic() + wait
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], min(left, 3600.0))[0]:
            if time.monotonic() >= end:
                return None
            continue
        part = os.read(reading, _PART)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _end_with(parent: int) -> None:
    """Have this process end when its parent does, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before that
        os._exit(1)


def _limit(most: float) -> None:
    """Bound this process's processor time, by less where less is allowed, and leave no core file.

    A process that may not have as much as it needs ends by SIGKILL, not by SIGXCPU.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(time.process_time() + most) + 1
    soft, end = wanted, wanted + 1
    if hard != resource.RLIM_INFINITY:
        soft, end = min(wanted, hard), min(wanted + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, end))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_KEPT: list[tuple[str, Path]] = []  # of numba's stores: name of the folder ("": all), where it is


def _store_in(folder: Path) -> None:
    """Have temporary files and compiled functions of this process stored in ``folder``.

    The project's compiled kernels that are kept are read where they lie: they need not be compiled
    again, nor linked one by one, which took as long as a judge does.
    """
    tempfile.tempdir = str(folder)
    os.environ["TMPDIR"] = str(folder)
    compiled = folder / "numba"
    compiled.mkdir()
    before = os.environ.get("NUMBA_CACHE_DIR", "")
    os.environ["NUMBA_CACHE_DIR"] = str(compiled)
    try:
        import numba
        from numba.core.caching import UserProvidedCacheLocator
    except ImportError:
        return
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR or before, str(compiled)
    if before:
        _KEPT.insert(0, ("", Path(before)))
    else:
        kernels = Path(__file__).parents[2] / "algorithms" / "kernels"
        locator: Any = UserProvidedCacheLocator
        name = locator.get_suitable_cache_subpath(str(kernels / "__init__.py"))
        _KEPT.insert(0, (name, kernels / "__pycache__"))
    if len(_KEPT) == 1:
        _read_kept()


def _read_kept() -> None:
    """Have numba look for what it does not find in its store in the :data:`_KEPT` ones."""
    from numba.core.caching import IndexDataCacheFile

    stores: Any = IndexDataCacheFile
    own = stores.load

    def load(self: Any, key: Any) -> Any:
        found = own(self, key)
        name = Path(self._cache_path).name
        for only, place in _KEPT:
            if found is None and only in ("", name):
                there = copy(self)
                there._cache_path = str(place if only else place / name)
                there._index_path = os.path.join(there._cache_path, there._index_name)
                found = own(there, key)
        return found

    stores.load = load


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Inside, :class:`TooLong` is raised after so much processor time [s].

    Raises:
        TooLong: it was too long.
    """

    def stop(number: int, frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
