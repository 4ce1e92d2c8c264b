"""What is drawn and what came of it: the oracle of all kinds of inputs."""

from __future__ import annotations

import os
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

LIMIT = 120
"""Processor seconds after which an input counts as one that hangs, or so many seconds on a clock
that it waits ``IDLE`` times as long. What is sound and only long is cut."""

IDLE = 5


class CutOff(BaseException):
    """The limit was reached."""


@dataclass(frozen=True)
class Drawn:
    """An input.

    Attributes:
        kind: command, file, matrix, object or call.
        shown: as it would be typed.
        run: gives exit code, standard output and the sentence that came (of a call: of its error).
        argument: words of which one must be in the sentence; empty where nothing is spoilt.
        value: the spoilt value as the sentence must have it.
        spelt: other ways to show it.
    """

    kind: str
    shown: str
    run: Callable[[], tuple[int, str, str]]
    argument: tuple[str, ...] = ()
    value: str = ""
    spelt: tuple[str, ...] = ()

    @property
    def spoilt(self) -> bool:
        return bool(self.argument)


@dataclass(frozen=True)
class Came:
    """What came of an input: refused, done, cut, or a fault in words."""

    drawn: Drawn
    standing: str
    told: str
    seconds: float

    @property
    def fault(self) -> bool:
        return self.standing not in ("refused", "done", "cut")


def judged(drawn: Drawn, limit: int = LIMIT) -> Came:
    """The input run, and whether what came is one sentence, a result, or a fault."""
    begin, spent = time.monotonic(), _spent()
    try:
        with _limited(limit):
            standing, told = _standing(drawn, *drawn.run())
    except CutOff:
        standing, told = "hangs" if drawn.spoilt else "cut", ""
    except Exception:
        if _spent() - spent >= limit or time.monotonic() - begin >= IDLE * limit:  # by the cut
            return Came(drawn, "cut", "", time.monotonic() - begin)
        standing, told = "traceback", traceback.format_exc(limit=-3)
    return Came(drawn, standing, told, time.monotonic() - begin)


def _standing(drawn: Drawn, code: int, out: str, err: str) -> tuple[str, str]:
    lines = [one for one in err.splitlines() if one and not one.startswith("note: ")]
    said = lines[-1] if lines else ""
    if code == 0 and not drawn.spoilt:
        return "done", said
    if code in (0, 1) and drawn.spoilt:
        return "accepted", said
    if code == 1:  # something is refuted, or failed
        return "done", said
    if code != 2:
        return f"exit code {code}", err
    if "Traceback" in err or not said.lower().startswith("error: "):
        return "no sentence", err
    if out.strip():
        return "refused with output", out[-300:] + err
    if len(lines) > 1 and not lines[0].startswith("Usage: "):
        return "several lines", err
    if drawn.spoilt:
        low = err.casefold()
        named = any(word.casefold() in low for word in drawn.argument)
        if not named and not _UNKNOWN.search(low) and not low.startswith(f"error: {drawn.value}"):
            return "argument not named", err
        if not any(value.casefold() in low for value in (*_spellings(drawn.value), *drawn.spelt)):
            return "value not named", err
    return "refused", said


_UNKNOWN = re.compile(r"unknown [a-z0-9 ,-]+ '")
"""A sentence that names the argument by what its values are: ``unknown row or theorem 'x'``."""


def _spellings(value: str) -> tuple[str, ...]:
    """A value as it was typed and as the program may show what it read."""
    try:
        return value, f"{float(value):g}", str(float(value))
    except ValueError:
        first, comma, _ = value.partition(",")  # of several names the first that is unknown
        return (value, repr(value), repr(first)) if comma else (value, repr(value))


def _spent() -> float:
    """Processor seconds of this process and of those of its own that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    begin, spent = time.monotonic(), _spent()

    def cut(signum: int, frame: FrameType | None) -> None:
        if _spent() - spent >= seconds or time.monotonic() - begin >= IDLE * seconds:
            raise CutOff

    before = signal.signal(signal.SIGALRM, cut)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
