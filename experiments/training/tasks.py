"""Training tasks of ``train``: torch modules with loss and data, a share for every rank."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import final

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from algorithms.core.names import look_up
from algorithms.problems import datasets
from algorithms.problems.cnn import digits_cnn
from algorithms.problems.module_problem import ModuleProblem
from proofs_check.audit.loading import imported

_LETTERS, _LENGTH, _WIDTH, _TEXTS = 12, 24, 32, 512
_BATCH, _HIDDEN = 16, 32


@final
class CausalTransformer(nn.Module):
    """One block: attention to what came before, a feed-forward part, both with layer norms."""

    def __init__(self, letters: int = _LETTERS, length: int = _LENGTH, width: int = _WIDTH) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Parameter(torch.randn(length, width) / 10)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attends, self.joins = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.reads = nn.Linear(width, letters)
        self.register_buffer("later", torch.ones(length, length).triu(1).bool())

    def forward(self, text: Tensor) -> Tensor:
        """Logits ``[..., length, letters]`` of each next letter of ``text`` ``[..., length]``."""
        x = self.letters(text) + self.places
        query, key, value = self.attends(self.before(x)).chunk(3, -1)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        x = x + self.joins(scores.masked_fill(self.later, -torch.inf).softmax(-1) @ value)
        logits: Tensor = self.reads(x + self.narrow(torch.tanh(self.wide(self.between(x)))))
        return logits


def next_letters(outputs: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy of logits ``[s, length, letters]`` on ``labels`` ``[s, length]``."""
    return cross_entropy(outputs.flatten(0, 1), labels.flatten())


def chain_of_letters(letters: int = _LETTERS, seed: int = 0) -> Tensor:
    """Probabilities ``[letters, letters, letters]`` of a letter after two others."""
    drawn = torch.Generator().manual_seed(seed)
    shape = (letters, letters, letters)
    return (3 * torch.randn(shape, generator=drawn, dtype=torch.float64)).softmax(-1)


def made_texts(count: int = _TEXTS, length: int = _LENGTH, seed: int = 0) -> Tensor:
    """Texts ``[count, length + 1]`` in which each letter is drawn after the two before it."""
    chain, drawn = chain_of_letters(seed=seed), torch.Generator().manual_seed(seed + 1)
    texts = torch.randint(len(chain), (count, length + 1), generator=drawn)
    for place in range(2, length + 1):
        law = chain[texts[:, place - 2], texts[:, place - 1]]
        texts[:, place] = torch.multinomial(law, 1, generator=drawn)[:, 0]
    return texts


def _seeded(build: Callable[[], nn.Module], seed: int) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def _mlp(n: int, seed: int) -> ModuleProblem:
    samples = datasets.digits()
    module = _seeded(
        lambda: nn.Sequential(
            nn.Linear(samples.features.shape[-1], _HIDDEN), nn.Tanh(), nn.Linear(_HIDDEN, 10)
        ),
        seed,
    )
    return ModuleProblem.from_data(
        module, cross_entropy, torch.as_tensor(samples.features),
        torch.as_tensor(samples.labels), n=n, batch=_BATCH, name="mlp",
    )  # fmt: skip


def _cnn(n: int, seed: int) -> ModuleProblem:
    return digits_cnn(n, batch=_BATCH, seed=seed)


def _transformer(n: int, seed: int) -> ModuleProblem:
    texts = made_texts()
    return ModuleProblem.from_data(
        _seeded(CausalTransformer, seed), next_letters, texts[:, :-1], texts[:, 1:], n=n,
        batch=_BATCH, name="transformer",
    )  # fmt: skip


TASKS: dict[str, Callable[[int, int], ModuleProblem]] = {
    "mlp": _mlp, "cnn": _cnn, "transformer": _transformer,
}  # fmt: skip
"""Ways to build what is trained from number of ranks and seed of the weights, by name."""


def task_of(name: str, ranks: int, seed: int) -> ModuleProblem:
    """A task by name, or MODULE:ATTRIBUTE: a ModuleProblem with a worker for each rank, or what
    makes one of the number of ranks.

    Raises:
        ValueError: there is none, or it is none.
    """
    if ":" not in name:
        return look_up("task", name, TASKS)(ranks, seed)
    found = imported(name)
    made = found(ranks) if callable(found) else found
    if not isinstance(made, ModuleProblem) or made.n != ranks:
        got = f"n={made.n}" if isinstance(made, ModuleProblem) else type(made).__name__
        raise ValueError(
            f"{name} must be a ModuleProblem of n={ranks} workers, or a function of n that makes "
            f"one, got {got}; rateproof.module_problem(module, loss, features, labels, n={ranks}) "
            "would do"
        )
    return made
