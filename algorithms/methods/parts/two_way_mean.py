"""Averages compressed both ways, with error feedback of workers and server."""

from __future__ import annotations

from typing import NamedTuple, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.methods.base import RunContext
from algorithms.pipeline.row_programs import (
    Operation,
    Register,
    add,
    gathered,
    registers,
    sent,
    subtract,
    told,
)


@final
class TwoWayMean(NamedTuple):
    """Mean of rows as all heard it, and what was not sent.

    Attributes:
        incoming: the compressed mean ``[..., 1, d]``.
        residual: what each worker keeps ``[..., m, d]``.
        server: what the server keeps ``[..., 1, d]``.
    """

    incoming: Tensor
    residual: Tensor
    server: Tensor


def two_way_mean(
    rows: Tensor, residual: Tensor, server: Tensor, operator: Compressor, t: int,
    context: RunContext,
) -> TwoWayMean:  # fmt: skip
    """C(mean_i C(row_i + e_i) + e_s), e_i and e_s what C left out.

    Rows ``[..., m, d]``, memories ``[..., m, d]`` and ``[..., 1, d]``. (Zheng, Huang, Kwok 2019,
    arXiv:1905.10936, Algorithm 2.)
    """
    up = rows + residual
    mean, sent = context.network.average(context.pack(operator, up, t))
    down = mean + server
    incoming = context.network.publish(context.pack_server(operator, down, t))
    return TwoWayMean(incoming, up - sent, down - incoming)


def two_way_rows(
    incoming: Register, rows: Register, residual: Register, server: Register
) -> tuple[Operation, ...]:
    """:func:`two_way_mean` as operations on rows: ``incoming`` and ``server`` are lone; messages 0
    and 1 of the plan are the workers' and the server's."""
    (up, said), (down, mean) = registers(2), registers(2, lone=True)
    return (
        add(up, rows, residual),
        sent(said, up),
        subtract(residual, up, said),
        gathered(mean, said, 0),
        add(down, mean, server),
        sent(incoming, down, 1),
        told(1),
        subtract(server, down, incoming),
    )
