"""Faults planted in server optimisers: mistakes on which public libraries disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.local_updates.local_sgd import AtMeetings
from algorithms.optimizers.adaptive_server import AdaptiveServer, SecondMoment, ServerMoments
from algorithms.optimizers.outer import (
    BlockMomentum,
    Outer,
    PlainAverage,
    server_momentum,
    server_rate,
)
from proofs_check.evidence.outer_optimizers import closed_forms as momenta
from proofs_check.evidence.outer_optimizers import closed_forms_variants as squares
from proofs_check.mutants.method_mutant import MethodMutant, fault

Update = Callable[[AdaptiveServer, ServerMoments, Tensor, Tensor], tuple[ServerMoments, Tensor]]


@final
@dataclass(frozen=True)
class WrongServer(Outer[ServerMoments]):
    """An adaptive server with ``wrong`` in place of its update.

    Attributes:
        right: the server that it poses as.
        wrong: called as ``wrong(right, state, anchor, mean)``.
    """

    right: AdaptiveServer
    wrong: Update

    @property
    def name(self) -> str:
        return f"{self.wrong.__name__} posing as {self.right.name}"

    def init(self, x: Tensor) -> ServerMoments:
        return self.right.init(x)

    def update(
        self, state: ServerMoments, anchor: Tensor, mean: Tensor
    ) -> tuple[ServerMoments, Tensor]:
        return self.wrong(self.right, state, anchor, mean)


@final
@dataclass(frozen=True)
class Negated(Outer[Tensor]):
    """Outer momentum along mean - x where x - mean belongs, or the other way round.

    Attributes:
        right: the optimiser that it poses as.
    """

    right: BlockMomentum

    @property
    def name(self) -> str:
        return f"{self.right.name}, D negated"

    def init(self, x: Tensor) -> Tensor:
        return self.right.init(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        return self.right.update(state, anchor, 2 * anchor - mean)


def _moved(own: AdaptiveServer, anchor: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """The server's step from ``anchor`` by these moments."""
    return anchor + own.rate * first / (second.sqrt() + own.tau)


def one_number(
    own: AdaptiveServer, state: ServerMoments, anchor: Tensor, mean: Tensor
) -> tuple[ServerMoments, Tensor]:
    """one second moment for all coordinates: the mean of theirs"""
    after, _ = own.update(state, anchor, mean)
    v = after.second.mean(-1, keepdim=True)
    return after, _moved(own, anchor, after.first, v)


def _unsmoothed(
    own: AdaptiveServer, state: ServerMoments, anchor: Tensor, mean: Tensor
) -> tuple[ServerMoments, Tensor]:
    """D for m in the last line"""
    after, _ = own.update(state, anchor, mean)
    return after, _moved(own, anchor, mean - anchor, after.second)


def _square_of_mean(
    own: AdaptiveServer, state: ServerMoments, anchor: Tensor, mean: Tensor
) -> tuple[ServerMoments, Tensor]:
    """m^2 for D^2 in v"""
    first = own.update(state, anchor, mean)[0].first
    v = own.second(state.second, first)
    return ServerMoments(first, v), _moved(own, anchor, first, v)


def _unsigned(
    own: AdaptiveServer, state: ServerMoments, anchor: Tensor, mean: Tensor
) -> tuple[ServerMoments, Tensor]:
    """v - (1 - beta_2) D^2 without its sign, and not below 0"""
    after, _ = own.update(state, anchor, mean)
    square = (mean - anchor).square()
    v = (state.second - (1 - own.beta2) * square).clamp_min(0)
    moments = ServerMoments(after.first, v)
    return moments, _moved(own, anchor, after.first, v)


class CountedMoments(NamedTuple):
    """Moments of an adaptive server and the rounds that they hold.

    Attributes:
        moments: m and v.
        rounds: k, rounds so far ``[..., 1, d]``, the same number everywhere.
    """

    moments: ServerMoments
    rounds: Tensor


@final
@dataclass(frozen=True)
class CorrectedServer(Outer[CountedMoments]):
    """An adaptive server that divides m and v by 1 - beta^k in round k, as Adam does.

    Attributes:
        right: the server that it poses as.
    """

    right: AdaptiveServer

    @property
    def name(self) -> str:
        return f"{self.right.name}, corrected for its start"

    def init(self, x: Tensor) -> CountedMoments:
        return CountedMoments(self.right.init(x), torch.zeros_like(x))

    def update(
        self, state: CountedMoments, anchor: Tensor, mean: Tensor
    ) -> tuple[CountedMoments, Tensor]:
        own, rounds = self.right, state.rounds + 1
        after, _ = own.update(state.moments, anchor, mean)
        m = after.first / (1 - own.beta1**rounds)
        v = after.second / (1 - own.beta2**rounds)
        return CountedMoments(after, rounds), _moved(own, anchor, m, v)


@final
@dataclass(frozen=True)
class FromZero(Outer[ServerMoments]):
    """An adaptive server whose v starts at 0.

    Attributes:
        right: the server that it poses as.
    """

    right: AdaptiveServer

    @property
    def name(self) -> str:
        return f"{self.right.name}, v from 0"

    def init(self, x: Tensor) -> ServerMoments:
        return ServerMoments(torch.zeros_like(x), torch.zeros_like(x))

    def update(
        self, state: ServerMoments, anchor: Tensor, mean: Tensor
    ) -> tuple[ServerMoments, Tensor]:
        return self.right.update(state, anchor, mean)


def _wrong(update: Update) -> Callable[..., Outer[Any]]:
    return lambda *args: WrongServer(AdaptiveServer(*args), update)


def _planted(
    kind: SecondMoment, judge: Callable[..., Any], *updates: Update
) -> tuple[MethodMutant, ...]:
    from_zero = fault(
        f"Fed{kind.value} whose v starts at 0", "v = 0 at first", judge,
        lambda *args: FromZero(AdaptiveServer(*args)),
    )  # fmt: skip
    made = (
        fault(f"Fed{kind.value}: {update.__doc__}", str(update.__doc__), judge, _wrong(update))
        for update in (one_number, _unsmoothed, _square_of_mean, *updates)
    )
    corrected = fault(
        f"Fed{kind.value} corrected for its start", "m/(1 - beta_1^k), v/(1 - beta_2^k) in round k",
        judge, lambda *args: CorrectedServer(AdaptiveServer(*args)),
    )  # fmt: skip
    return (from_zero, corrected, *made)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "FedAvg that forgets its rate", "the server takes the mean itself",
        momenta.fedavg_by_hand, lambda _rate: PlainAverage(),
    ),
    fault(
        "FedAvg that adds what it should average", "the sum of five changes",
        momenta.fedavg_by_hand, lambda rate: server_rate(5 * rate),
    ),
    fault(
        "FedAvgM without 1 - beta", "m = beta m + D",
        momenta.fedavgm_by_hand, lambda rate, beta: BlockMomentum(beta, rate),
    ),
    fault(
        "FedAvgM without momentum", "m = D",
        momenta.fedavgm_by_hand, lambda rate, _beta: server_momentum(rate, 0.0),
    ),
    *_planted(SecondMoment.ADAM, squares.fedadam_by_hand),
    *_planted(SecondMoment.YOGI, squares.fedyogi_by_hand, _unsigned),
    *_planted(SecondMoment.ADAGRAD, squares.fedadagrad_by_hand),
    fault(
        "DiLoCo with D of the wrong sign", "the outer step goes away from the mean",
        momenta.rounds_of_diloco,
        lambda rate, mu: Negated(BlockMomentum(mu, rate, nesterov=True)),
    ),
    fault(
        "DiLoCo with a heavy ball", "x -= o u for x -= o (D + mu u)",
        momenta.rounds_of_diloco, lambda rate, mu: BlockMomentum(mu, rate),
    ),
    fault(
        "DiLoCo forgetting AdamW's state at meetings", "moments start from 0 every H steps",
        momenta.state_stays_local, AtMeetings.RESET,
    ),
    fault(
        "DiLoCo by the heavy ball's limit", "a heavy ball bears larger rates",
        momenta.nesterov_limit, lambda rate, mu: BlockMomentum(mu, rate),
    ),
    fault(
        "SlowMo that does not divide by gamma", "old moves keep their length while gamma falls",
        momenta.slowmo_by_hand, BlockMomentum,
    ),
    fault(
        "SlowMo with Nesterov's step", "x -= alpha gamma (D + beta u)",
        momenta.heavy_ball_limit, lambda beta, alpha: BlockMomentum(beta, alpha, nesterov=True),
    ),
)  # fmt: skip
