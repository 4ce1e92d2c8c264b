"""Carriers of a collective on a fabric: what a schedule's messages take there, contention included.

Asked once of each collective and fabric (:mod:`algorithms.fabrics.program_times`): a schedule then
costs what it costs with closed forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from algorithms.collectives.base import Collective
from algorithms.fabrics.program_times import (
    FabricRegime,
    TimedLengths,
    program_times,
)
from algorithms.fabrics.sharing import Sharing, max_min_rates
from algorithms.schedules.carrier import Carrier, Channel, ChannelRegime


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


def _channel(name: str, times: Sequence[TimedLengths]) -> Channel:
    *short, last = times
    return Channel(name, last.alpha, last.beta, regimes=tuple(ChannelRegime(*one) for one in short))
