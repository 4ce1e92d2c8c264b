"""Philox against Random123's known answers, and the independence of draws."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.core import key as key_module
from algorithms.core.key import Key, SideBySide, WorkerIds, below, uniforms
from algorithms.kernels import philox

# Random123's kat_vectors for philox4x32, 10 rounds: counter, key, output.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF,) * 4,
        (0xFFFFFFFF,) * 2,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_block_gives_random123_known_answers(counter, key, answer):
    assert tuple(int(w) for w in philox.block(*counter, *key)) == answer


def test_twin_gives_the_known_answer_of_the_zero_counter():
    zero = torch.tensor([0])
    words = philox.words_torch(0, 0, zero, zero, 4)[0].tolist()
    assert tuple(words) == KNOWN_ANSWERS[0][2]


def test_numpy_has_another_variant():
    """numpy's Philox is 4x64 and is not to be compared with word by word."""
    other = np.random.Philox(counter=[0, 0, 0, 0], key=[0, 0]).random_raw(1)[0]
    assert int(other) >> 32 not in KNOWN_ANSWERS[0][2]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 31, 1000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_kernel_and_twin_agree_bit_for_bit(count, dtype):
    replicas = torch.tensor([0, 3, 2**31])
    workers = torch.tensor([5, 0, 77])
    k0, k1 = Key.seed(11).words
    rows = zip(replicas.tolist(), workers.tolist(), strict=True)
    words = [
        [int(philox.block(j // 4, worker, replica, 0, k0, k1)[j % 4]) for j in range(count)]
        for replica, worker in rows
    ]
    assert philox.words_torch(k0, k1, replicas, workers, count).tolist() == words
    assert torch.equal(
        philox.uniform_numba(k0, k1, replicas, workers, count, dtype),
        philox.uniform_torch(k0, k1, replicas, workers, count, dtype),
    )
    assert torch.equal(
        philox.integers_numba(k0, k1, replicas, workers, count, 10**9 + 7),
        philox.integers_torch(k0, k1, replicas, workers, count, 10**9 + 7),
    )
    normals = philox.normal_numba(k0, k1, replicas, workers, count, dtype)
    twin = philox.normal_torch(k0, k1, replicas, workers, count, dtype)
    assert torch.allclose(normals, twin, rtol=0, atol=8 * torch.finfo(dtype).eps)


def test_a_worker_draws_the_same_wherever_its_row_lives():
    key = Key.seed(3).fold("gradient", 5)
    replicas = torch.arange(4)
    everyone = key.draws(replicas, torch.arange(8)).normal(7, torch.float64)
    block = key.draws(replicas, torch.arange(2, 4)).normal(7, torch.float64)
    alone = key.draws(torch.tensor([3]), torch.tensor([[5]])).normal(7, torch.float64)
    assert torch.equal(everyone[:, 2:4], block)
    assert torch.equal(everyone[3, 5], alone[0, 0])


def test_rows_kept_for_later_purposes_draw_the_same():
    replicas, workers = torch.arange(3), torch.arange(2, 6)
    held, key = WorkerIds(replicas, workers), Key.seed(8)
    for t in range(2):
        once = key.fold("gradient", t).draws(replicas, workers)
        kept = key.fold("gradient", t).draws_of(held)
        assert torch.equal(kept.workers, once.workers)
        assert torch.equal(kept.integers(100, 9), once.integers(100, 9))
        assert torch.equal(
            kept.fold("z").normal(5, torch.float64), once.fold("z").normal(5, torch.float64)
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_counters_stand_for_the_uniforms_of_just_these_rows(dtype):
    draws = Key.seed(4).draws(torch.arange(3), torch.arange(5, 9))
    counters = uniforms(draws, torch.zeros(3, 4, 11, dtype=dtype))
    assert isinstance(counters, philox.Counters)
    drawn = philox.uniform_torch(*counters, 11, dtype).view(3, 4, 11)
    assert torch.equal(drawn, draws.uniform(11, dtype))
    wider = uniforms(draws, torch.zeros(2, 3, 4, 11, dtype=dtype))
    assert isinstance(wider, torch.Tensor) and torch.equal(wider, drawn)


def test_fold_is_stable_and_tells_words_apart():
    key = Key.seed(1)
    assert key.fold("a", 1) == Key.seed(1).fold("a", 1)
    keys = {key.fold(*w).words for w in [("a", 1), ("a", 2), ("b", 1), ("a1",), (1, "a"), ("a",)]}
    assert len(keys) == 6
    assert Key.seed(1) != Key.seed(2)


def test_uniforms_of_neighbours_are_uniform_and_uncorrelated():
    """Kolmogorov-Smirnov and lag correlations over workers, steps and replicas at 1e-9 each."""
    draws = Key.seed(0).fold("x", 0).draws(torch.arange(64), torch.arange(64))
    u = draws.uniform(64, torch.float64)
    assert stats.kstest(u.flatten().numpy(), "uniform").pvalue > 1e-9
    following = Key.seed(0).fold("x", 1).draws(torch.arange(64), torch.arange(64))
    pairs = [
        (u[:, :-1], u[:, 1:]),
        (u[:-1], u[1:]),
        (u[..., :-1], u[..., 1:]),
        (u, following.uniform(64, torch.float64)),
    ]
    for one, other in pairs:
        z = 12 * ((one - 0.5) * (other - 0.5)).mean() * one.numel() ** 0.5
        assert abs(float(z)) < stats.norm.isf(0.5e-9)


def test_integers_are_uniform_and_in_range():
    draws = Key.seed(4).draws(torch.arange(100), torch.arange(10))
    drawn = draws.integers(7, 50)
    assert int(drawn.min()) >= 0 and int(drawn.max()) <= 6
    counts = torch.bincount(drawn.flatten(), minlength=7).numpy()
    assert stats.chisquare(counts).pvalue > 1e-9


@pytest.mark.parametrize("kernel", (True, False))
def test_samples_are_places_among_those_of_all_workers(kernel, monkeypatch):
    if not kernel:
        monkeypatch.setattr(key_module, "by_torch", lambda _: True)
    draws = Key.seed(5).fold("samples").draws(torch.arange(3), torch.tensor([4, 0, 7]))
    places = draws.samples(11, 6)
    assert torch.equal(places // 11, draws.workers[..., None].expand_as(places))
    assert torch.equal(places % 11, draws.integers(11, 6))


@pytest.mark.parametrize("kernel", (True, False))
@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_purposes_side_by_side_draw_what_each_does(kernel, dtype, monkeypatch):
    if not kernel:
        monkeypatch.setattr(key_module, "by_torch", lambda _: True)
    draws = Key.seed(6).draws(torch.arange(2), torch.tensor([3, 1, 8]))
    joint = SideBySide(draws, "part", range(4, 9))
    parts = [draws.fold("part", number) for number in range(4, 9)]
    assert joint.workers.shape == (2, 3, 5)
    for ask in (
        lambda some: some.uniform(7, dtype),
        lambda some: some.normal(7, dtype),
        lambda some: some.integers(9, 7),
        lambda some: some.samples(9, 7),
        lambda some: some.fold("more", 2).uniform(3, dtype),
    ):
        assert torch.equal(ask(joint), torch.stack([ask(part) for part in parts], -2))


def test_normals_are_normal():
    z = Key.seed(9).draws(torch.arange(200), torch.arange(10)).normal(51, torch.float64)
    assert stats.kstest(z.flatten().numpy(), "norm").pvalue > 1e-9


@pytest.mark.parametrize("part", [4, 8, 1 << 16])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("fill", [philox.uniform_numba, philox.uniform_torch])
def test_slices_of_a_row_are_those_of_the_whole(part, dtype, fill, monkeypatch):
    monkeypatch.setattr(key_module, "_PART", part)
    monkeypatch.setattr(philox, "uniform_numba", fill)
    draws = Key.seed(3).draws(torch.arange(2), torch.arange(3))
    whole = draws.uniform(19, dtype)
    parts = [u for _, u in draws.uniform_parts(19, dtype)]
    assert torch.equal(torch.cat(parts, -1), whole) and len(parts) == -(-19 // part)
    chance = torch.linspace(0, 1, 19, dtype=torch.float64)
    mask = below(draws, lambda here: chance[here], 19)
    assert torch.equal(mask, draws.uniform(19, torch.float64) < chance)
