"""What adaptive sparsifiers keep; what factor masking costs; where clipping bites; layers' times.

Virtual iterates of global momentum, variance-based and adaptive-k; momentum's effective rate (C16);
DGC's factor masking with everything sent; local clipping (erratum E33); merged layers (C19).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.key import Key
from algorithms.memories.base import Memory
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.closed_forms.auxiliary.error_feedback import constant_gradient
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import Moment, models, path
from proofs_check.verdict import Verdict
from theory.seconds.costs import ETHERNET_1G, AlphaBeta
from theory.seconds.sparse_times import finished, merged, ready_times
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def _noisy() -> Quadratic:
    return Quadratic.strongly_convex(4, 12, sigma2=1.0, zeta2=1.0)


def _mean(rows: Tensor) -> Tensor:
    return rows.mean(-2, keepdim=True)


def _kept(row: str, claim: str, gaps: list[Tensor], provenance: str) -> Verdict:
    return identity(
        row, claim, torch.stack(gaps), 0.0, check="virtual iterate", problem="quadratic",
        provenance=provenance,
    )  # fmt: skip


def global_momentum_is_kept(m: float = 0.6) -> Verdict:
    """x - mean e moves by the mean step and m times the model's last move: nothing else is lost."""
    method = BSP(ConstantStep(_GAMMA), TopK(2), GlobalMomentum(m))
    gaps, last = [], torch.zeros(())
    for before, after in pairwise(path(method, _noisy(), 30)):
        g = _mean(before.world.gradient(before.state.x, before.t))
        was, now = (s.x - _mean(s.memory.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g - 0.6 * last)
        last = after.state.x - before.state.x
    claim = "x - mean e moves by -gamma mean g + m (x_t - x_{t-1}) alone"
    return _kept("gmc", claim, gaps, "top-2 of 12, m 0.6, 30 steps")


def variance_based_keeps(keep: bool = True) -> Verdict:
    """With its rounding kept, x - gamma mean r moves by the mean gradient of the micro-batches."""
    method = VarianceBased(ConstantStep(_GAMMA), keep=keep)

    def micro(moment: Moment) -> Tensor:
        return _mean(sum(method.samples(moment.state.x, moment.t, moment.world), torch.zeros(())))

    gaps = []
    for before, after in pairwise(path(method, _noisy(), 30)):
        was, now = (s.x - _GAMMA * _mean(s.r) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * micro(before))
    claim = "rounding kept: x - gamma mean r moves by -gamma mean g alone"
    return _kept("variance-based", claim, gaps, "B = 4, alpha 1, 30 steps")


def adaptive_k_keeps() -> Verdict:
    """x - mean residual moves by the mean step: what the server did not move stays with workers."""
    method = AdaptiveK(ConstantStep(_GAMMA), ETHERNET_1G)
    gaps = []
    for before, after in pairwise(path(method, _noisy(), 30)):
        g = _mean(before.world.gradient(before.state.x, before.t))
        was, now = (s.x - _mean(s.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    claim = "x - mean residual moves by -gamma mean g alone"
    return _kept("adaptive-k", claim, gaps, "from k = 6 of 12, 30 steps")


def masked_is_plain(masking: bool = True) -> Verdict:
    """Factor masking with everything sent clears every velocity: DGC is SGD without momentum."""
    step = ConstantStep(_GAMMA)
    ours = models(BSP(step, Identity(), MomentumCorrection(0.6, masking)), _noisy(), 40)
    return identity(
        "dgc", "factor masking with everything sent leaves no momentum: plain SGD", ours,
        models(BSP(step), _noisy(), 40), check="factor masking", problem="quadratic",
        provenance=f"40 steps, gamma {_GAMMA}, m 0.6",
    )  # fmt: skip


def effective_rate(memory: Memory[Any], row: str) -> Verdict:
    """C16: under a constant gradient momentum m moves by gamma/(1-m) a step in the end."""
    problem = constant_gradient(torch.tensor([1.0, 0.4], dtype=torch.float64))
    x = models(BSP(ConstantStep(0.1), Identity(), memory), problem, 400)
    return identity(
        row, "m = 0.9, gamma = 0.1: the effective rate is gamma/(1-m) = 1",
        x[-2, 0] - x[-1, 0], [1.0, 0.4], check="closed form C16", problem="linear",
        provenance="400 steps, where m^400 < 1e-18",
    )  # fmt: skip


def clipping_of_noise() -> Verdict:
    """E33, noise: local thresholds T n^-1/2 leave the sum what one threshold T on it leaves.

    The norm's relative standard deviation is (2 d)^-1/2 = 0.011; the tolerance is six of them.
    """
    n, d, threshold = 64, 4000, 5.0
    draws = Key.seed(0).fold("clip").draws(torch.tensor(0), torch.arange(n))
    left = ClipNorm(threshold).apply(draws.normal(d, torch.float64), n).sum(0).norm()
    return identity(
        "local-clipping", "independent noise: clipped at T n^-1/2 the sum has norm T, within 7 %",
        float(left) / threshold, 1.0, check="erratum E33", tolerance=0.07,
        provenance=f"n={n}, d={d}, T={threshold:g}; each row has norm about {d**0.5:.3g}",
    )  # fmt: skip


def clipping_of_sums() -> Verdict:
    """E33, aligned gradients: the same thresholds leave the sum n^1/2 T."""
    n, threshold = 64, 5.0
    g = torch.full((n, 9), 10.0, dtype=torch.float64)
    return identity(
        "local-clipping", "n = 64 equal gradients: clipped at T n^-1/2 their sum has norm 8 T",
        float(ClipNorm(threshold).apply(g, n).sum(0).norm()) / threshold, 8.0,
        check="erratum E33", provenance="norm 30 each, T = 5",
    )  # fmt: skip


def clipping_spares_the_mean(power: float = 0.0) -> Verdict:
    """Four equal gradients at the threshold for their mean: global clipping leaves the mean."""
    g = torch.tensor([[3.0, 4.0]], dtype=torch.float64).expand(4, 2)
    return identity(
        "local-clipping", "four equal gradients of norm T, threshold T: their mean stays",
        ClipNorm(5.0, power).apply(g, 4).mean(0), [3.0, 4.0], check="erratum E33",
        provenance=f"T = 5, local threshold T n^-{power:g}",
    )  # fmt: skip


def merging_example(group: bool = True) -> Verdict:
    """C19: two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms: 4 ms apart, 3.5 ms merged."""
    link, ready, bits = AlphaBeta(1.0, 1.0), (0.0, 0.5), (1.0, 1.0)
    groups = merged(ready, bits, link) if group else (1, 1)
    return identity(
        "lags", "two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms end at 3.5 ms merged",
        finished(ready, bits, groups, link), 3.5, check="closed form C19",
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


def adaptive() -> tuple[Verdict, ...]:
    """All of it."""
    return (
        global_momentum_is_kept(),
        variance_based_keeps(),
        adaptive_k_keeps(),
        masked_is_plain(),
        effective_rate(MomentumCorrection(0.9), "momentum-correction"),
        effective_rate(GlobalMomentum(0.9), "gmc"),
        clipping_of_noise(),
        clipping_of_sums(),
        clipping_spares_the_mean(),
        merging_example(),
        merging_never_costs(),
    )


CLOSED_FORMS = (adaptive,)
