"""Narrower keys within compiled code: ``Key.fold``'s hash, blake2b, of one short message.

An operator whose draws are folded with further words folds them itself, step by step: half a
microsecond each.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit

_IV = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    np.uint64,
)  # fmt: skip
_ORDER = np.array(
    [
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
    ]
)  # fmt: skip
_LONGEST = 128


@njit(cache=True, nogil=True, inline="always")
def _turned(word, bits):  # type: ignore[no-untyped-def]
    return (word >> np.uint64(bits)) | (word << np.uint64(64 - bits))


@njit(cache=True, nogil=True)
def _mixed(v, a, b, c, d, one, two):  # type: ignore[no-untyped-def]
    v[a] = v[a] + v[b] + one
    v[d] = _turned(v[d] ^ v[a], 32)
    v[c] = v[c] + v[d]
    v[b] = _turned(v[b] ^ v[c], 24)
    v[a] = v[a] + v[b] + two
    v[d] = _turned(v[d] ^ v[a], 16)
    v[c] = v[c] + v[d]
    v[b] = _turned(v[b] ^ v[c], 63)


@njit(cache=True, nogil=True)
def _hashed(message, length):  # type: ignore[no-untyped-def]
    """The first word of blake2b with a digest of 8 bytes, of a message ``[16]`` of words."""
    v = np.empty(16, np.uint64)
    first = _IV[0] ^ np.uint64(0x01010008)
    v[:8], v[8:] = _IV, _IV
    v[0] = first
    v[12] ^= np.uint64(length)
    v[14] = ~v[14]
    for r in range(12):
        m = _ORDER[r % 10]
        for q in range(4):
            one, two = message[m[2 * q]], message[m[2 * q + 1]]
            _mixed(v, q, q + 4, q + 8, q + 12, one, two)
        for q in range(4):
            one, two = message[m[8 + 2 * q]], message[m[9 + 2 * q]]
            _mixed(v, q, (q + 1) % 4 + 4, (q + 2) % 4 + 8, (q + 3) % 4 + 12, one, two)
    return first ^ v[0] ^ v[8]


@njit(cache=True, nogil=True)
def _put(message, at, byte):  # type: ignore[no-untyped-def]
    message[at >> 3] |= np.uint64(byte) << np.uint64(8 * (at & 7))
    return at + 1


@njit(cache=True, nogil=True)
def _put_number(message, at, number):  # type: ignore[no-untyped-def]
    power = 1
    while number // power >= 10:
        power *= 10
    while power > 0:
        at = _put(message, at, 48 + number // power % 10)
        power //= 10
    return at


@njit(cache=True, nogil=True)
def folded(k0, k1, ending):  # type: ignore[no-untyped-def]
    """Words of the key that ``Key((k0, k1)).fold(...)`` is, ``ending`` of :func:`ending_of`."""
    message = np.zeros(16, np.uint64)
    at = _put(message, _put(message, 0, 40), 40)
    at = _put_number(message, at, k0)
    at = _put(message, _put(message, at, 44), 32)
    at = _put_number(message, at, k1)
    for byte in ending:
        at = _put(message, at, byte)
    word = _hashed(message, at)
    return np.int64(word & np.uint64(0xFFFFFFFF)), np.int64(word >> np.uint64(32))


def ending_of(*words: int | str) -> tuple[int, ...]:
    """What a fold with these words hashes after the key, byte by byte.

    Raises:
        ValueError: words of more than a hundred bytes.
    """
    ending = tuple(f"), {words!r})".encode())
    if len(ending) > _LONGEST - len("((4294967295, 4294967295"):
        raise ValueError(f"words to fold may take a hundred bytes, got {words}")
    return ending
