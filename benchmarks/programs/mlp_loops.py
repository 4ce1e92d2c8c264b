"""A perceptron for each worker in torch: modules with a backward pass each, and all in one."""

from __future__ import annotations

import time

import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy

from algorithms.problems.mlp import MLP
from benchmarks.jobs import GAMMA


def perceptron(problem: MLP) -> torch.nn.Sequential:
    """A module of the problem's sizes, at its starting point."""
    p = problem.features.shape[2]
    module = torch.nn.Sequential(
        torch.nn.Linear(p, problem.hidden, dtype=problem.dtype),
        torch.nn.Tanh(),
        torch.nn.Linear(problem.hidden, problem.classes, dtype=problem.dtype),
    )
    torch.nn.utils.vector_to_parameters(problem.start(), module.parameters())
    return module


def one_gradient(module: torch.nn.Module, problem: MLP, worker: int) -> list[Tensor]:
    """A worker's minibatch gradient at the module's parameters, by autograd."""
    rows = torch.randint(problem.features.shape[1], (problem.batch,))
    scores = module(problem.features[worker, rows])
    module.zero_grad()
    loss = cross_entropy(scores, problem.labels[worker, rows])
    loss.backward()  # type: ignore[no-untyped-call]
    return [part.grad for part in module.parameters() if part.grad is not None]


def modules(problem: MLP, steps: int) -> float:
    """Time [s] of ``steps`` steps of plain SGD, a module for each worker."""
    made = [perceptron(problem) for _ in range(problem.n)]
    start = time.perf_counter()
    for _ in range(steps):
        gradients = [one_gradient(module, problem, i) for i, module in enumerate(made)]
        with torch.no_grad():
            means = [torch.stack(parts).mean(0) for parts in zip(*gradients, strict=True)]
            for module in made:
                for part, mean in zip(module.parameters(), means, strict=True):
                    part.sub_(mean, alpha=GAMMA)
    return time.perf_counter() - start


def shared_module(problem: MLP, steps: int) -> float:
    """Time [s] of ``steps`` steps where all workers use one module, since their models agree, and
    gradients are only added up: what plain SGD can do and most other methods cannot."""
    module = perceptron(problem)
    start = time.perf_counter()
    for _ in range(steps):
        totals = [torch.zeros_like(part) for part in module.parameters()]
        for i in range(problem.n):
            for total, part in zip(totals, one_gradient(module, problem, i), strict=True):
                total += part
        with torch.no_grad():
            for part, total in zip(module.parameters(), totals, strict=True):
                part.sub_(total, alpha=GAMMA / problem.n)
    return time.perf_counter() - start


def batched(problem: MLP, steps: int) -> float:
    """Time [s] of ``steps`` steps by ``torch.func``: gradients of all workers in one vmap."""
    module = perceptron(problem)
    found = {name: part.detach() for name, part in module.named_parameters()}
    n, samples, _ = problem.features.shape
    subset = torch.arange(n)[:, None]

    def loss(parameters: dict[str, Tensor], features: Tensor, labels: Tensor) -> Tensor:
        return cross_entropy(functional_call(module, parameters, (features,)), labels)

    of_all = vmap(grad(loss), in_dims=(None, 0, 0))
    start = time.perf_counter()
    for _ in range(steps):
        rows = torch.randint(samples, (n, problem.batch))
        gradients = of_all(found, problem.features[subset, rows], problem.labels[subset, rows])
        found = {name: part - GAMMA * gradients[name].mean(0) for name, part in found.items()}
    return time.perf_counter() - start


def products(problem: MLP, steps: int) -> float:
    """Time [s] of the two products of ``steps`` steps that every program has to take: a minibatch
    with the first layer, and its slopes with the minibatch, for each worker."""
    features = problem.features[:, : problem.batch].contiguous()
    first = next(perceptron(problem).parameters())  # the first layer's weights
    weights = first.detach().expand(problem.n, -1, -1)
    slopes = features @ weights.mT
    start = time.perf_counter()
    for _ in range(steps):
        torch.bmm(features, weights.mT)
        torch.bmm(slopes.mT, features)
    return time.perf_counter() - start
