"""What is being done, and for how long: one line on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import time
from typing import TextIO, final

EVERY = 10.0
"""Seconds between lines where the stream is no terminal; what takes less says nothing."""


@final
class ProgressLine:
    """Called with a few words: on a terminal they replace each other, elsewhere lines follow."""

    def __init__(self, stream: TextIO, every: float | None = None) -> None:
        self._stream = stream
        self._start = self._told = time.monotonic()
        self._replaces = stream.isatty()
        self._every = EVERY if every is None else every

    def __call__(self, told: str) -> None:
        line = f"{time.monotonic() - self._start:4.0f} s  {told} ..."
        if self._replaces:
            self._replace(line)
        elif time.monotonic() - self._told >= self._every:
            self._told = time.monotonic()
            print(line, file=self._stream, flush=True)

    def clear(self) -> None:
        """Leave the line empty, for what is printed next."""
        if self._replaces:
            self._replace("")

    def _replace(self, line: str) -> None:
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()
