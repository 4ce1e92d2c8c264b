"""The convolutional network on digits against scipy's correlations, and its dial."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.signal import correlate2d
from scipy.special import logsumexp

from algorithms.catalogue import problem
from algorithms.core.key import Key
from algorithms.problems.cnn import digits_cnn


def losses(x, images, labels):
    """Cross-entropies ``[s]`` at x, by scipy's correlation of every image with every kernel."""
    kernels, offsets, weights, shifts = np.split(x, np.cumsum((4 * 9, 4, 10 * 36)))
    found = []
    for image, label in zip(images, labels, strict=True):
        maps = [
            np.tanh(correlate2d(image.reshape(8, 8), kernel, "valid")[::2, ::2] + offset)
            for kernel, offset in zip(kernels.reshape(4, 3, 3), offsets, strict=True)
        ]
        scores = weights.reshape(10, 36) @ np.stack(maps).ravel() + shifts
        found.append(logsumexp(scores) - scores[label])
    return np.array(found)


def drawn(built):
    """A point away from the start."""
    return (
        0.3 * Key.seed(1).draws(torch.tensor(0), torch.arange(1)).normal(built.d, torch.float64)[0]
    )


def test_values_are_those_of_scipys_correlations():
    built = digits_cnn(100)
    x = drawn(built)
    images, labels = (a.flatten(0, 1).numpy() for a in (built.features, built.labels))
    assert built.d == 4 * 9 + 4 + 36 * 10 + 10
    assert float(built.value(x)) == pytest.approx(losses(x.numpy(), images, labels).mean(), 1e-12)


def test_workers_gradients_are_derivatives_of_their_own_losses():
    built = digits_cnn(200)
    x, workers = drawn(built), torch.tensor([3, 150])
    along = drawn(built).flip(0)
    got = built.full_gradient(x[None], workers) @ along
    for worker, slope in zip(workers, got, strict=True):
        images, labels = built.features[worker].numpy(), built.labels[worker].numpy()
        ends = [losses((x + h * along).numpy(), images, labels).mean() for h in (1e-5, -1e-5)]
        assert float(slope) == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-8)


def test_workers_differ_by_the_dial_and_the_start_is_theirs_all():
    built = [problem(f"cnn-digits@{rule}", 16) for rule in ("iid", "dirichlet=0.3", "sorted")]
    start = built[0].start()
    assert all(torch.equal(one.start(), start) for one in built)
    spread = [float(one.heterogeneity(start)) for one in built]
    assert spread[0] < 0.1 * spread[1] < 0.1 * spread[2]


def test_making_it_leaves_torchs_own_draws_alone():
    torch.manual_seed(3)
    before = torch.rand(1)
    torch.manual_seed(3)
    digits_cnn(4)
    assert torch.equal(torch.rand(1), before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="channels must be at least 1, got channels=0"):
        digits_cnn(4, channels=0)
    with pytest.raises(ValueError, match="n must be at most the number of samples, got n=2000"):
        digits_cnn(2000)
