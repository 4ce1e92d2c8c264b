"""A small convolutional network on scikit-learn's digits: non-convex, weights shared by places."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from algorithms.core.key import Key
from algorithms.problems import datasets
from algorithms.problems.base import lower, require_int
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.module_problem import ModuleProblem
from algorithms.problems.partitions import Iid, Partition
from theory.constants import Constants

_SIDE, _KERNEL, _STRIDE, _CLASSES = 8, 3, 2, 10  # pixels of an image, a kernel, between two


def digits_network(channels: int, seed: int) -> nn.Sequential:
    """8 x 8 pixels, ``channels`` kernels of 3 x 3 at every other place, tanh, a dense layer.

    Striding takes the place of pooling (Springenberg et al. 2015, arXiv:1412.6806) and leaves a
    quarter of the hyperbolic tangents, which are what a step's time goes into.

    Weights are torch's own draws of ``seed``; torch's generator is left as it was.

    Raises:
        ValueError: channels < 1.
    """
    require_int("channels", channels, 1)
    hidden = channels * ((_SIDE - _KERNEL) // _STRIDE + 1) ** 2
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Unflatten(-1, (1, _SIDE, _SIDE)), nn.Conv2d(1, channels, _KERNEL, _STRIDE),
            nn.Tanh(), nn.Flatten(-3), nn.Linear(hidden, _CLASSES),
        ).double()  # fmt: skip


def digits_cnn(
    n: int, *, batch: int = 8, partition: Partition | None = None, channels: int = 4, seed: int = 0
) -> ModuleProblem:
    """Cross-entropy of :func:`digits_network` on the ten digits, S = 1797 // n samples a worker.

    Raises:
        ValueError: n > 1797, n or channels below 1, batch below 0.
    """
    rule = partition or Iid()
    samples = datasets.digits()
    features, labels = samples.deal(rule, n, Key.seed(seed).fold("partition"), torch.float64)
    told = Constants().state(convex=False)
    told = told.state(lower("cross-entropy is not negative"), f_star=0.0)
    return ModuleProblem(
        f"cnn-digits-{rule.name}", digits_network(channels, seed), cross_entropy, features, labels,
        batch, told,
    )  # fmt: skip


ENTRIES = (
    ProblemEntry(
        "cnn-digits",
        "convolutional network on digits: 4 strided kernels, a dense layer, iid shards",
        lambda n: replace(digits_cnn(n), name="cnn-digits"),
        general=False,
        dealt=lambda n, partition: digits_cnn(n, partition=partition),
    ),
)
