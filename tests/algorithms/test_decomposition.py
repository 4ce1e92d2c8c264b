"""Low rank, learned bases, sketches: kernels, reference vectors, the methods' identities."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

from algorithms.catalogue import row
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.identity import Identity
from algorithms.compressors.low_rank import LowRank, plan
from algorithms.compressors.slice_projection import SliceProjection
from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.kernels import low_rank, projection
from algorithms.kernels import sketch as kernel
from algorithms.methods.base import RunContext
from algorithms.methods.decomposition.gradiveq import GradiVeQ, leading
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.network.simulated import Simulated
from algorithms.problems.entries import problem
from theory.stepsizes import ConstantStep

ROWS = ("powersgd", "gradiveq", "sketched-sgd")
M = torch.tensor([[[2.0, 1.0], [1.0, 2.0]]], dtype=torch.float64)


def normals(*shape, dtype=torch.float64, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("a", "b", "r"), [(7, 5, 3), (1, 9, 1), (12, 4, 4), (3, 3, 1)])
def test_products_and_twins(a, b, r, dtype):
    m, q = normals(6, a, b, dtype=dtype), normals(6, b, r, dtype=dtype, seed=1)
    out = low_rank.times(m, q)
    assert torch.equal(out, low_rank.times_torch(m, q))
    torch.testing.assert_close(out, m @ q)
    assert torch.equal(out[2], low_rank.times(m[2:3], q[2:3])[0])
    p = low_rank.orthonormal(out)
    assert torch.equal(p, low_rank.orthonormal_torch(out))
    keep = min(a, r, b)
    eye = torch.eye(keep, dtype=dtype).expand(6, keep, keep)
    close = 1e-10 if dtype == torch.float64 else 1e-3
    torch.testing.assert_close((p.transpose(-1, -2) @ p)[:, :keep, :keep], eye, atol=close, rtol=0)


def test_dependent_columns_become_zero():
    p = torch.tensor([[[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]]], dtype=torch.float64)
    out = low_rank.orthonormal(p)
    assert not out[..., 1:].any() and torch.isfinite(out).all()


def test_power_iteration_reference_vector():
    """[[2, 1], [1, 2]], q0 = (1, 0): error 1.8, then 1.0109589 from the warm start; best 1."""
    q = torch.tensor([[[1.0], [0.0]]], dtype=torch.float64)
    errors = []
    for _ in range(2):
        p = low_rank.orthonormal(low_rank.times(M, q))
        q = low_rank.times(M.transpose(-1, -2), p)
        errors.append(low_rank.times(p, q.transpose(-1, -2)))
    expected = torch.tensor([[[2.0, 1.6], [1.0, 0.8]]], dtype=torch.float64)
    torch.testing.assert_close(errors[0], expected, rtol=1e-14, atol=1e-14)
    assert float((errors[0] - M).square().sum()) == pytest.approx(1.8, rel=1e-14)
    assert float((errors[1] - M).square().sum()) == pytest.approx(1.0109589, rel=1e-7)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_low_rank_constant_is_attained_by_equal_singular_values(rank):
    m = torch.linalg.qr(normals(8, 8)).Q.reshape(1, 1, 64)
    draws = Key.seed(0).draws(torch.arange(50), torch.zeros(1, dtype=torch.int64))
    operator = LowRank(rank)
    errors = (operator.compress(m.expand(50, 1, 64), draws) - m).square().sum(-1) / 8
    (claim,) = operator.claims(64)
    torch.testing.assert_close(errors, torch.full_like(errors, claim.constant), rtol=1e-9, atol=0)


def test_blocks_of_a_model():
    blocks = plan(1210, ((16, 64), (16,), (10, 16), (10,)), 2)
    assert [b.rank for b in blocks] == [2, 0, 2, 0]
    assert sum(b.floats for b in blocks) == 2 * 80 + 16 + 2 * 26 + 10
    assert plan(20, ((20,),), 1)[0][:3] == (20, 4, 5)
    with pytest.raises(ValueError, match="shapes must hold d=7 numbers"):
        plan(7, ((2, 2), (2,)), 1)
    with pytest.raises(ValueError, match="rank must be at least 1, got rank=0"):
        LowRank(0)


def test_count_sketch_row_by_enumeration():
    """v = (3, -4, 0, 12), width 2: the estimate of v_1 has mean 3 and variance 80."""
    v = (3, -4, 0, 12)
    total = square = Fraction(0)
    for places in itertools.product(range(2), repeat=4):
        for signs in itertools.product((False, True), repeat=4):
            x = torch.tensor([v], dtype=torch.float64)
            table = torch.tensor([[[2 * p + s for p, s in zip(places, signs, strict=True)]]])
            rows = kernel.sketch(x, table, 2)
            found = Fraction(float(kernel.estimates(rows, table)[0, 0, 0]))
            total, square = total + found, square + (found - 3) ** 2
    assert (total / 256, square / 256) == (3, 80)


@pytest.mark.parametrize("rows", [1, 4, 5])
def test_sketches_are_linear_and_equal_their_twin(rows):
    x, y = normals(3, 40), normals(3, 40, seed=1)
    generator = np.random.default_rng(2)
    table = torch.from_numpy(generator.integers(0, 12, (1, rows, 40)))
    sketched = kernel.sketch(x, table, 6)
    assert torch.equal(sketched, kernel.sketch_torch(x, table, 6))
    middle = kernel.median_estimates(sketched, table)
    assert torch.equal(middle, kernel.median(kernel.estimates(sketched, table)))
    both = kernel.sketch(x + y, table, 6)
    torch.testing.assert_close(both, sketched + kernel.sketch(y, table, 6))
    found = kernel.estimates(sketched, table)
    expected = torch.from_numpy(np.median(found.numpy(), axis=-2))
    torch.testing.assert_close(kernel.median(found), expected, rtol=1e-15, atol=0)


def test_sketch_of_one_coordinate_is_exact():
    x = torch.zeros(1, 30, dtype=torch.float64)
    x[0, 7] = -2.5
    draws = Key.seed(1).draws(torch.tensor(0), torch.tensor([0]))
    assert float(CountSketch(3, 8).compress(x, draws)[0, 7]) == -2.5


def test_a_learned_basis_is_that_of_numpys_svd():
    g = normals(1, 9, 6)
    covariance = g.transpose(-1, -2) @ g
    basis = leading(covariance, 2)
    right = np.linalg.svd(g[0].numpy(), full_matrices=False)[2][:2].T
    assert np.abs(np.abs(basis[0].numpy().T @ right) - np.eye(2)).max() < 1e-10


def test_projection_is_linear_and_keeps_its_span():
    operator = SliceProjection(6, 2)
    basis = operator.basis(torch.float64)
    c = normals(3, 8)
    x = projection.restored(c, basis, 24)
    torch.testing.assert_close(projection.coefficients(x, basis), c)
    with pytest.raises(ValueError, match=r"k must lie in \[1, length - 1\], got k=6"):
        SliceProjection(6, 6)
    with pytest.raises(ValueError, match="length must be at most d, got length=6 with d=4"):
        operator.claims(4)


def _states(method, name, steps, n=4):
    built = problem(name, n)
    network = Simulated(n)
    context = RunContext(built, network, Key.seed(2), torch.arange(2))
    state = method.init(built.start(), context)
    for t in range(steps):
        yield state
        state = method.step(state, t, context)
    yield state


@pytest.mark.parametrize("aggregate", [False, True])
@pytest.mark.parametrize("name", ["quadratic-sc", "mlp-digits"])
def test_powersgd_loses_nothing(name, aggregate):
    """x_t - mean residual moves by the mean gradient step alone, whichever residual is kept."""
    step = ConstantStep(0.05)
    method = PowerSGD(step, 1, aggregate_residual=aggregate)
    built = problem(name, 4)
    context = RunContext(built, Simulated(4), Key.seed(2), torch.arange(2))
    states = list(_states(method, name, 6))
    for t, (before, after) in enumerate(itertools.pairwise(states)):
        g = context.gradient(before.x, t).mean(-2, keepdim=True)
        virtual = [s.x - s.residual.mean(-2, keepdim=True) for s in (before, after)]
        torch.testing.assert_close(virtual[1], virtual[0] - 0.05 * g, rtol=1e-10, atol=1e-12)


def test_powersgd_equals_torchs_hook_on_one_worker():
    """The same first Q, one rank: the approximations of torch's powerSGD_hook algorithm."""
    m, q = normals(1, 6, 5), normals(1, 5, 2, seed=1)
    residual = torch.zeros_like(m)
    theirs_q = q.clone()
    for _ in range(4):
        wanted = m + residual
        p = low_rank.orthonormal(low_rank.times(wanted, q))
        q = low_rank.times(wanted.transpose(-1, -2), p)
        ours = low_rank.times(p, q.transpose(-1, -2))
        theirs_p = torch.linalg.qr(wanted @ theirs_q).Q
        theirs_q = wanted.transpose(-1, -2) @ theirs_p
        torch.testing.assert_close(ours, theirs_p @ theirs_q.transpose(-1, -2), rtol=1e-9, atol=0)
        residual = wanted - ours


def test_powersgd_of_full_rank_is_sgd():
    built = problem("mlp-digits", 2)
    step = ConstantStep(0.1)
    full = run(PowerSGD(step, 64), built, steps=5, points=2)
    plain = run(SketchedSGD(step, 1.0, width=1210), built, steps=5, points=2)
    torch.testing.assert_close(full.model, plain.model, rtol=1e-9, atol=1e-12)


def test_sketched_sgd_takes_the_largest_means_when_nothing_collides():
    """A sketch far wider than d: the k coordinates are those of the exact mean."""
    method = SketchedSGD(ConstantStep(1.0), 3, rows=7, width=4096)
    before, after = list(_states(method, "quadratic-sc", 1))
    built = problem("quadratic-sc", 4)
    context = RunContext(built, Simulated(4), Key.seed(2), torch.arange(2))
    g = context.gradient(before.x, 0)
    move = (before.x - after.x)[:, 0]
    mean = g.mean(-2)
    top = mean.abs().topk(3, -1).indices
    expected = torch.zeros_like(mean).scatter(-1, top, mean.gather(-1, top))
    torch.testing.assert_close(move, expected, rtol=1e-12, atol=1e-14)
    torch.testing.assert_close(after.residual.mean(-2) + move, mean, rtol=1e-12, atol=1e-14)


def test_gradiveq_sums_in_the_compressed_domain():
    method = GradiVeQ(ConstantStep(0.05), length=5, k=2, learn=3, cycle=20, feedback=True)
    states = list(_states(method, "quadratic-sc", 6))
    built = problem("quadratic-sc", 4)
    context = RunContext(built, Simulated(4), Key.seed(2), torch.arange(2))
    before, after = states[4], states[5]
    mean = (0.05 * context.gradient(before.x, 4) + before.residual).mean(-2)
    centre = 0.05 * before.mean[:, 0]
    cut = (mean - centre).reshape(2, 4, 5)
    u = before.basis[:, 0]
    expected = centre + (cut @ u @ u.transpose(-1, -2)).reshape(2, 20)
    torch.testing.assert_close((before.x - after.x)[:, 0], expected, rtol=1e-10, atol=1e-13)
    left = after.residual.mean(-2)
    torch.testing.assert_close(left + expected, mean, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("centred", [True, False])
def test_gradiveq_learns_mean_and_covariance_of_each_slice(centred):
    """Against numpy: the mean of the averaged gradients, and the leading vectors about it."""
    method = GradiVeQ(ConstantStep(0.05), length=5, k=2, learn=4, cycle=6, centred=centred)
    states = list(_states(method, "quadratic-sc", 11))
    for start in (0, 6):
        moves = [(a.x - b.x)[:, 0] / 0.05 for a, b in itertools.pairwise(states[start : start + 5])]
        seen = torch.stack(moves, 1).reshape(2, 4, 4, 5).numpy()  # replica, step, slice, place
        off = seen - seen.mean(1, keepdims=True) if centred else seen
        learnt = states[start + 4]
        mean = seen.mean(1).reshape(2, 20) if centred else np.zeros((2, 20))
        np.testing.assert_allclose(learnt.mean[:, 0], mean, rtol=1e-10, atol=1e-12)
        for r in range(2):
            rows = off[r].reshape(-1, 5)
            u = np.linalg.svd(rows.T @ rows)[0][:, :2]
            found = learnt.basis[r, 0].numpy()
            np.testing.assert_allclose(found @ found.T, u @ u.T, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PowerSGD(ConstantStep(1.0), 0), "rank must be at least 1, got rank=0"),
        (lambda: SketchedSGD(ConstantStep(1.0), 1, rows=0), "rows must be at least 1"),
        (lambda: GradiVeQ(ConstantStep(1.0), length=4, k=5), r"k must lie in \[1, length=4\]"),
        (lambda: GradiVeQ(ConstantStep(1.0), learn=9, cycle=8), r"learn must lie in \[1, cycle=8"),
        (lambda: CountSketch(0, 4), "rows must be at least 1"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_identity_is_what_crosses():
    """The two rounds of PowerSGD are charged as floats: closed form of the factors."""
    built = problem("mlp-digits", 2)
    trace = run(PowerSGD(ConstantStep(0.1), 1), built, steps=3, points=2)
    floats = sum(b.floats for b in plan(built.d, built.shapes, 1))
    assert int(trace.account.sent_bits[0, 0]) == 3 * floats * 64
    assert Identity().bits(floats, torch.float64) == floats * 64


def test_a_basis_of_gradients_beyond_their_range_is_a_divergence_and_no_crash():
    """The eigenvalue routine gives up on infinities by an error of its own."""
    objective = problem("quadratic-sc", 4)
    method = row("gradiveq").tune(objective, 400, ConstantStep(16.0)).method
    with pytest.raises(Diverged):
        run(method, objective, steps=400)
