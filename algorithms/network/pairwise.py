"""Messages between pairs of ranks that both know of, all of a rank's at once."""

from __future__ import annotations

from collections.abc import Iterable

import torch.distributed as dist
from torch import Tensor

Addressed = tuple[int, Tensor]
"""A rank, and the tensor that goes to it or comes from it."""


def cross(out: Iterable[Addressed], into: Iterable[Addressed]) -> None:
    """Send ``out`` and receive over ``into``; empty tensors stay at home.

    gloo sends from the host's memory alone: what lies on a GPU is copied there, and back.

    Raises:
        RuntimeError: torch.distributed is not initialised, or a rank was lost.
    """
    sends = [(to, x.contiguous()) for to, x in out if x.numel()]
    rooms = [(whence, x) for whence, x in into if x.numel()]
    landed = rooms
    if dist.get_backend() == "gloo":
        sends = [(to, x.cpu()) for to, x in sends]
        landed = [(whence, x if x.is_cpu else x.cpu()) for whence, x in rooms]
    operations = [dist.P2POp(dist.isend, x, to) for to, x in sends]
    operations += [dist.P2POp(dist.irecv, x, whence) for whence, x in landed]
    for work in dist.batch_isend_irecv(operations) if operations else ():
        work.wait()
    for (_, room), (_, came) in zip(rooms, landed, strict=True):
        if room is not came:
            room.copy_(came)
