"""One line on a terminal that says what is being done, and for how long."""

from __future__ import annotations

import time
from typing import TextIO, final


@final
class ProgressLine:
    """Called with a few words; writes them over each other, on a terminal only."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._shown = stream.isatty()

    def __call__(self, told: str) -> None:
        self._write(f"{time.monotonic() - self._start:4.0f} s  {told} ...")

    def clear(self) -> None:
        """Leave the line empty, for what is printed next."""
        self._write("")

    def _write(self, line: str) -> None:
        if self._shown:
            self._stream.write(f"\r\x1b[K{line}")
            self._stream.flush()
