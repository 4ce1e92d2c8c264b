"""Orders of rank 0 to the ranks that follow it: what comes next, on which vectors, with what seeds.

A call on two ranks costs little beside the messages that announce it, so that many calls are
announced by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.network.ranks import copy_first

CALL, RESET, STOP, APART = 0, 1, 2, 3
_DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@final
@dataclass(frozen=True)
class RankOrder:
    """Order to act on every row ``[P, d]`` with its seed.

    Attributes:
        what: CALL, RESET, STOP or APART.
        rows: no row for RESET and STOP.
        seeds: of the global random generators, one a row.
    """

    what: int
    rows: Tensor
    seeds: tuple[int, ...]


def tell(what: int, rows: Tensor | None = None, seeds: Sequence[int] = ()) -> None:
    """Rank 0's side; rows ``[P, d]`` and their P seeds."""
    count, size = (0, 0) if rows is None else rows.shape
    kind = 0 if rows is None else _DTYPES.index(rows.dtype)
    copy_first(torch.tensor([what, count, size, kind, seeds[0] if seeds else 0]))
    if rows is not None:
        copy_first(rows.clone())
    if count > 1:
        copy_first(torch.tensor(seeds))


def hear() -> RankOrder:
    """The other ranks' side."""
    header = torch.zeros(5, dtype=torch.int64)
    copy_first(header)
    what, count, size, kind, seed = header.tolist()
    rows = torch.zeros(count, size, dtype=_DTYPES[kind])
    if count:
        copy_first(rows)
    seeds = torch.tensor([seed])
    if count > 1:
        seeds = torch.zeros(count, dtype=torch.int64)
        copy_first(seeds)
    return RankOrder(what, rows, tuple(seeds.tolist()))
