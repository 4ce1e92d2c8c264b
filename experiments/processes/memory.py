"""Whether memory is what failed, whatever says so: Python, numpy, torch, or a thread's start."""

from __future__ import annotations

import errno

_WORDS = ("allocate", "can't start new thread", "failed to map segment")


def lacks_memory(error: BaseException) -> bool:
    """Whether an exception, or one that it came of, is of memory that could not be had."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        if isinstance(one, MemoryError) or getattr(one, "errno", None) == errno.ENOMEM:
            return True
        if any(word in str(one) for word in _WORDS):  # numpy's and torch's, Python's, the linker's
            return True
        one = one.__cause__ or one.__context__
    return False


def first_line(error: BaseException) -> str:
    """What an exception says, in a line; Python says nothing of memory that it lacks."""
    told = str(error).partition("\n")[0]
    return told or ("no memory was left" if lacks_memory(error) else type(error).__name__)
