"""Layers that are merged before they are sent: an example by hand, and never later than alone."""

from __future__ import annotations

import torch

from algorithms.core.key import Key
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.seconds.costs import ETHERNET_1G, AlphaBeta
from theory.seconds.sparse_times import finished, merged, ready_times


def merging_example(group: bool = True) -> Verdict:
    """Merging layers' messages: two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms: 4 ms
    apart, 3.5 ms merged."""
    link, ready, bits = AlphaBeta(1.0, 1.0), (0.0, 0.5), (1.0, 1.0)
    groups = merged(ready, bits, link) if group else (1, 1)
    return identity(
        "lags", "two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms end at 3.5 ms merged",
        finished(ready, bits, groups, link), 3.5, check="closed form",
        provenance=f"groups {groups}; each by itself {finished(ready, bits, (1, 1), link):g} ms",
    )  # fmt: skip


def merging_never_costs() -> Verdict:
    """Merged layers end no later than layers sent one by one, on 200 drawn models."""
    draws = Key.seed(3).fold("layers").draws(torch.tensor(0), torch.arange(200))
    late = []
    for row in draws.uniform(12, torch.float64).tolist():
        sizes = [1 + int(1e5 * u**4) for u in row]
        ready = ready_times(sizes, 1e-3)
        bits = [0.1 * 44 * size for size in sizes]
        groups = merged(ready, bits, ETHERNET_1G)
        one_by_one = finished(ready, bits, (1,) * 12, ETHERNET_1G)
        late.append(max(0.0, finished(ready, bits, groups, ETHERNET_1G) - one_by_one))
    return identity(
        "lags", "merged layers end no later than layers sent one by one", late, 0.0,
        check="merged layers", provenance="200 models of 12 layers, 1 Gbit/s, backward 1 ms",
    )  # fmt: skip


def lags() -> tuple[Verdict, ...]:
    """Seconds of merged layers."""
    return (merging_example(), merging_never_costs())


CLOSED_FORMS = (lags,)
