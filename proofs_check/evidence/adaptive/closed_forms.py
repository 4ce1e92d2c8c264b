"""Adaptive k, gtop-k, lags, variance-based sparsifiers: closed forms, faults, runs under bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import torch
from torch import Tensor

from algorithms.collectives.base import MessageRound
from algorithms.collectives.sparse_lists import RunOfLists, SparseList, run_lists
from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.methods.adaptive.gtop_k import GTopK, GTopKState
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.base import RunContext
from algorithms.problems.quadratic import Quadratic
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import fed_back
from proofs_check.collectives.lists import gtop_k_tree
from proofs_check.evidence.auxiliary.error_feedback import mean_row, noisy, nothing_moves_it_else
from proofs_check.instruments.closed_forms import ClosedForms, same, supported
from proofs_check.instruments.paths import Snapshot, models, path
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.seconds.costs import ETHERNET_1G, AlphaBeta
from theory.seconds.sparse_times import finished, merged, ready_times
from theory.stepsizes import ConstantStep
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.layer_wise_adaptive import layer_wise_adaptive

# Adaptive k: the virtual iterate.


_GAMMA = 0.05


def adaptive_k_keeps() -> Verdict:
    """x - mean residual moves by the mean step: what the server did not move stays with workers."""
    method = AdaptiveK(ConstantStep(_GAMMA), ETHERNET_1G)
    gaps = []
    for before, after in pairwise(path(method, noisy(), 30)):
        g = mean_row(before.context.gradient(before.state.x, before.t))
        was, now = (s.x - mean_row(s.residual) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    claim = "x - mean residual moves by -gamma mean g alone"
    return nothing_moves_it_else("adaptive-k", claim, gaps, "from k = 6 of 12, 30 steps")


def adaptive_k() -> tuple[Verdict, ...]:
    """Check that unsent parts are kept."""
    return (adaptive_k_keeps(),)


# gTop-k's merges and accounts: nothing is lost by two workers, something is by more.


gtop_k = ClosedForms("gtop-k")
"""Closed forms of gtop-k."""


@gtop_k.case("reference vector", "x moves by -1/2 of it")
def tree_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Reference vector: k = 1, g = (5,4,0,0) and (0,4,5,0): gTop-1 is (5,0,0,0), not 8 at 2."""
    g = torch.tensor([[5.0, 4, 0, 0], [0, 4, 5, 0]], dtype=torch.float64)
    zero = torch.zeros(4, dtype=torch.float64)
    problem = Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=zero, x0=zero)
    end = models(make(ConstantStep(1.0), 1), problem, 1)[-1, 0]
    return same("gTop-1 of (5,4,0,0) and (0,4,5,0) is (5,0,0,0)", -2 * end, [5.0, 0, 0, 0])


@gtop_k.case("virtual iterate", "top-3 of 12, 30 steps", on="quadratic")
def accounts_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Two workers: one merge, and nothing is lost."""
    problem = Quadratic.strongly_convex(2, 12, zeta2=1.0)
    return same(
        "two workers: x - mean residual moves by the mean gradient step alone",
        _lost(make(ConstantStep(_GAMMA), 3), problem), 0.0,
    )  # fmt: skip


def _lost(method: Any, problem: Quadratic) -> Tensor:
    """Amount that neither the model nor the residuals account for, step by step."""
    gaps = []
    for before, after in pairwise(path(method, problem, 30)):
        g = before.context.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (s.x - s.residual.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    return torch.stack(gaps)


@gtop_k.case(
    "virtual iterate",
    "Shi et al. 2019, Algorithm 4; n = 8, top-3 of 12, 30 steps; found here",
    on="quadratic",
)
def tree_loses() -> Verdict:
    """Eight workers: a merge drops what another branch brings back, and no residual keeps it."""
    problem = Quadratic.strongly_convex(8, 12, zeta2=1.0)
    lost = float(_lost(GTopK(ConstantStep(_GAMMA), 3), problem).abs().max())
    return supported(
        "from three workers on the paper's residual rule loses mass in merges", lost > 1e-6, lost,
        0.0, f"up to {lost:.3g} a step in one coordinate is in no residual", resolution=0.0,
    )  # fmt: skip


# Layers that are merged before they are sent: an example by hand, and never later than alone.


lags = ClosedForms("lags")
"""Closed forms of lags."""


@lags.case("closed form")
def merging_example(group: bool = True) -> Verdict:
    """Merging layers' messages: two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms: 4 ms
    apart, 3.5 ms merged."""
    link, ready, bits = AlphaBeta(1.0, 1.0), (0.0, 0.5), (1.0, 1.0)
    groups = merged(ready, bits, link) if group else (1, 1)
    return same(
        "two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms end at 3.5 ms merged",
        finished(ready, bits, groups, link), 3.5,
        words=f"groups {groups}; each by itself {finished(ready, bits, (1, 1), link):g} ms",
    )  # fmt: skip


@lags.case("merged layers", "200 models of 12 layers, 1 Gbit/s, backward 1 ms")
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
    return same("merged layers end no later than layers sent one by one", late, 0.0)


# Variance-based sparsification with its rounding kept: the virtual iterate.


def variance_based_keeps(keep: bool = True) -> Verdict:
    """With its rounding kept, x - gamma mean r moves by the mean gradient of the micro-batches."""
    method = VarianceBased(ConstantStep(_GAMMA), keep=keep)

    def micro(moment: Snapshot) -> Tensor:
        return mean_row(
            sum(method.samples(moment.state.x, moment.t, moment.context), torch.zeros(()))
        )

    gaps = []
    for before, after in pairwise(path(method, noisy(), 30)):
        was, now = (s.x - _GAMMA * mean_row(s.r) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * micro(before))
    claim = "rounding kept: x - gamma mean r moves by -gamma mean g alone"
    return nothing_moves_it_else("variance-based", claim, gaps, "B = 4, alpha 1, 30 steps")


def variance_based() -> tuple[Verdict, ...]:
    """Check that unsent parts are kept, if rounding is."""
    return (variance_based_keeps(),)


# AdaComp's words.


adacomp = ClosedForms("adacomp")
"""Closed forms of AdaComp."""


@adacomp.case("words of 8 or 16 bits", "Chen et al. 2018: 8 or 16 bits an element; d = 9")
def adacomp_words(make: Callable[[int], Compressor] = AdaComp) -> Verdict:
    """What one entry more adds to a message, for bins on both sides of the change."""
    found = []
    for size in (4, 10, 31, 32, 63, 64, 500, 16383):
        code = make(size).code(9, torch.float64)
        count, slots = torch.tensor([[0], [1], [9]]), torch.zeros((3, 9), dtype=torch.int64)
        lengths = code.lengths((torch.ones(3, 1).double(), count, slots, slots)).tolist()
        found += [lengths[1] - lengths[0], (lengths[2] - lengths[0]) / 9]
    return same("an entry takes 8 bits in bins up to 63, else 16", found, [8.0] * 10 + [16.0] * 6)


# Faults planted in the accounts of sparsifiers that adapt.


@final
@dataclass(frozen=True)
class ForgetfulTree(FaultyMethod):
    """gTop-k that forgets what it sent in vain: only what was not sent stays in the residual."""

    right: GTopK

    def step(self, state: GTopKState, t: int, context: RunContext) -> GTopKState:
        wanted = state.residual + self.right.step_rule(t) * context.gradient(state.x, t)
        own = context.pack(self.right.operator, wanted, t).own(context.network.workers)
        return self.right.step(state, t, context)._replace(residual=wanted - own)


def uncut(
    program: Iterable[MessageRound], lists: Sequence[SparseList], keep: int | None = None
) -> RunOfLists:
    """Lists as long as they become."""
    return run_lists(program, lists)


def narrow_words(size: int) -> Compressor:
    """AdaComp whose places have the bits of bins a third as large."""
    return AdaComp(max(4, size // 3))


CLOSED_FORMS = (adaptive_k, variance_based)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "AdaComp with narrower words", "the places in a bin have the bits of smaller bins",
        adacomp_words, narrow_words,
    ),
    fault(
        "gTop-k with a stale residual", "what was sent and dropped by the merge is lost",
        accounts_of_two, wrapped(ForgetfulTree, GTopK),
    ),
    fault(
        "gTop-k tree that never cuts", "lists that are merged keep all of their entries",
        gtop_k_tree, uncut,
    ),
    fault(
        "variance-based dropping its rounding", "what rounding changed is claimed to be kept",
        variance_based_keeps, False,
    ),
)  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    fed_back("lags", ef_sgd_workers),
    fed_back("lags", layer_wise_adaptive),
)
