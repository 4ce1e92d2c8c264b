"""Seconds of sparse rounds under the alpha-beta model: trees, and layers sent while others compute.

Shi et al. 2019 (arXiv:1901.04359, gTop-k; arXiv:1911.08727, LAGS); Shi et al. 2020 (INFOCOM,
merged sparsification, OMGS); Shi, Chu, Li 2019 (arXiv:1811.11141, MG-WFBP, the merging rule).
Layers are numbered from the input; gradients appear from the last layer to the first, so lists of
layers here run from the last to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theory.networks.spectra import log2_exact
from theory.seconds.collectives import CollectiveCost
from theory.seconds.costs import AlphaBeta


def gather_cost(n: int) -> CollectiveCost:
    """All-gather: ceil(log2 n) messages, (n - 1)/n of all lists one behind another.

    Bruck et al. 1997 (IEEE TPDS 8), for any n; recursive doubling does as much for n = 2^k.

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    return CollectiveCost((n - 1).bit_length(), 1 - Fraction(1, n))


def split_gather_cost(n: int) -> CollectiveCost:
    """Parts straight to their owners, then all-gather: n - 1 + ceil(log2 n) messages.

    Of whole vectors; of lists see :func:`split_gather_bounds`.

    Raises:
        ValueError: n < 1.
    """
    gather = gather_cost(n)
    return CollectiveCost(n - 1 + gather.steps, 2 * gather.sent, gather.sent)


def split_gather_bounds(n: int, kept: int) -> tuple[int, int]:
    """Fewest and most numbers that a worker sends when lists are split over owners and gathered.

    Lists of ``kept`` entries, 2 numbers each, as many for every owner: 4k (n - 1)/n where all
    workers kept the same entries, 2k (n - 1)/n + 2k (n - 1) where no two did, unless whole
    parts are shorter (Renggli et al. 2019, arXiv:1802.08021, Section 5.3.2, whose upper end rounds
    this up to 2nk).

    Raises:
        ValueError: n < 1, or n does not divide kept.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    if kept < 0 or kept % n:
        raise ValueError(f"kept must be a multiple of n={n} workers, got kept={kept}")
    own = 2 * (kept - kept // n)
    return 2 * own, own + 2 * kept * (n - 1)


def merged_doubling_bounds(n: int, kept: int, d: int) -> tuple[int, int]:
    """Fewest and most numbers that a worker sends when sparse vectors merge by recursive doubling.

    Lists of ``kept`` entries, 2 numbers each, of vectors of d: 2k log2 n where all workers kept the
    same entries; sum over rounds of min(2^(s+1) k, d) where no two did (Renggli et al. 2019,
    arXiv:1802.08021, Section 5.3.1).

    Raises:
        ValueError: n is no power of two, or kept outside [0, d].
    """
    rounds = log2_exact(n)
    if not 0 <= kept <= d:
        raise ValueError(f"kept must lie in [0, {d}], got kept={kept}")
    apart = sum(min(2 * kept << s, d) for s in range(rounds))
    return rounds * min(2 * kept, d), apart


def ready_times(sizes: Sequence[int], compute: float) -> tuple[float, ...]:
    """Ready time of each layer's gradient if ``compute`` seconds spread as the sizes do [s]."""
    total, passed, times = sum(sizes), 0, []
    for size in sizes:
        passed += size
        times.append(compute * passed / total)
    return tuple(times)


def hidden_counts(
    sizes: Sequence[int], link: AlphaBeta, entry_bits: float, compute: float, ratio: float
) -> tuple[int, ...]:
    """Number of entries of each layer that can be sent while the next layer's gradient is computed.

    The largest k_l with alpha + beta entry_bits k_l <= seconds of the next layer, at least d_l /
    ``ratio`` and at most d_l; the layer next to the input has nothing to hide behind (LAGS).

    Raises:
        ValueError: compute < 0, or ratio < 1.
    """
    if not compute >= 0:
        raise ValueError(f"compute must be at least 0 s, got compute={compute}")
    if not ratio >= 1:
        raise ValueError(f"ratio must be at least 1, got ratio={ratio}")
    total = sum(sizes)
    behind = [*(compute * size / total for size in sizes[1:]), 0.0]
    counts = []
    for size, seconds in zip(sizes, behind, strict=True):
        room, price = seconds - link.alpha, link.beta * entry_bits
        free = size if price == 0 and room >= 0 else max(0.0, room) / price if price else 0
        counts.append(min(size, max(int(free), -int(-size // ratio))))
    return tuple(counts)


def merged(ready: Sequence[float], bits: Sequence[float], link: AlphaBeta) -> tuple[int, ...]:
    """Sizes of the groups of consecutive layers that are sent as one message each.

    A layer joins the message before it if it is ready less than alpha after that message could have
    started: waiting then costs less than another start-up.
    """
    groups: list[int] = []
    held, free, start = 0.0, 0.0, 0.0
    for time, size in zip(ready, bits, strict=True):
        if groups and time - start < link.alpha:
            groups[-1] += 1
            held += size
        else:
            free = start + link.seconds(held, 1) if groups else 0.0
            groups.append(1)
            held = size
        start = max(free, time)
    return tuple(groups)


def finished(
    ready: Sequence[float], bits: Sequence[float], groups: Sequence[int], link: AlphaBeta
) -> float:
    """Arrival time of the last message: one at a time, each once all of it is ready [s].

    Raises:
        ValueError: the groups do not hold all layers.
    """
    if sum(groups) != len(ready):
        raise ValueError(f"groups must hold {len(ready)} layers, got groups={tuple(groups)}")
    end, at = 0.0, 0
    for size in groups:
        end = max(end, ready[at + size - 1]) + link.seconds(sum(bits[at : at + size]), 1)
        at += size
    return end
