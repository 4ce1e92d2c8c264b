"""DGD, projection, mirror descent, dual averaging and the pairwise objective, against others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.metrics import roc_auc_score
from torch import Tensor

from algorithms.catalogue import row
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import NonFiniteGradient, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    SampleExchange,
    TravellingSamples,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.parts.gradients import Full
from algorithms.problems.base import Problem
from algorithms.problems.pairwise import PairwiseLogistic, breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet, Unconstrained
from algorithms.sets.box import Box
from algorithms.sets.geometry import Euclidean, NegativeEntropy
from algorithms.sets.simplex import Simplex
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_convex.closed_forms import uneven
from proofs_check.evidence.gossip_convex.theorems import (
    DGD_AMOUNT,
    DUAL_AVERAGING_AMOUNT,
    PROJECTED_DGD_AMOUNT,
)
from proofs_check.instruments.evidence import ALPHA, mean_value
from proofs_check.instruments.paths import world_of
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from tests.theory.cases import at_example
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep
from theory.theorems.dgd import dgd as dgd_bound
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.projected_dgd import projected_dgd as projected_bound

STEP = ConstantStep(0.1)
N = 8


def nearest(name: str, x: np.ndarray) -> np.ndarray:
    """Projection by another route: roots of the multiplier, clipping."""
    if name == "box":
        return np.clip(x, -0.5, 2.0)
    if name == "ball":
        return x if np.linalg.norm(x) <= 1.5 else x * 1.5 / np.linalg.norm(x)
    shift = brentq(lambda s: np.maximum(x - s, 0).sum() - 2.0, x.min() - 2, x.max(), xtol=1e-15)
    return np.maximum(x - shift, 0)


SETS: dict[str, ConvexSet] = {"ball": Ball(1.5), "box": Box(-0.5, 2.0), "simplex": Simplex(2.0)}


@pytest.mark.parametrize("name", SETS)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=9))
def test_projections_against_roots(name: str, values: list[float]) -> None:
    x = torch.tensor([values], dtype=torch.float64)
    got = SETS[name].project(x)
    assert got[0].numpy() == pytest.approx(nearest(name, np.array(values)), abs=1e-12)
    assert SETS[name].project(got).numpy() == pytest.approx(got.numpy(), abs=1e-12)
    assert float(got.norm()) <= SETS[name].radius(len(values)) * (1 + 1e-12)


def test_projections_keep_rows_apart_and_the_dtype() -> None:
    x = torch.randn((3, 4, 7), generator=torch.Generator().manual_seed(1), dtype=torch.float32)
    for domain in SETS.values():
        whole = domain.project(x)
        assert whole.dtype == torch.float32
        assert all(
            torch.equal(whole[:, i : i + 1], domain.project(x[:, i : i + 1])) for i in (0, 3)
        )
    assert Unconstrained().project(x) is x and Unconstrained().radius(3) == math.inf


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Ball(0.0), "size must be finite and > 0, got size=0.0"),
        (lambda: Simplex(-1.0), "total must be finite and > 0, got total=-1.0"),
        (lambda: NegativeEntropy(math.nan), "total must be finite and > 0, got total=nan"),
        (lambda: Box(1.0, 1.0), "low < high, got low=1.0, high=1.0"),
        (lambda: breast_cancer_pairs(4, 0.0), "lam must be finite and > 0, got lam=0.0"),
        (lambda: breast_cancer_pairs(4, 0.1, samples=999), "samples must be in"),
    ],
)
def test_bad_arguments_are_named(make, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert said in str(caught.value)


def test_entropy_steps_are_scipys_softmax_and_do_not_overflow() -> None:
    random = np.random.default_rng(2)
    x, g = random.dirichlet(np.ones(5), 3), random.normal(size=(3, 5))
    got = NegativeEntropy().step(torch.from_numpy(x), torch.from_numpy(g), 0.7)
    assert got.numpy() == pytest.approx(softmax(np.log(x) - 0.7 * g, axis=1), rel=1e-13)
    huge = NegativeEntropy(3.0).step(torch.from_numpy(x), torch.from_numpy(g * 1e6), 1.0)
    assert torch.isfinite(huge).all() and huge.sum(-1).numpy() == pytest.approx(3.0, rel=1e-14)


def test_projection_is_mirror_descent_in_the_euclidean_distance() -> None:
    assert projected_dgd(STEP, Ring(N), Ball(2.0)) == MirrorDescent(
        STEP, Ring(N), Euclidean(Ball(2.0))
    )


def test_projected_dgd_against_numpy() -> None:
    a, b = uneven(N, 5)
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    step, w, x = (
        InverseTimeStep(2.0, 10.0),
        Ring(N).matrix(0),
        np.tile(nearest("simplex", np.zeros(5)), (N, 1)),
    )
    for t in range(50):
        v = w @ x
        x = np.stack([nearest("simplex", r) for r in v - step(t) * a * (v - b)])
    got = run(projected_dgd(step, Ring(N), Simplex(2.0), Full()), problem, steps=50, points=2)
    assert got.rows[0].numpy() == pytest.approx(x, abs=1e-12)


def test_dgd_takes_gradients_without_noise() -> None:
    problem = Quadratic.strongly_convex(N, 4, sigma2=2.0, zeta2=1.0)
    one, other = (run(dgd(STEP, Ring(N)), problem, steps=9, seed=s).rows for s in (1, 2))
    assert torch.equal(one, other)
    assert dgd(STEP, Ring(N)).constants(problem).sigma2 == 0.0
    assert DPSGD(STEP, Ring(N)).constants(problem).sigma2 == 2.0
    still = replace(problem, sigma2=0.0)
    assert torch.equal(run(DPSGD(STEP, Ring(N)), still, steps=9).rows, one)


def test_a_full_gradient_that_is_not_finite_is_named() -> None:
    problem = Quadratic.strongly_convex(4, 2)
    start = torch.tensor([1.0, math.inf], dtype=torch.float64)
    context = world_of(problem, 0, 1)
    with pytest.raises(NonFiniteGradient, match="gradient of worker 0 at step 3"):
        Full().compute(start.expand(1, 4, 2), 3, context)


def test_sizes_must_agree() -> None:
    problem = Quadratic.strongly_convex(4, 2)
    for method in (
        MirrorDescent(STEP, Ring(5)), DualAveraging(STEP, Ring(5)),
        GossipDualAveraging(STEP, RandomEdge(Ring(5))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"n=5 .* n=4"):
            run(method, problem, steps=1)


@pytest.fixture(scope="module")
def pairs() -> PairwiseLogistic:
    return breast_cancer_pairs(5, 0.05, samples=6, partition=SortedByLabel())


def brute(pairs: PairwiseLogistic, x: torch.Tensor, i: int | None) -> torch.Tensor:
    """f, or f_i, pair by pair."""
    a, y = pairs.features.flatten(0, 1), pairs.labels.flatten()
    own = range(len(y)) if i is None else range(6 * i, 6 * i + 6)
    total = torch.zeros((), dtype=torch.float64)
    for p in own:
        for q in range(len(y)):
            if y[p] != y[q]:
                sign = 1.0 if y[p] > y[q] else -1.0
                total = total + torch.log1p(torch.exp(-sign * ((a[p] - a[q]) * x).sum())) / 2
    return total / (len(own) * len(y)) + 0.025 * (x * x).sum()


def test_pairwise_against_pairs_and_autograd(pairs: PairwiseLogistic) -> None:
    x = torch.randn(30, generator=torch.Generator().manual_seed(3), dtype=torch.float64) / 5
    x.requires_grad_()
    f = brute(pairs, x, None)
    assert float(pairs.value(x.detach())) == pytest.approx(float(f.detach()), rel=1e-13)
    (g,) = torch.autograd.grad(f, x)
    assert pairs.mean_gradient(x.detach()).numpy() == pytest.approx(g.numpy(), abs=1e-13)
    (own,) = torch.autograd.grad(brute(pairs, x, 2), x)
    got = pairs.full_gradient(x.detach()[None], torch.tensor([2]))
    assert got[0].numpy() == pytest.approx(own.numpy(), abs=1e-13)
    star = pairs.x_star
    assert star is not None and float(pairs.mean_gradient(star).norm()) < 1e-9
    assert pairs.f_star == pytest.approx(float(pairs.value(star)), rel=1e-13)


def test_pairwise_minimiser_ranks(pairs: PairwiseLogistic) -> None:
    """What the surrogate is for: scikit-learn's area under the curve."""
    scores = (pairs.features.flatten(0, 1) @ pairs.x_star).numpy()
    assert roc_auc_score(pairs.labels.flatten().numpy(), scores) > 0.99


def test_pairwise_noise_is_exact_and_unbiased(pairs: PairwiseLogistic) -> None:
    x = torch.full((30,), 0.05, dtype=torch.float64)
    workers = torch.arange(5)
    replicas = torch.arange(3000)
    draws = Key.seed(4).fold("gradient").draws(replicas, workers.expand(3000, 5))
    g = pairs.gradient(x.expand(3000, 5, 30), draws)
    off = g - pairs.full_gradient(x[None], workers)
    square = off.square().sum(-1)
    for i in range(5):
        verdict = mean_value(
            "pairwise", "noise", square[:, i].numpy(), float(pairs.noise(x)[i]), check="noise"
        )
        assert verdict.outcome is Outcome.SUPPORTED, verdict
        along = (off[:, i] * pairs.features[i, 0]).sum(-1).numpy()
        assert mean_value("p", "c", along, 0.0, check="bias").outcome is Outcome.SUPPORTED
    assert float(pairs.noise(x).max()) <= pairs.constants().need("sigma2") and ALPHA < 1e-9


def test_pairwise_constants_hold(pairs: PairwiseLogistic) -> None:
    random = torch.Generator().manual_seed(5)
    x, y = (torch.randn((40, 30), generator=random, dtype=torch.float64) for _ in range(2))
    c, off = pairs.constants(), (x - y).norm(dim=-1)
    steep = (pairs.mean_gradient(x) - pairs.mean_gradient(y)).norm(dim=-1) / off
    assert float(steep.max()) <= c.need("L") and float(steep.min()) >= c.need("mu")
    own = (pairs.all_gradients(x) - pairs.all_gradients(y)).norm(dim=-1) / off[:, None]
    assert float(own.max()) <= c.need("L_max")
    gap = float(pairs.value(pairs.start())) - c.need("f_star")
    assert gap == pytest.approx(c.need("initial_gap"), rel=1e-12)


def gossip(pairs: PairwiseLogistic) -> GossipDualAveraging:
    return GossipDualAveraging(InverseRootStep(0.05), RandomEdge(Ring(5)), TravellingSamples(pairs))


def test_only_the_pair_that_meets_pays(pairs: PairwiseLogistic) -> None:
    trace = run(gossip(pairs), pairs, steps=1, replicas=20, points=2)
    bits = trace.account.sent_bits
    assert set(bits.flatten().tolist()) == {0, 64 * (30 + 6 * 31)}
    assert (bits.ne(0).sum(-1) == 2).all() and torch.equal(bits, trace.account.received_bits)


@final
@dataclass(frozen=True)
class OwnPairs(SampleExchange):
    """Nobody visits: pairs of a worker's own samples only."""

    problem: PairwiseLogistic

    @property
    def name(self) -> str:
        return "own pairs"

    @property
    def numbers(self) -> int:
        return 0

    def first(self, x: Tensor, context: RunContext) -> Tensor:
        return x[..., :0].clone()

    def gradient(self, x: Tensor, guests: Tensor, t: int, context: RunContext) -> Tensor:
        own, labels = self.problem.features, self.problem.labels
        return self.problem.between(x, own, labels, own, labels)


def test_guests_reach_what_own_pairs_cannot(pairs: PairwiseLogistic) -> None:
    """Shards sorted by label hold hardly a pair of unlike labels: guests bring them."""
    alone = GossipDualAveraging(InverseRootStep(0.05), RandomEdge(Ring(5)), OwnPairs(pairs))
    ours, theirs = (run(m, pairs, steps=1000, points=2) for m in (gossip(pairs), alone))
    start = pairs.constants().need("initial_gap")
    assert ours.suboptimality[0, -1] < 0.2 * start
    assert theirs.suboptimality[0, -1] > 0.5 * start


CASES = ("simplex", "entropy", "dual", "box", "pairs")


def play(name: str) -> tuple[object, Problem]:
    """A method off the catalogue on a problem for four workers."""
    step, ring = InverseRootStep(0.3), Ring(4)
    if name == "pairs":
        data = breast_cancer_pairs(4, 0.05, samples=5)
        return GossipDualAveraging(step, RandomEdge(ring), TravellingSamples(data)), data
    problem = Quadratic.strongly_convex(4, 6, sigma2=1.0, zeta2=2.0)
    return {
        "simplex": MirrorDescent(step, ring, Euclidean(Simplex())),
        "entropy": DualAveraging(step, ring, NegativeEntropy()),
        "dual": DualAveraging(step, ring, Euclidean(Ball(0.7))),
        "box": MirrorDescent(step, ring, Euclidean(Box(-0.2, 0.3)), Full()),
    }[name], problem


@pytest.mark.sharded
def test_both_worlds_agree() -> None:
    cases = tuple(Case(name, play, (name,)) for name in CASES)
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome.holds, verdict
        assert verdict.outcome is Outcome.AGREES or verdict.subject == "pairs"


@pytest.mark.parametrize("key", ["dgd", "projected-dgd", "gossip-dual-averaging", "mirror-descent"])
def test_rows_make_progress(key: str) -> None:
    problem = Quadratic.strongly_convex(N, 10, sigma2=0.1, zeta2=0.1)
    trace = run(row(key).build(problem, 400), problem, steps=400, points=2)
    assert trace.suboptimality[0, -1] < 0.5 * trace.suboptimality[0, 0]


def test_bounds_by_hand() -> None:
    # the examples: lam 0.6, l 3, R2 6, n 4: 6/(2*0.1*50) + 0.1*9*(1/2 + 2/0.4)
    assert at_example(dgd_bound, STEP, 50) == pytest.approx(0.6 + 0.9 * 5.5, rel=1e-12)
    assert at_example(projected_bound, STEP, 50) == pytest.approx(0.6 + 0.9 * 2.0, rel=1e-12)
    # 6/(2*0.2) + 0.2*9*(12 log(25*2)/0.4 + 19), over 5
    value = (15 + 1.8 * (30 * math.log(50) + 19)) / 5
    assert at_example(dual_averaging, InverseRootStep(0.2), 25) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("horizon", [3, 100, 10**8])
def test_dual_averaging_is_at_most_its_printed_bound(lam: float, horizon: int) -> None:
    c = dual_averaging.example.state(lam=lam)
    step = dual_averaging.stepsize(c, horizon)
    times = np.array([float(horizon)])
    printed = 8 * math.sqrt(3) * 3 * math.log(horizon * 2) / math.sqrt(horizon * (1 - lam))
    assert dual_averaging.printed(c, times)[0] == pytest.approx(printed, rel=1e-12)
    slack = dual_averaging.bound(c, step, times)[0] / printed
    assert (slack <= 1) == (4 + 4.75 * (1 - lam) <= 5 * math.log(horizon * 2))


@pytest.mark.parametrize("theorem", [dgd_bound, projected_bound, dual_averaging])
def test_theorems_name_what_fails(theorem) -> None:
    assert theorem.violations(theorem.example, theorem.stepsize(theorem.example, 10), 10) == ()
    (said,) = theorem.violations(theorem.example, InverseTimeStep(1.0, 1.0), 10)
    assert said.startswith("this theorem is about")
    (said,) = theorem.violations(theorem.example.without("lipschitz"), STEP, 10)
    assert said.startswith("this theorem needs lipschitz")
    step = theorem.stepsize(theorem.example, 10)
    (said,) = theorem.violations(theorem.example.state(convex=False), step, 10)
    assert said == "every f_i must be convex, got convex=False"
    (said,) = theorem.violations(theorem.example.state(lam=1.0), step, 10)
    assert said.startswith("lam must be below 1")


def test_the_prescribed_stepsizes_are_the_best() -> None:
    for theorem in (dgd_bound, projected_bound):
        best = theorem.stepsize(theorem.example, 100)
        least = at_example(theorem, best, 100)
        assert all(at_example(theorem, ConstantStep(best(0) * f), 100) > least for f in (0.9, 1.1))


@pytest.mark.parametrize(
    ("theorem", "proved", "step", "more"),
    [
        (dgd_bound, DGD_AMOUNT, STEP, {"gamma": 0.1, "lambda": 0.6, "R2": 6, "T": 50}),
        (
            projected_bound, PROJECTED_DGD_AMOUNT, STEP,
            {"gamma": 0.1, "lambda": 0.6, "R2": 6, "T": 50},
        ),
        (
            dual_averaging, DUAL_AVERAGING_AMOUNT, InverseRootStep(0.1),
            {"a": 0.1, "gap": 0.4, "R": math.sqrt(3), "log": math.log(50 * 2)},
        ),
    ],
    ids=["dgd", "projected", "dual averaging"],
)  # fmt: skip
def test_the_bounds_are_the_proved_ones(theorem, proved, step, more: dict[str, float]) -> None:
    values = {"l": 3.0} | more
    amount = float(proved.subs({s: values[s.name] for s in proved.free_symbols}))
    proved = amount / math.sqrt(50) if "log" in more else amount
    assert at_example(theorem, step, 50) == pytest.approx(proved, rel=1e-12)
