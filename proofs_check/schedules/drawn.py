"""Training steps and channels drawn from a seed, for checks of schedules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.step import SentTensor, TrainingStep

SEED = 15


def drawn_step(random: np.random.Generator, gradients: int, unit: float = 1.0) -> TrainingStep:
    """A step of as many layers as gradients, some layers with several or none; times, start-ups and
    times of sending are of the same order, so that what to do is not plain. Gradients have about
    ``unit`` bits."""
    layers = sorted(random.integers(0, gradients, gradients).tolist())
    forward, backward = random.exponential(1.0, (2, gradients)).tolist()
    bits = random.exponential(unit, gradients).tolist()
    return TrainingStep(
        tuple(f"layer {i}" for i in range(gradients)),
        tuple(forward),
        tuple(backward),
        tuple(
            SentTensor(f"gradient {i}", *pair)
            for i, pair in enumerate(zip(layers, bits, strict=True))
        ),
    )


def drawn_channel(random: np.random.Generator, slowed: bool, unit: float = 1.0) -> Channel:
    """A channel; ``slowed``: by a device that computes."""
    alpha, beta = random.exponential(0.5), random.exponential(0.7 / unit)
    return Channel(
        "network", alpha, beta, 0.0, beta * (1 + random.exponential(1.0)) if slowed else None
    )


def drawn_servers(random: np.random.Generator, unit: float = 1.0) -> Carrier:
    """Push and pull with start-ups and latencies."""
    made = []
    for name in ("push", "pull"):
        alpha, latency = random.exponential(0.5, 2).tolist()
        made.append(Channel(name, alpha, random.exponential(0.5 / unit), latency))
    return Carrier(tuple(made))


def instances(count: int, most: int) -> Iterator[tuple[TrainingStep, Channel]]:
    """``count`` steps of 1 to ``most`` gradients, each with a channel, every other one slowed."""
    random = np.random.default_rng(SEED)
    for i in range(count):
        step = drawn_step(random, 1 + i % most)
        yield step, drawn_channel(random, slowed=i % 2 == 1)
