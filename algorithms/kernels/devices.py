"""Placement of tensors: host data goes to a device without the host waiting for it."""

from __future__ import annotations

import torch
from torch import Tensor


def put(x: Tensor, device: torch.device) -> Tensor:
    """``x`` on ``device``; x itself where it is there.

    A copy from the host to a GPU does not wait for what the GPU has still to do, as a plain
    ``x.to(device)`` would; the host's numbers are taken before this returns.
    """
    return x if x.device == device else x.to(device, non_blocking=x.is_cpu)
