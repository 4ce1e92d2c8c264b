"""The kernels of a perceptron's first layer against their twins and torch's own autograd."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernels import layers
from algorithms.problems.mlp import digits_mlp

CLOSE = {torch.float32: 2e-5, torch.float64: 1e-13}


@st.composite
def samples(draw):
    """Samples, places, points of some pairs each, and the number of hidden units."""
    kind = draw(st.sampled_from((torch.float32, torch.float64)))
    p, hidden = draw(st.integers(1, 70)), draw(st.integers(1, 11))
    points, share = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    count, batch = draw(st.integers(1, 9)), draw(st.integers(1, 10))
    lots = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    flat = torch.randn((count, p), generator=lots, dtype=kind)
    place = torch.randint(count, (points * share, batch), generator=lots)
    if draw(st.booleans()):  # all pairs have the same samples, held once
        place = place[:1].expand(points * share, -1)
    x = torch.randn((points, hidden * (p + 1) + 5), generator=lots, dtype=kind)
    return flat, place, x, share, hidden


def last_of(x, pairs):
    """What stands for a last layer's gradients: the five numbers after the first layer's."""
    flat = x[:1, -5:].expand(pairs, -1).contiguous()
    return flat[:, :4].unflatten(1, (1, 4)), flat[:, 4:]


@settings(max_examples=60)
@given(samples())
def test_kernels_are_their_twins(drawn):
    flat, place, x, share, hidden = drawn
    close = CLOSE[flat.dtype] * flat.shape[1] ** 0.5
    forth = layers.forth(flat, place, x, share, hidden)
    torch.testing.assert_close(
        forth, layers.forth_torch(flat, place, x, share, hidden), rtol=close, atol=10 * close
    )
    outs = [torch.full((len(place), x.shape[1]), 7.0, dtype=flat.dtype) for _ in range(2)]
    given = (forth.sin(), forth.tanh(), flat, place, *last_of(x, len(place)))
    layers.back(*given, outs[0])
    layers.back_torch(*given, outs[1])
    torch.testing.assert_close(*outs, rtol=close, atol=10 * close)
    last = outs[0][:, hidden * (flat.shape[1] + 1) :]
    assert torch.equal(last, torch.cat((given[4].flatten(1), given[5]), 1))


@settings(max_examples=60)
@given(samples(), st.integers(1, 12), st.sampled_from((1.0, 30.0, 1e3)))
def test_slopes_of_cross_entropy_are_autograds(drawn, classes, scale):
    flat, place, *_ = drawn
    lots = torch.Generator().manual_seed(len(flat))
    labels = torch.randint(classes, (len(flat),), generator=lots)
    scores = torch.randn((*place.shape, classes), generator=lots, dtype=flat.dtype).mul_(scale)
    leaf = scores.clone().requires_grad_()
    losses = torch.nn.functional.cross_entropy(
        leaf.flatten(0, 1), labels[place].flatten(), reduction="none"
    )
    (found,) = torch.autograd.grad(losses.sum() / place.shape[1], leaf)
    close = CLOSE[flat.dtype]
    twin = layers.slopes_torch(scores.clone(), labels, place)
    torch.testing.assert_close(twin, found, rtol=close, atol=close)
    torch.testing.assert_close(layers.slopes(scores, labels, place), found, rtol=close, atol=close)


@settings(max_examples=30)
@given(samples(), st.data())
def test_a_pair_has_its_bits_whatever_others_there_are(drawn, data):
    flat, place, x, share, hidden = drawn
    i = data.draw(st.integers(0, len(place) - 1))
    one = slice(i, i + 1)
    forth = layers.forth(flat, place, x, share, hidden)
    alone = layers.forth(flat, place[one], x[i // share : i // share + 1], 1, hidden)
    assert torch.equal(alone, forth[one])
    outs = torch.zeros((len(place), x.shape[1]), dtype=flat.dtype), torch.zeros_like(x[:1])
    layers.back(forth, forth, flat, place, *last_of(x, len(place)), outs[0])
    layers.back(forth[one], forth[one], flat, place[one], *last_of(x, 1), outs[1])
    assert torch.equal(outs[0][one], outs[1])


@pytest.mark.parametrize("hidden", (1, 7, 16))
def test_gradients_are_autograds(hidden):
    """Of the mean loss of all samples, and of a worker's."""
    problem = digits_mlp(6, hidden=hidden)
    lots = torch.Generator().manual_seed(1)
    x = torch.randn((3, problem.d), generator=lots, dtype=torch.float64).requires_grad_()
    (found,) = torch.autograd.grad(problem.value(x).sum(), x)
    torch.testing.assert_close(problem.mean_gradient(x.detach()), found, rtol=1e-10, atol=1e-12)
    workers = torch.arange(6).expand(3, -1)
    rows = problem.full_gradient(x.detach()[:, None], workers)
    apart = problem.full_gradient(x.detach()[:, None].expand(-1, 6, -1), workers)
    torch.testing.assert_close(rows.mean(1), found, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(rows, apart, rtol=1e-12, atol=1e-14)
