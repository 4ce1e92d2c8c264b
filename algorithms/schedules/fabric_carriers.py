"""Carriers of a collective on a fabric: what a schedule's messages take there, contention included.

Asked once of each collective and fabric (:mod:`algorithms.fabrics.program_times`): a schedule then
costs what it costs with closed forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from algorithms.collectives.base import Collective
from algorithms.collectives.servers import ServerShards
from algorithms.fabrics.program_times import (
    FabricRegime,
    TimedLengths,
    program_times,
    rounds_times,
)
from algorithms.fabrics.sharing import Sharing, max_min_rates
from algorithms.schedules.carrier import Carrier, Channel, ChannelRegime
from theory.arrays import Ints


@lru_cache(maxsize=4096)
def carried(
    collective: Collective,
    regimes: tuple[FabricRegime, ...],
    hosts: tuple[int, ...] | None = None,
    sharing: Sharing = max_min_rates,
) -> Carrier:
    """Messages as this collective on this fabric, one at a time.

    ``hosts`` says on which host each node lies, by default node i on host i.

    Raises:
        ValueError: regimes that do not grow to an infinite one, or a node without a host.
    """
    return Carrier((_channel(collective.name, program_times(collective, regimes, hosts, sharing)),))


@lru_cache(maxsize=4096)
def pushed_and_pulled(
    shards: ServerShards,
    regimes: tuple[FabricRegime, ...],
    hosts: tuple[int, ...],
    sharing: Sharing = max_min_rates,
) -> Carrier:
    """Push to and pull from servers as two channels, each as fast as it is beside the other.

    Pushes and pulls are of different messages and run at once: where servers lie beside workers
    they share links. A message's start-up occupies nobody: it is latency.

    Raises:
        ValueError: regimes that do not grow to an infinite one, or a node without a host.
    """
    d = shards.parts
    push, pull = shards.rounds(d)
    both = push._replace(
        source=_joined(push.source, pull.source), target=_joined(push.target, pull.target),
        start=_joined(push.start, pull.start), stop=_joined(push.stop, pull.stop),
    )  # fmt: skip
    one = _channel("", rounds_times((both,), d, regimes, hosts, sharing))
    free = replace(
        one, alpha=0.0, latency=one.alpha,
        regimes=tuple(regime._replace(alpha=0.0) for regime in one.regimes),
    )  # fmt: skip
    return Carrier(tuple(replace(free, name=name) for name in ("push", "pull")))


def _joined(one: Ints, other: Ints) -> Ints:
    return np.concatenate((one, other))


def _channel(name: str, times: Sequence[TimedLengths]) -> Channel:
    *short, last = times
    return Channel(name, last.alpha, last.beta, regimes=tuple(ChannelRegime(*one) for one in short))
