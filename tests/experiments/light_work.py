"""Work for workers of others: they import this module, which needs the standard library alone."""

from __future__ import annotations

import time
from pathlib import Path


def slowly(folder: str, task: str) -> None:
    """Leave a file after a moment."""
    time.sleep(0.1)
    Path(folder, task).touch()
