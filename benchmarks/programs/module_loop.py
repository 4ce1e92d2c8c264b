"""n torch modules, one a worker, each with its own backward pass: how distributed training is often
simulated."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from benchmarks.jobs import BATCH, CONSENSUS, GAMMA, LAM, PERIOD
from benchmarks.programs.eager_torch import qsgd, ring, top_k


def gradients(models: list[torch.nn.Linear], a: Tensor, y: Tensor) -> Tensor:
    """Minibatch gradients ``[n, d]`` of all modules, by autograd."""
    found = []
    for model, features, labels in zip(models, a, y, strict=True):
        rows = torch.randint(len(features), (BATCH,))
        z = labels[rows] * model(features[rows])[:, 0]
        penalty = 0.5 * LAM * model.weight.square().sum()
        loss = torch.nn.functional.softplus(-z).mean() + penalty
        model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        assert model.weight.grad is not None
        found.append(model.weight.grad[0])
    return torch.stack(found)


def seconds(method: str, a: Tensor, y: Tensor, steps: int) -> float:
    """Time [s] of ``steps`` steps of one method, features ``[n, S, d]``, labels ``[n, S]``."""
    n, _, d = a.shape
    models = [torch.nn.Linear(d, 1, bias=False, dtype=a.dtype) for _ in range(n)]
    for model in models:
        torch.nn.init.zeros_(model.weight)
    memory, public = torch.zeros((n, d), dtype=a.dtype), torch.zeros((n, d), dtype=a.dtype)
    start = time.perf_counter()
    for t in range(steps):
        g = gradients(models, a, y)
        with torch.no_grad():
            x = torch.stack([model.weight[0] for model in models])
            if method in ("BSP", "QSGD"):
                x = x - GAMMA * (qsgd(g) if method == "QSGD" else g).mean(0)
            elif method == "top-1%":
                wanted = memory + GAMMA * g
                sent = top_k(wanted)
                memory, x = wanted - sent, x - sent.mean(0)
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
            for model, row in zip(models, x, strict=True):
                model.weight[0] = row
    return time.perf_counter() - start
