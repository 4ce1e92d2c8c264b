"""Packed parts of a page: gzip in letters of seven bits, unpacked by its script when asked for.

Further lines of a long table and sources of code are five sixths of a row's page, and most readers
look at neither. A page that is opened from a folder can read no file of bytes, and base64 takes a
sixth more than seven bits a letter (as of Base122, Albertson 2016, https://blog.kevinalbs.com/base122).
"""

from __future__ import annotations

import gzip
import re

import numpy as np

WORTH = 0.75
"""Share of its bytes that a part takes at most when packed; else it stays as it is."""

LINES = 4
"""Lines of a table that are on the page as they are, for readers without a script too."""

_UNFIT = '\0\n\r"&\\'  # letters that cannot stand in a string of a script or an attribute
_PAIR, _ALONE = 2, 2 + len(_UNFIT)  # times 128: such a letter with the next one, or as the last


def letters(content: bytes) -> str:
    """Bytes as letters of seven bits that stand within double quotes of HTML and of JavaScript.

    One of the six that may not stand there makes a letter of two bytes (in UTF-8) with the letter
    behind it: n bytes take 8n/7, and at most two more.
    """
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8))
    sevens = np.append(bits, np.zeros(-len(bits) % 7, dtype=np.uint8)).reshape(-1, 7)
    plain = (np.packbits(sevens, axis=1)[:, 0] >> 1).tobytes().decode("ascii")
    return re.sub(f"([{re.escape(_UNFIT)}])(.?)", _joined, plain, flags=re.DOTALL)


def content_of(text: str) -> bytes:
    """Bytes of what :func:`letters` made.

    Raises:
        ValueError: a letter is none that it makes.
    """
    sevens = bytearray()
    for code in map(ord, text):
        which, letter = divmod(code, 128)
        if which == 1 or which >= _ALONE + len(_UNFIT):
            raise ValueError(f"text must be letters of seven bits, got {chr(code)!r}")
        if which >= _PAIR:
            sevens.append(ord(_UNFIT[(which - _PAIR) % len(_UNFIT)]))
        if which < _ALONE:
            sevens.append(letter)
    bits = np.unpackbits(np.frombuffer(sevens, dtype=np.uint8)).reshape(-1, 8)[:, 1:].ravel()
    return np.packbits(bits[: len(bits) // 8 * 8]).tobytes()


def zipped(text: str) -> str:
    """The text as gzip in :func:`letters`, the same for the same."""
    return letters(gzip.compress(text.encode(), mtime=0))


def packed(text: str) -> str:
    """The text for an attribute of its element; empty where packing is not worth it."""
    held = zipped(text)
    return held if len(held.encode()) <= WORTH * len(text.encode()) else ""


def script(name: str, text: str, of: str = "") -> bytes:
    """A script that hands the page the text as ``report.NAME("OF", text)``, without the first where
    it is empty: a page that is opened from a folder may read no other file."""
    first = f'"{of}",' if of else ""
    return f'report.{name}({first}"{zipped(text)}");\n'.encode()


def unpacked(text: str) -> str:
    """What :func:`packed` packed.

    Raises:
        ValueError: it is nothing that was packed.
    """
    try:
        return gzip.decompress(content_of(text)).decode()
    except (OSError, EOFError, ValueError) as error:
        raise ValueError(
            f"text must be gzip in letters of seven bits, got {text[:20]!r}: {error}"
        ) from error


def _joined(found: re.Match[str]) -> str:
    which = _UNFIT.index(found[1])
    return chr((_PAIR + which) * 128 + ord(found[2])) if found[2] else chr((_ALONE + which) * 128)
