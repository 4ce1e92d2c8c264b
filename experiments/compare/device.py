"""Device on which a run is computed."""

from __future__ import annotations

import torch


def usable_device(name: str) -> torch.device:
    """The device of this name, ``cpu``, ``cuda`` or ``cuda:1``.

    Raises:
        ValueError: it is no such name, or this machine has none of the kind or the number.
    """
    kind, _, number = name.partition(":")
    numbered = kind == "cuda" and number.isdecimal()
    if name not in ("cpu", "cuda") and not numbered:
        raise ValueError(f"device must be cpu, cuda or cuda:NUMBER, got device={name}")
    gpus = torch.cuda.device_count()
    if kind == "cuda" and not gpus:
        raise ValueError(f"device must be cpu where torch sees no GPU, got device={name}")
    if kind == "cuda" and int(number or 0) >= gpus:
        raise ValueError(f"device must be cuda:0 to cuda:{gpus - 1} here, got device={name}")
    return torch.device(kind if kind == "cpu" else name)
