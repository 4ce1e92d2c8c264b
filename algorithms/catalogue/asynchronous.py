"""Rows of the family synchronisation in which nobody waits."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue.downlink import Received, RunRecord, dense
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row
from algorithms.catalogue.synchronous import round_trip
from algorithms.catalogue.variance_reduced import anchored
from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.compressors.nonzero import NonZero
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import dense_bits
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.parts.gradient_filter import KKTFilter
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import Problem
from algorithms.problems.quadratic_data import ILL_CONDITIONED
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stopwatch import STANDARD
from theory.orders.aasgd import aasgd
from theory.orders.async_coordinate_prox import async_coordinate_prox
from theory.orders.dc_asgd import dc_asgd
from theory.orders.delayed_proximal import delayed_proximal
from theory.orders.hogwild import hogwild
from theory.orders.lock_free import lock_free
from theory.theorems.asynchronous_moments import asynchronous_moments
from theory.theorems.asynchronous_pl import asynchronous_pl
from theory.theorems.asysg_con import asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.unbounded_delays import unbounded_delays

_PUSH, _FETCH = 4, 2
_LAM = 2.0  # the paper's, for the adaptive form
_ROUNDS, _BLOCKS, _THETA = 5, 4, 0.2  # gradients a worker makes between two anchors
_TAU, _WEIGHT, _SHARE = 2, 0.02, 0.2
_SPARSE = ("sparse-signal", *CORE)


def _downpour_times(problem: Problem) -> Linked:
    """A gradient with its share of the pushes and fetches."""
    bits = dense_bits(problem.d, problem.dtype)
    return STANDARD.round_trip(bits / _PUSH, bits / _FETCH)


def _anchored_bits(problem: Problem, float_bits: int) -> float:
    """A bound: anchors are sent uncompressed."""
    return float(problem.d * float_bits)


def _fetched_in_turn(run: RunRecord) -> Received:
    """An uncompressed model for every ``_FETCH`` gradients of a worker."""
    messages = int((run.arrivals() // _FETCH).sum())
    return Received(messages, messages * dense(run.problem, run.float_bits))


def _blocks_in_turn(run: RunRecord) -> Received:
    """The block of a step to every worker."""
    d, everyone = run.problem.d, run.replicas * run.problem.n
    edges = [k * d // _BLOCKS for k in range(_BLOCKS + 1)]
    sizes = [edges[t % _BLOCKS + 1] - edges[t % _BLOCKS] for t in range(run.steps)]
    return Received(everyone * run.steps, float(everyone * run.float_bits * sum(sizes)))


def downpour(**changed: Any) -> Recipe:
    """Downpour SGD, or with fields of :class:`Downpour` ``changed``, its forms."""
    return Recipe(
        lambda step, p, steps: Downpour(step, steps, _downpour_times(p), _PUSH, _FETCH, **changed),
        (),
        Identity(),
        downlink=_fetched_in_turn,
        why="the paper gives no convergence theorem: evidence is by experiment",
        results=(perturbed_iterate,),
    )


ENTRIES: tuple[Row, ...] = (
    entry(
        "asp",
        Recipe(
            lambda step, p, steps: ParameterServer(step, steps, round_trip(p)),
            (asysg_con,),
            Identity(),
            OBJECTIVES,
            results=(asynchronous_moments, asynchronous_pl, unbounded_delays),
        ),
        advised=True,
    ),
    entry(
        "hogwild",
        Recipe(
            lambda step, p, steps: Hogwild(step, steps, round_trip(p)),
            (asysg_incon,),
            NonZero(),
            ("sparse-linear", *CORE),
            bits_vary=True,
            results=(hogwild, lock_free, asynchronous_moments, asynchronous_pl),
        ),
    ),
    entry("downpour", downpour()),
    entry(
        "dc-asgd",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), correction=DiagonalCompensation(_LAM, adaptive=True)
            ),
            (dc_asgd_bounded,),
            Identity(),
            results=(dc_asgd,),
        ),
    ),
    entry(
        "aasgd",
        Recipe(
            lambda step, p, steps: AsyLPG(
                step,
                steps,
                round_trip(p),
                _ROUNDS * p.n,
                BlockSampling(_BLOCKS),
                Identity(),
                _THETA,
            ),
            (),
            BlockSampling(_BLOCKS),
            (ILL_CONDITIONED, *CORE),
            message_bits=_anchored_bits,
            bits_vary=True,
            downlink=anchored,
            why="linear convergence for bounded delay is stated to order only",
            results=(aasgd,),
        ),
    ),
    entry(
        "delayed-proximal",
        Recipe(
            lambda step, _p, _t: DelayedProximal(
                step, _BLOCKS, _TAU, SoftThreshold(_WEIGHT), KKTFilter(_WEIGHT, rho=0.999)
            ),
            (),
            NonZero(),
            _SPARSE,
            bits_vary=True,
            downlink=_blocks_in_turn,
            cycle="blocks take turns, and the last models lie in a ring by t",
            why="convergence to a stationary point is stated without a rate, for a stepsize bound"
            " quoted from memory",
            results=(delayed_proximal,),
        ),
    ),
    entry(
        "async-coordinate-prox",
        Recipe(
            lambda step, p, steps: CoordinateProx(
                step, steps, round_trip(p), Selection(_SHARE, support=True), SoftThreshold(_WEIGHT)
            ),
            (),
            NonZero(),
            _SPARSE,
            bits_vary=True,
            why="linear convergence, independent of delays, is stated to order only",
            results=(async_coordinate_prox,),
        ),
    ),
)
