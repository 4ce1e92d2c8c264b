"""Carrier: what brings a gradient to all workers, as channels that a message passes in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol, final

import numpy as np

from theory.arrays import Floats
from theory.seconds.collectives import ring_seconds
from theory.seconds.costs import AlphaBeta
from theory.seconds.servers import threaded_beta


class ReduceSeconds(Protocol):
    """Seconds of one all-reduce among ``n`` workers, as the closed forms of
    :mod:`theory.seconds.collectives`."""

    def __call__(self, link: AlphaBeta, n: int, bits: float) -> float: ...


class ChannelRegime(NamedTuple):
    """Cost of shorter messages, where a link or a protocol treats them otherwise.

    Attributes:
        most: length of the longest of them [bits].
        alpha: start-up [s].
        beta: seconds a bit.
    """

    most: float
    alpha: float
    beta: float


@final
@dataclass(frozen=True)
class Channel:
    """One message at a time: ``alpha`` + ``beta`` m seconds, then ``latency`` until it is there.

    Attributes:
        name: the resource of a timeline.
        alpha: start-up that occupies the channel [s].
        beta: seconds a bit.
        latency: seconds from the end of sending to arrival; the channel is free meanwhile.
        busy_beta: seconds a bit while the device computes, at least; None: as ever.
        regimes: start-up and bandwidth of shorter messages, the shortest first; alpha and beta are
            those of messages beyond the last.
        busy_wait: seconds that a message waits for the device before its start-up where the device
            computes, at most until that is done: a kernel that runs is not interrupted.

    Raises:
        ValueError: a negative cost, a device that makes the channel faster, a latency on a channel
            that the device slows, or regimes that do not grow.
    """

    name: str
    alpha: float
    beta: float
    latency: float = 0.0
    busy_beta: float | None = None
    regimes: tuple[ChannelRegime, ...] = ()
    busy_wait: float = 0.0

    def __post_init__(self) -> None:
        if not all(x >= 0 for x in (self.alpha, self.beta, self.latency, self.busy_wait)):
            raise ValueError(f"alpha, beta, latency and busy_wait must be at least 0, got {self}")
        if self.busy_beta is not None and (self.busy_beta < self.beta or self.latency):
            raise ValueError(f"busy_beta must be at least beta, and latency 0 with it, got {self}")
        if any(min(one) < 0 for one in self.regimes) or any(
            one.most >= other.most for one, other in pairwise(self.regimes)
        ):
            raise ValueError(f"regimes must be at least 0 and grow, got {self.regimes}")

    @property
    def slowed(self) -> float:
        """Seconds a bit while the device computes."""
        return self.beta if self.busy_beta is None else self.busy_beta

    def through_thread(self, thread: float) -> Channel:
        """The channel of push and pull where one thread at each end copies what goes in and out.

        Args:
            thread: seconds in which the thread copies a bit, one way
                (:func:`theory.seconds.servers.threaded_beta`).

        Raises:
            ValueError: a negative time.
        """
        busy = None if self.busy_beta is None else threaded_beta(self.busy_beta, thread)
        return replace(
            self, beta=threaded_beta(self.beta, thread), busy_beta=busy,
            regimes=tuple(r._replace(beta=threaded_beta(r.beta, thread)) for r in self.regimes),
        )  # fmt: skip

    def windowed(
        self, window: float, wait: float, computing: float = 1.0, fused: float = math.inf
    ) -> Channel:
        """The channel of a sender that fuses what a coordinator finds when it looks.

        A sender with a credit of ``window`` bits stops when they are under way, and its next ones
        leave at a later turn of the coordinator: every ``window`` bits cost one ``wait``. What has
        arrived gives its credit back, so that as much as was fused is fused again: every ``fused``
        bits (at most a window) cost one start-up, and a wait for a device that computes. All that
        is spread over bits.

        Args:
            window: most bits under way.
            wait: seconds from the end of a window to the begin of the next.
            computing: share of the time up to the end of the backward pass in which the device
                computes; in the rest, when it waits for its host, the channel is not slowed.
            fused: bits of a fused message.

        Raises:
            ValueError: window or fused is not positive, a negative wait, a share outside [0, 1], or
                a channel with regimes.
        """
        valid = window > 0 and wait >= 0 and 0 <= computing <= 1 and fused > 0
        if not valid or self.regimes:
            raise ValueError(
                "window and fused must be positive, wait at least 0, computing lie in [0, 1] and "
                f"the channel have no regimes, got window={window}, wait={wait}, "
                f"computing={computing}, fused={fused}"
            )
        message = min(window, fused)
        more = wait / window + self.alpha / message
        beta = self.beta + more
        if (self.busy_beta is None and not self.busy_wait) or beta == 0:
            return replace(self, alpha=0.0, beta=beta, busy_wait=0.0)
        busy = self.slowed + more + self.busy_wait / message
        slowed = 1 / (computing / busy + (1 - computing) / beta)
        return replace(self, alpha=0.0, beta=beta, busy_beta=max(beta, slowed), busy_wait=0.0)

    def rates(self, bits: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Start-up, seconds a bit, those while the device computes, and the wait for it, of
        messages ``bits``."""
        ones = np.ones_like(bits, dtype=np.float64)
        wait = self.busy_wait * ones
        if not self.regimes:
            return self.alpha * ones, self.beta * ones, self.slowed * ones, wait
        most, alpha, beta = self._table
        place = np.searchsorted(most, bits)
        busy = beta if self.busy_beta is None else np.maximum(beta, self.busy_beta)
        return alpha[place], beta[place], busy[place], wait

    @cached_property
    def _table(self) -> tuple[Floats, Floats, Floats]:
        most, alpha, beta = np.array([*self.regimes, (np.inf, self.alpha, self.beta)]).T
        return most, alpha, beta

    def ends(self, start: Floats, bits: Floats, busy_until: float) -> Floats:
        """End of sending messages that start at ``start`` beside a device busy until then."""
        alpha, beta, slowed, wait = self.rates(bits) if self.regimes else (
            self.alpha, self.beta, self.slowed, self.busy_wait
        )  # fmt: skip
        begin = start + alpha
        if self.busy_wait:
            begin = alpha + np.maximum(start, np.minimum(start + wait, busy_until))
        if self.busy_beta is None or self.slowed == 0:
            return np.asarray(begin + beta * bits)
        during = np.minimum(bits, np.maximum(busy_until - begin, 0.0) / slowed)
        return np.asarray(begin + slowed * during + beta * (bits - during))


@final
@dataclass(frozen=True)
class Carrier:
    """Channels that a message passes in turn: an all-reduce is one, push and pull are two.

    Attributes:
        channels: in the order in which a message passes them.

    Raises:
        ValueError: no channel, or several of which one is slowed by the device.
    """

    channels: tuple[Channel, ...]

    def __post_init__(self) -> None:
        if not self.channels:
            raise ValueError("channels must not be empty")
        if len(self.channels) > 1 and any(
            c.busy_beta is not None or c.busy_wait for c in self.channels
        ):
            raise ValueError("busy_beta and busy_wait are for carriers of one channel")

    @property
    def whole(self) -> Channel:
        """The carrier as one channel, for rules that know one start-up and one bandwidth.

        Channels work at once on different messages, so the slowest sets the pace.
        """
        if len(self.channels) == 1:
            return self.channels[0]
        return Channel(
            "whole", max(c.alpha for c in self.channels), max(c.beta for c in self.channels)
        )


def all_reduce(link: AlphaBeta, n: int, seconds: ReduceSeconds = ring_seconds) -> Carrier:
    """All-reduces, one at a time; ``seconds`` is a closed form that is affine in the bits."""
    start = seconds(link, n, 0.0)
    unit = 1e9
    return Carrier((Channel("all-reduce", start, (seconds(link, n, unit) - start) / unit),))


def all_gather(link: AlphaBeta, n: int) -> Carrier:
    """Every worker's message to all others by recursive doubling, for sparse gradients."""
    rounds = (n - 1).bit_length()
    return Carrier((Channel("all-gather", rounds * link.alpha, (n - 1) * link.beta),))


def servers(link: AlphaBeta, n: int, count: int) -> Carrier:
    """Push to and pull from ``count`` servers that share every tensor evenly, full duplex.

    A worker's link carries m bits each way, a server's n m / count: the larger sets the pace.

    Raises:
        ValueError: n or count < 1.
    """
    if n < 1 or count < 1:
        raise ValueError(f"n and count must be at least 1, got n={n}, count={count}")
    beta = link.beta * max(1.0, n / count)
    return Carrier(tuple(Channel(name, 0.0, beta, link.alpha) for name in ("push", "pull")))
