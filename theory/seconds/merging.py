r"""The best way to merge gradients into messages, by dynamic programming.

Gradients become ready one after another and are sent in that order, consecutive ones merged. With
E_j the earliest end of a message that closes with gradient j, and f(s, m) the end of a message of m
bits that starts at s,

.. math:: E_j = \min_{i<j} f\bigl(\max(E_i, r_j),\ m_{i+1} + \dots + m_j\bigr), \qquad E_0 = 0.

That is optimal for every f that does not fall in s: an earlier end of the messages before never
hurts. Derived here; Shi, Chu, Li 2019 (arXiv:1811.11141, MG-WFBP) merge greedily, see
:func:`theory.seconds.sparse_times.merged`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from theory.arrays import Floats

Ends = Callable[[Floats, Floats], Floats]
"""End of messages by their start and their bits, entry by entry; it must not fall in the start."""


def best_groups(ready: Floats, bits: Floats, end: Ends) -> tuple[int, ...]:
    """Sizes of the groups of consecutive gradients whose last message ends first.

    ``ready`` [s] and ``bits`` are of gradients in the order in which they become ready.

    Raises:
        ValueError: no gradient, or not as many ready times as sizes.
    """
    count = len(ready)
    if count == 0 or len(bits) != count:
        raise ValueError(
            f"ready and bits must be equally long and not empty, got {count} and {len(bits)}"
        )
    sums = np.concatenate(([0.0], np.cumsum(bits)))
    ends = np.zeros(count + 1)
    cut = np.zeros(count + 1, dtype=np.int64)
    for j in range(1, count + 1):
        of_cut = end(np.maximum(ends[:j], ready[j - 1]), sums[j] - sums[:j])
        cut[j] = of_cut.argmin()
        ends[j] = of_cut[cut[j]]
    groups: list[int] = []
    while count:
        groups.append(count - int(cut[count]))
        count = int(cut[count])
    return tuple(reversed(groups))
