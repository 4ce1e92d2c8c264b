"""Packed parts of a page: gzip in base64, unpacked by the page's script when somebody asks.

Further lines of a long table and sources of code are five sixths of a row's page, and most readers
look at neither.
"""

from __future__ import annotations

import base64
import gzip

WORTH = 0.75
"""Share of its bytes that a part takes at most when packed; else it stays as it is."""

LINES = 6
"""Lines of a table that are on the page as they are, for readers without a script too."""


def packed(text: str) -> str:
    """The text for an attribute of its element; empty where packing is not worth it."""
    plain = text.encode()
    zipped = base64.b64encode(gzip.compress(plain, mtime=0)).decode()
    return zipped if len(zipped) <= WORTH * len(plain) else ""


def unpacked(text: str) -> str:
    """What :func:`packed` packed.

    Raises:
        ValueError: it is nothing that was packed.
    """
    try:
        return gzip.decompress(base64.b64decode(text, validate=True)).decode()
    except (OSError, EOFError) as error:
        raise ValueError(f"text must be gzip in base64, got {text[:20]!r}: {error}") from error
