"""Key words of many steps at once: the hash that folds words into a key, as compiled code.

The text and the hash are those of :meth:`algorithms.core.key.Key.fold`: blake2b (RFC 7693) of a key
and its words, 8 bytes of digest, of which the first four are the first word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels.compiled import njit

_START = np.array([
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
], dtype=np.uint64)  # fmt: skip
_ORDER = np.array([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
], dtype=np.int64)  # fmt: skip
_BLOCK, _DIGEST = 128, 8


@njit(cache=True, nogil=True)
def _turn(x, count):  # type: ignore[no-untyped-def]
    return (x >> np.uint64(count)) | (x << np.uint64(64 - count))


@njit(cache=True, nogil=True)
def _mix(v, a, b, c, d, x, y):  # type: ignore[no-untyped-def]
    v[a] = v[a] + v[b] + x
    v[d] = _turn(v[d] ^ v[a], 32)
    v[c] = v[c] + v[d]
    v[b] = _turn(v[b] ^ v[c], 24)
    v[a] = v[a] + v[b] + y
    v[d] = _turn(v[d] ^ v[a], 16)
    v[c] = v[c] + v[d]
    v[b] = _turn(v[b] ^ v[c], 63)


@njit(cache=True, nogil=True)
def _compress(h, words, seen, last, v):  # type: ignore[no-untyped-def]
    v[:8], v[8:] = h, _START
    v[12] ^= np.uint64(seen)
    if last:
        v[14] = ~v[14]
    for r in range(12):
        s = _ORDER[r]
        for i in range(4):
            _mix(v, i, 4 + i, 8 + i, 12 + i, words[s[2 * i]], words[s[2 * i + 1]])
        for i in range(4):
            b, c, d = 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4
            _mix(v, i, b, c, d, words[s[8 + 2 * i]], words[s[9 + 2 * i]])
    for i in range(8):
        h[i] ^= v[i] ^ v[i + 8]


@njit(cache=True, nogil=True)
def _digits(number, text, place):  # type: ignore[no-untyped-def]
    """Write a number that is not negative in decimal; where the text goes on."""
    count, rest = 1, number // 10
    while rest > 0:
        count, rest = count + 1, rest // 10
    for i in range(count):
        text[place + count - 1 - i] = 48 + number % 10
        number //= 10
    return place + count


@njit(cache=True, nogil=True)
def _copied(part, text, place):  # type: ignore[no-untyped-def]
    text[place : place + part.shape[0]] = part
    return place + part.shape[0]


@njit(cache=True, nogil=True)
def _hashed(text, length, h, v):  # type: ignore[no-untyped-def]
    """The first eight bytes of blake2b of the text, padded with zeros to whole blocks."""
    h[:] = _START
    h[0] ^= np.uint64(0x01010000 ^ _DIGEST)
    words = text.view(np.uint64)
    blocks = max(1, (length + _BLOCK - 1) // _BLOCK)
    for b in range(blocks):
        last = b == blocks - 1
        seen = length if last else (b + 1) * _BLOCK
        _compress(h, words[16 * b : 16 * b + 16], seen, last, v)
    return h[0]


@njit(cache=True, nogil=True)
def fold_numbers(k0, k1, head, tail, first, out):  # type: ignore[no-untyped-def]
    """Words of the keys that are folded from (k0, k1) with what ``head`` begins and ``tail`` ends,
    a number between them: first, first + 1, ..., into ``[T, 2]``."""
    room = (80 + head.shape[0] + tail.shape[0]) // _BLOCK + 1
    text = np.zeros(room * _BLOCK, np.uint8)
    h, v = np.empty(8, np.uint64), np.empty(16, np.uint64)
    text[0] = text[1] = 40
    start = _digits(k0, text, 2)
    text[start], text[start + 1] = 44, 32
    start = _digits(k1, text, start + 2)
    start = _copied(head, text, start)
    for i in range(out.shape[0]):
        end = _copied(tail, text, _digits(first + i, text, start))
        text[end:] = 0
        word = _hashed(text, end, h, v)
        out[i, 0] = np.int64(word & np.uint64(0xFFFFFFFF))
        out[i, 1] = np.int64(word >> np.uint64(32))


def text_between(purpose: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Bytes before and after the number in the text of ``Key.fold(purpose, number)``."""
    head, tail = f"), ({purpose!r}, ", "))"
    return _bytes(head), _bytes(tail)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8).copy()


def step_words(words: tuple[int, int], purpose: str, first: int, count: int) -> NDArray[np.int64]:
    """Words ``[T, 2]`` of ``Key(words).fold(purpose, t)`` for t = first, ..., first + count - 1."""
    out = np.empty((count, 2), np.int64)
    fold_numbers(*words, *text_between(purpose), first, out)
    return out


@njit(cache=True, nogil=True)
def folded(k0, k1, ending):  # type: ignore[no-untyped-def]
    """Words of the key that is folded from (k0, k1) with what ``ending`` ends, of
    :func:`ending_of`: for parts whose draws are narrower than those that they are given."""
    text = np.zeros(((80 + ending.shape[0]) // _BLOCK + 1) * _BLOCK, np.uint8)
    h, v = np.empty(8, np.uint64), np.empty(16, np.uint64)
    text[0] = text[1] = 40
    place = _digits(k0, text, 2)
    text[place], text[place + 1] = 44, 32
    place = _copied(ending, text, _digits(k1, text, place + 2))
    word = _hashed(text, place, h, v)
    return np.int64(word & np.uint64(0xFFFFFFFF)), np.int64(word >> np.uint64(32))


def ending_of(*words: int | str) -> tuple[int, ...]:
    """Bytes after the key in the text of ``Key.fold(*words)``, one by one."""
    return tuple(f"), {words!r})".encode())


@njit(cache=True, nogil=True)
def _fold_each(words, head, tail, out):  # type: ignore[no-untyped-def]
    for i in range(words.shape[0]):
        fold_numbers(words[i, 0], words[i, 1], head, tail, 0, out[i])


def narrower_words(words: NDArray[np.int64], purpose: str, count: int) -> NDArray[np.int64]:
    """Words ``[T, count, 2]`` of ``fold(purpose, b)`` of keys ``[T, 2]``, b = 0, ..., count - 1."""
    out = np.empty((len(words), count, 2), np.int64)
    _fold_each(np.ascontiguousarray(words), *text_between(purpose), out)
    return out
