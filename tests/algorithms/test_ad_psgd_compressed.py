"""AD-PSGD whose pairs exchange compressed models: the mean stays, a mask is one for both."""

from __future__ import annotations

import pytest
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.methods.gossip_pairwise.ad_psgd import averaged
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic

N, D, REPLICAS = 5, 12, 3


def exchanged(compressor: Compressor) -> tuple[torch.Tensor, torch.Tensor, Simulated]:
    """Models ``[R, N, D]`` before and after worker 1 called worker 3."""
    problem, network = Quadratic.strongly_convex(N, D), Simulated(N)
    context = RunContext(problem, network, Key.seed(3), torch.arange(REPLICAS))
    generator = torch.Generator().manual_seed(1)
    x = torch.randn((REPLICAS, N + 1, D), generator=generator, dtype=torch.float64)
    caller, called = (torch.full((REPLICAS, 1), k) for k in (1, 3))
    after = averaged(x, caller, called, 0, 0, context, compressor)
    return x[:, :N], after[:, :N], network


@pytest.mark.parametrize("operator", [RandomMask(0.4), FixedPoint(6, 24), TopK(0.25)])
def test_the_mean_stays_and_only_the_pair_moves(operator: Compressor) -> None:
    before, after, network = exchanged(operator)
    torch.testing.assert_close(after.mean(-2), before.mean(-2), rtol=0, atol=1e-14)
    moved = (after != before).any(-1)
    assert moved[:, [1, 3]].all()
    assert not moved[:, [0, 2, 4]].any()
    assert network.account((REPLICAS,)).sent_messages.sum(-1).tolist() == [2] * REPLICAS


def test_masked_coordinates_become_the_mean_and_the_others_stay() -> None:
    before, after, _ = exchanged(RandomMask(0.4))
    mean = (before[:, 1] + before[:, 3]) / 2
    for worker in (1, 3):
        kept = after[:, worker] == before[:, worker]
        met = (after[:, worker] - mean).abs() < 1e-14
        assert (kept ^ met).all()
    assert ((after[:, 1] == before[:, 1]) == (after[:, 3] == before[:, 3])).all()


def test_without_compression_both_hold_the_mean() -> None:
    before, after, _ = exchanged(Identity())
    mean = (before[:, 1] + before[:, 3]) / 2
    assert torch.equal(after[:, 1], mean)
    assert torch.equal(after[:, 3], mean)
