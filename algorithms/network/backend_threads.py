"""Objects that the backend's threads still hold when a process wants to end.

A collective of gloo runs in a thread of its own. It wakes the caller first and lets go of tensors
and callbacks afterwards, for which it takes the interpreter's lock. A process that ends in between
is aborted ("terminate called without an active exception", exit code -6), with all its work done.
Destroying the process group waits for these threads only where nothing else holds the group, and a
DistributedDataParallel does. So what is handed to a collective is named here, and a process that
ends waits for it.
"""

from __future__ import annotations

import atexit
import time
from typing import Any
from weakref import WeakValueDictionary

from torch import Tensor

PATIENCE = 2.0  # [s]
"""The longest wait; what somebody else keeps for good, such as a parameter, ends it."""

_handed: WeakValueDictionary[int, Any] = WeakValueDictionary()


def hand_over(*objects: Any) -> None:
    """Name tensors and callbacks that a collective is about to be given."""
    _handed.update((id(one), one) for one in objects)


def wait_for_release(x: Tensor) -> None:
    """Return when the backend's thread has let go of ``x``, which a collective that is done was
    given, so that its memory is the caller's to free; or after :data:`PATIENCE`. It is looked at
    twice: after one look the thread still holds one message in 2,500."""
    end, alone = time.monotonic() + PATIENCE, 0
    while alone < 2 and time.monotonic() < end:
        alone = alone + 1 if _users(x) == 1 else 0
        time.sleep(1e-5)  # it needs the interpreter's lock


def still_held() -> list[Any]:
    """Objects handed over and held by more than the interpreter; callbacks count while they
    live.
    """
    alive = list(_handed.values())
    return [one for one in alive if not isinstance(one, Tensor) or _users(one) > 1]


def _users(x: Tensor) -> int:
    return int(x._use_count())  # type: ignore[attr-defined]


@atexit.register
def wait_until_released() -> None:
    """Return when the backend's threads have let go of all that was handed over."""
    end = time.monotonic() + PATIENCE
    while still_held() and time.monotonic() < end:
        time.sleep(1e-3)  # they need the interpreter's lock
