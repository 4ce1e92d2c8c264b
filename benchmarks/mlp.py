"""A perceptron 784-64-10 over workers, against loops over torch modules with autograd.

Ours is the public path: ``run`` of plain synchronous SGD on :class:`algorithms.problems.mlp.MLP`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.mlp import MLP
from benchmarks.alternating import Rounds
from benchmarks.jobs import BATCH, GAMMA
from benchmarks.programs import mlp_loops
from theory.stepsizes import ConstantStep

WORKERS, SAMPLES, INPUTS, HIDDEN = (1, 8, 64), 128, 784, 64


def synthetic(n: int, samples: int = SAMPLES, inputs: int = INPUTS, hidden: int = HIDDEN) -> MLP:
    """Normal features and labels by lot, float32."""
    lots = torch.Generator().manual_seed(0)
    features = torch.randn((n, samples, inputs), generator=lots)
    labels = torch.randint(10, (n, samples), generator=lots)
    return MLP("mlp-synthetic", features, labels, BATCH, hidden=hidden)


def ours(problem: MLP, steps: int) -> float:
    """Time [s] of ``steps`` steps of a run that records its start and its end."""
    trace = run(BSP(ConstantStep(GAMMA)), problem, steps=steps, points=2)
    return float(trace.wall_seconds[-1])


def line(problem: MLP, turn: float, rounds: int) -> dict[str, Any]:
    """Ratios of one number of workers."""
    others = {
        "modules": mlp_loops.modules,
        "one module": mlp_loops.shared_module,
        "vmap": mlp_loops.batched,
    }
    programs = {name: partial(program, problem) for name, program in others.items()}
    programs["products"] = partial(mlp_loops.products, problem)
    found = Rounds({"ours": partial(ours, problem), **programs}, turn, rounds)
    return {
        "n": problem.n,
        "d": problem.d,
        "speed": found.speed("ours", problem.n),
        "over": {name: found.ratio(name, "ours") for name in others},
        "of_products": found.ratio("products", "ours"),
        "products": found.ratio("modules", "products"),
    }


def measured(
    turn: float, rounds: int, workers: tuple[int, ...] = WORKERS, inputs: int = INPUTS
) -> dict[str, Any]:
    """A line for each number of workers."""
    return {"lines": [line(synthetic(n, inputs=inputs), turn, rounds) for n in workers]}
