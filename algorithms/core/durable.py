"""Files that are on the disk before anything rests on them."""

from __future__ import annotations

import os
from pathlib import Path


def settle(path: Path) -> None:
    """Wait until the file, or the folder's list of names, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_settled(path: Path, content: bytes, part: Path) -> None:
    """Write ``content`` to ``path`` by way of ``part``: it is there whole or as it was before."""
    try:
        part.write_bytes(content)
        settle(part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    settle(path.parent)
