"""Rows to ternaries, five to a byte, and back (3LC; Lim et al. 2018, arXiv:1802.07389)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.devices import put

_POWERS = (81, 27, 9, 3, 1)


@njit(cache=True, nogil=True)
def packed_into(x, edge, trits, out):  # type: ignore[no-untyped-def]
    """Codes of rows ``[P, d]`` as five trits a byte; ``edge`` is half a level of each row."""
    d = x.shape[1]
    for i in range(x.shape[0]):
        row, half = x[i], edge[i]
        for j in range(d):
            trits[j] = np.uint8(1 + (row[j] > half) - (row[j] < -half))
        for q in range(out.shape[1]):
            t = trits[5 * q : 5 * q + 5]
            out[i, q] = 81 * t[0] + 27 * t[1] + 9 * t[2] + 3 * t[3] + t[4]


@njit(cache=True, nogil=True)
def _spread(quintets, scale, digits, out):  # type: ignore[no-untyped-def]
    d = out.shape[1]
    whole = d // 5
    for i in range(out.shape[0]):
        top, row = scale[i], out[i]
        for q in range(whole):
            five = digits[quintets[i, q]]
            for t in range(5):
                row[5 * q + t] = five[t] * top
        for j in range(5 * whole, d):
            row[j] = digits[quintets[i, whole], j - 5 * whole] * top


def packed_torch(x: Tensor, edge: Tensor) -> Tensor:
    """The twin of :func:`packed`, equal."""
    trits = torch.where(x.abs() > edge, x.sign(), 0).to(torch.int8) + 1
    padded = pad(trits, (0, -x.shape[-1] % 5), value=1)
    fives = torch.unflatten(padded.to(torch.uint8), -1, (-1, 5))
    powers = put(torch.tensor(_POWERS, dtype=torch.uint8), x.device)
    return (fives * powers).sum(-1, dtype=torch.uint8)


def packed(x: Tensor, edge: Tensor) -> Tensor:
    """Bytes ``[..., m, ceil(d / 5)]`` of rows: 1 + the sign of what is beyond ``edge``
    ``[..., m, 1]``, else 1, most significant first; what is missing from the last is 1."""
    if by_torch(x):
        return packed_torch(x, edge)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    size = -(-x.shape[-1] // 5)
    out = torch.empty((*x.shape[:-1], size), dtype=torch.uint8)
    trits = np.ones(5 * size, dtype=np.uint8)
    edges = edge.reshape(-1).contiguous().numpy()
    packed_into(rows.numpy(), edges, trits, out.view(-1, size).numpy())
    return out


def _digits(device: torch.device) -> Tensor:
    """The five ternaries ``[256, 5]`` (int8) of each byte."""
    powers = put(torch.tensor(_POWERS, dtype=torch.uint8), device)
    every = torch.arange(256, device=device).to(torch.uint8)
    return (every[:, None] // powers % 3).to(torch.int8) - 1


def spread_torch(quintets: Tensor, scale: Tensor, d: int) -> Tensor:
    """The twin of :func:`spread`, equal."""
    trits = _digits(quintets.device)[quintets.to(torch.int64)].flatten(-2)[..., :d]
    return trits.to(scale.dtype) * scale


def spread(quintets: Tensor, scale: Tensor, d: int) -> Tensor:
    """Rows ``[..., m, d]`` of bytes ``[..., m, ceil(d / 5)]``, times ``scale`` ``[..., m, 1]``."""
    if by_torch(quintets):
        return spread_torch(quintets, scale, d)
    out = torch.empty((*quintets.shape[:-1], d), dtype=scale.dtype)
    rows = quintets.reshape(-1, quintets.shape[-1]).contiguous().numpy()
    digits = _digits(quintets.device).to(scale.dtype).numpy()
    _spread(rows, scale.reshape(-1).contiguous().numpy(), digits, out.view(-1, d).numpy())
    return out
