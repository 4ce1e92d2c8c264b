"""All workers as one batch in plain eager torch: gathered minibatches and batched products."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from benchmarks.jobs import BATCH, CONSENSUS, GAMMA, KEPT, LAM, LEVELS, PERIOD


def gradient(a: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Minibatch gradients ``[n, d]`` at x ``[n, d]``."""
    n, samples, _ = a.shape
    rows = torch.randint(samples, (n, BATCH))
    subset = torch.arange(n)[:, None]
    chosen, label = a[subset, rows], y[subset, rows]
    z = label * torch.bmm(chosen, x[..., None])[..., 0]
    pull = -label * torch.sigmoid(-z)
    return torch.bmm(pull[:, None], chosen)[:, 0] / BATCH + LAM * x


def qsgd(g: Tensor) -> Tensor:
    """QSGD of rows ``[n, d]``."""
    norm = g.norm(dim=1, keepdim=True)
    scaled = g.abs() * (LEVELS / norm)
    low = scaled.floor()
    low += torch.rand_like(g) < scaled - low
    message: Tensor = g.sign() * low * (norm / LEVELS)
    return message


def top_k(g: Tensor) -> Tensor:
    """The largest magnitudes of rows ``[n, d]``."""
    keep = g.abs().topk(max(1, int(KEPT * g.shape[1])), dim=1, sorted=False).indices
    return torch.zeros_like(g).scatter_(1, keep, g.gather(1, keep))


def ring(x: Tensor) -> Tensor:
    """Means ``[n, d]`` of each row and its two neighbours."""
    return (x.roll(1, 0) + x + x.roll(-1, 0)) / 3


def seconds(method: str, a: Tensor, y: Tensor, steps: int) -> float:
    """Time [s] of ``steps`` steps of one method, features ``[n, S, d]``, labels ``[n, S]``."""
    n, _, d = a.shape
    x, memory, public = (torch.zeros((n, d), dtype=a.dtype) for _ in range(3))
    start = time.perf_counter()
    for t in range(steps):
        g = gradient(a, y, x)
        if method == "BSP":
            x = (x[0] - GAMMA * g.mean(0)).expand(n, d)
        elif method == "QSGD":
            x = (x[0] - GAMMA * qsgd(g).mean(0)).expand(n, d)
        elif method == "top-1%":
            wanted = memory + GAMMA * g
            sent = top_k(wanted)
            memory = wanted - sent
            x = (x[0] - sent.mean(0)).expand(n, d)
        elif method == "D-PSGD":
            x = ring(x) - GAMMA * g
        elif method == "CHOCO top-1%":
            x = x - GAMMA * g
            public = public + top_k(x - public)
            x = x + CONSENSUS * (ring(public) - public)
        else:
            x = x - GAMMA * g
            if (t + 1) % PERIOD == 0:
                x = x.mean(0).expand(n, d)
    return time.perf_counter() - start
