"""Sender of one rank of a communication hook: compressor, memory and draws, step by step."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.requirements import OutOfRange
from algorithms.core.key import Key
from algorithms.ddp.model import require_agreement
from algorithms.memories import in_place
from algorithms.memories.base import Memory, Round
from algorithms.network.base import Packet

Rate = Callable[[], float]


def step_digest(t: int, key: Key, *factors: float) -> int:
    """62 bits of step, key and further factors, equal on ranks whose draws are of one stream."""
    text = repr((t, key.words, factors)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 2


@final
@dataclass
class Sender:
    """One rank's side of the method; ``t`` counts steps, ``state`` is the memory's ``[1, 1, d]``.

    Attributes:
        compressor: what messages are made with.
        memory: what is remembered between messages.
        key: the randomness of all steps.
        learning_rate: gamma of the step, for memories that hold steps.
        loss_scale: by what the loss is multiplied.
    """

    compressor: Compressor
    memory: Memory[Any]
    key: Key
    learning_rate: Rate | None = None
    loss_scale: Rate | None = None
    t: int = 0
    state: Any = None

    def digest(self, factors: tuple[float, float]) -> int:
        """62 bits of what all ranks must share: step and key, since their draws are of one stream,
        and gamma and the loss scale, ``factors``, by which the mean is divided."""
        return step_digest(self.t, self.key, *factors)

    def require_shared(self, factors: tuple[float, float]) -> None:
        """Refuse a step, key, learning rate or loss scale that differs between ranks; a collective
        call.

        Raises:
            ValueError: one of them does; names it and the ranks.
        """
        rate, scale = factors
        require_agreement(
            {"step": self.t, "key": self.key.words, "learning rate": rate, "loss scale": scale}
        )

    def factors(self, dtype: torch.dtype) -> tuple[float, float]:
        """gamma (1 for memories of gradients, 0 below the least normal number), the loss scale."""
        scale = 1.0 if self.loss_scale is None else float(self.loss_scale())
        if not self.memory.holds_steps:
            return 1.0, scale
        assert self.learning_rate is not None
        gamma = float(self.learning_rate())
        return (gamma if abs(gamma) >= torch.finfo(dtype).tiny else 0.0), scale

    @property
    def memory_now(self) -> Memory[Any]:
        """The memory in use at this step."""
        return self.memory.at_step(self.t)

    def wanted(self, state: Any, x: Tensor, operator: Compressor) -> Tensor:
        """``memory.before(state, x)``; in the place of x where the operator does not look at x.

        Where the memory does later, x has to be made again.
        """
        out = torch.empty_like(x) if operator.takes_guide else x
        in_place.before(self.memory_now, state, x, out)
        return out

    def packet(
        self, operator: Compressor, key: Key, state: Any, x: Tensor, wanted: Tensor, worker: Tensor
    ) -> Packet | None:
        """The message of rows ``wanted`` ``[1, 1, d]``, or None where it cannot be written."""
        if not all(bool(torch.isfinite(end)) for end in torch.aminmax(wanted)):
            return None
        replicas = torch.zeros(1, dtype=torch.int64, device=wanted.device)
        guide = self.memory_now.guide(state, x) if operator.takes_guide else wanted
        try:
            symbols = operator.encode_guided(wanted, guide, key.draws(replicas, worker))
        except OutOfRange:
            return None
        return Packet(operator, symbols, key, replicas, wanted.shape[-1], wanted.dtype)

    def remember(
        self, state: Any, x: Tensor, wanted: Tensor, sent: Tensor, mean: Tensor | None
    ) -> None:
        """Make ``state`` that of after the round, in place; ``mean`` if the memory reads it."""
        nothing = in_place.nothing(sent)
        round_ = Round(x, wanted, sent, nothing if mean is None else mean)
        in_place.after(self.memory_now, state, round_)

    def warn_unready(self) -> None:
        """Tell this rank's user why the step is skipped."""
        warnings.warn(
            f"step {self.t}: this rank's gradient is not finite or beyond its number type; "
            "all ranks are handed NaN, which a GradScaler takes for an overflow; the memory "
            "is kept",
            stacklevel=2,
        )
