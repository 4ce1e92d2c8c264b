"""Rows of gossip that tracks gradients or corrects its bias."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.gossip_tracking.corrected import (
    EXACT_DIFFUSION,
    EXTRA,
    NIDS,
    CorrectedGossip,
    CorrectionForm,
)
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking, StepOrder
from algorithms.methods.gossip_tracking.k_gt import KGT, CorrectionSource
from algorithms.methods.gossip_tracking.push_diging import PushDIGing
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD
from algorithms.problems.base import Problem
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from theory.orders.extra import extra
from theory.orders.gradient_tracking import gradient_tracking
from theory.orders.gradient_tracking_linear import gradient_tracking_linear
from theory.orders.k_gt import k_gt
from theory.orders.nids import nids
from theory.orders.relay_sgd import relay_sgd
from theory.theorem import Result
from theory.theorems.perturbed_iterate import perturbed_iterate

_TWO = ("quadratic-unequal", "nonconvex-digits-dirichlet")


def _tracking(order: StepOrder, *results: Result) -> Recipe:
    return Recipe(
        lambda step, p, _t: GradientTracking(step, Ring(p.n), order),
        (),
        Identity(),
        problems=_TWO,
        why="its stochastic rate is stated to order only; the linear rate allows steps of the "
        "order of (1 - lambda)^2 / L alone",
        results=(*results, perturbed_iterate),
    )


def _corrected(form: CorrectionForm, why: str, *results: Result) -> Recipe:
    return Recipe(
        lambda step, p, _t: CorrectedGossip(step, Ring(p.n), form),
        (),
        Identity(),
        problems=_TWO,
        why=why,
        results=(*results, perturbed_iterate),
    )


def uneven_ring(n: int) -> TimeVaryingDigraph:
    """Everyone sends to the next, and even workers to the one after it too, at every step."""
    sent = {(i, (i + 1) % n) for i in range(n)} | {(i, (i + 2) % n) for i in range(0, n, 2)}
    links = tuple(sorted(link for link in sent if link[0] != link[1]))
    return TimeVaryingDigraph(n, (links,), "uneven ring")


def _three_parts(p: Problem, float_bits: int) -> float:
    """Sums, trackers and the weight: 2 d + 1 numbers."""
    return float((2 * p.d + 1) * float_bits)


def tracked_from_gradients() -> Recipe:
    """K-GT whose corrections start at the mean gradient less the own one."""
    return Recipe(
        lambda step, p, _t: KGT(step, Ring(p.n), 4, gradient_start=True),
        (),
        Identity(),
        problems=_TWO,
        why="its rate is recalled to order only",
    )


ENTRIES: tuple[Row, ...] = (
    entry(
        "gradient-tracking",
        _tracking(StepOrder.COMBINE_FIRST, gradient_tracking, gradient_tracking_linear),
        advised=True,
    ),
    entry("atc-tracking", _tracking(StepOrder.ADAPT_FIRST)),
    entry(
        "extra",
        _corrected(
            EXTRA, "its linear rate is of exact gradients and stated without constants", extra
        ),
    ),
    entry("nids", _corrected(NIDS, "its linear rate is of exact gradients and from memory", nids)),
    entry(
        "exact-diffusion",
        _corrected(EXACT_DIFFUSION, "its linear rate is of exact gradients, without constants"),
    ),
    entry(
        "relay-sgd",
        Recipe(
            lambda step, p, _t: RelaySGD(step, Path(p.n)),
            (),
            Identity(),
            problems=_TWO,
            why="its rate is stated to order only",
            results=(relay_sgd, perturbed_iterate),
            least_workers=2,
        ),
    ),
    entry(
        "qg-momentum",
        Recipe(
            lambda step, p, _t: QuasiGlobalMomentum(step, Ring(p.n)),
            (),
            Identity(),
            problems=_TWO,
            why="its rate is stated to order only",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "push-pull",
        Recipe(
            lambda step, p, _t: PushPull(step, Averaging(uneven_ring(p.n)), uneven_ring(p.n)),
            (),
            Identity(),
            problems=_TWO,
            why="linear for small stepsizes, without constants",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "push-diging",
        Recipe(
            lambda step, p, _t: PushDIGing(step, uneven_exponential(p.n)),
            (),
            Identity(),
            problems=_TWO,
            message_bits=_three_parts,
            cycle=lambda n: max(1, (n - 1).bit_length()),
            why="linear for small stepsizes, by constants that are not recalled",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "k-gt",
        Recipe(
            lambda step, p, _t: KGT(step, Ring(p.n), 4),
            (),
            Identity(),
            problems=_TWO,
            why="its rate is recalled to order only",
            results=(k_gt, perturbed_iterate),
        ),
    ),
    entry(
        "led",
        Recipe(
            lambda step, p, _t: KGT(step, Lazy(Ring(p.n)), 4, source=CorrectionSource.MODELS),
            (),
            Identity(),
            problems=_TWO,
            why="its rate is known to order only, for stepsizes of no recalled constant",
            results=(perturbed_iterate,),
        ),
    ),
)
