"""A row and a problem for every cell of Table IV; compositions for those that no row fills."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import Row, row
from algorithms.catalogue.row import Build
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory, NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.gossip.choco import ChocoRound, ChocoSGD
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.synchronisation.stale import SSP
from algorithms.topologies.ring import Ring
from proofs_check.cell import Cell, CellKind
from proofs_check.table_iv.trial import GROUPS, TableTrial
from theory.survey.classification import Objective
from theory.theorem import Result, Theorem
from theory.theorems.ad_psgd import ad_psgd
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.local_gossip import local_gossip
from theory.theorems.local_sgd import local_sgd
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.pqasgd import pqasgd
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.qsparse_local import qsparse_local
from theory.theorems.sparq_sgd import sparq_sgd
from theory.theorems.ssp import ssp
from theory.theorems.unbounded_delays import unbounded_delays

_CONVEX, _NONCONVEX = Objective
_ALIKE, _UNEQUAL = "quadratic-sc", "quadratic-unequal"
_CURVED = "nonconvex-digits-dirichlet"
_LEVELS, _SHRUNK = QSGD(4), ScaledUnbiased(QSGD(4))
_GRID = FixedPoint(10, 24)
_MASK, _KEPT, _LARGEST = RandomMask(0.25), RandK(0.25, send_indices=True), TopK(0.25)
_STALENESS, _PERIOD, _CONSENSUS_STEP = 3, 4, 0.5
_STEPS, _HORIZON, _ROUNDS = 1024, 512, 256
_ASYNCHRONOUS = 4  # workers where a step is one worker's gradient


def composed(key: str, what: str, compressor: Compressor, build: Build) -> Row:
    """The row ``key`` with another build: what no row of the catalogue is, under no theorem."""
    base = row(key)
    recipe = replace(
        base.ready(), build=build, compressor=compressor, theorems=(), practice=None, results=(),
        why="a composition that no source states a theorem of",
    )  # fmt: skip
    return replace(base, what=what, recipe=recipe)


def _stale(compressor: Compressor) -> Row:
    return composed(
        "ssp", f"SSP, gradients through {compressor.name}", compressor,
        lambda step, p, steps: ParameterServer(
            step, steps, round_trip(p), SSP(_STALENESS), Weighting.ALL, compressor
        ),
    )  # fmt: skip


def _late(compressor: Compressor) -> Row:
    return composed(
        "asp", f"asynchronous gradients through {compressor.name}", compressor,
        lambda step, p, steps: ParameterServer(step, steps, round_trip(p), compressor=compressor),
    )  # fmt: skip


def _local(key: str, compressor: Compressor, memory: Memory[Any]) -> Row:
    return composed(
        key, f"local SGD, increments through {compressor.name}", compressor,
        lambda step, _p, _t: LocalSGD(step, _PERIOD, compressor=compressor, memory=memory),
    )  # fmt: skip


def _paired(compressor: Compressor) -> Row:
    return composed(
        "ad-psgd", f"AD-PSGD, what pairs exchange through {compressor.name}", compressor,
        lambda step, p, steps: ADPSGD(
            step, steps, round_trip(p), Ring(p.n), compressor=compressor
        ),
    )  # fmt: skip


def _choco(compressor: Compressor) -> Row:
    return composed(
        "choco-sgd", f"CHOCO-SGD with {compressor.name}", compressor,
        lambda step, p, _t: ChocoSGD(step, Ring(p.n), compressor, _CONSENSUS_STEP),
    )  # fmt: skip


def _wandering(compressor: Compressor) -> Row:
    return composed(
        "gossip-local-sgd", f"local SGD over CHOCO's rounds with {compressor.name}", compressor,
        lambda step, p, _t: GossipLocalSGD(
            step, ChocoRound(Ring(p.n), compressor, _CONSENSUS_STEP), _PERIOD
        ),
    )  # fmt: skip


def _under(base: Row, compressor: Compressor, build: Build) -> Row:
    """The row with another operator under its own theorems, which hold for any of its class."""
    return replace(base, recipe=replace(base.ready(), build=build, compressor=compressor))


_DIANA = _under(row("diana"), _LEVELS, lambda step, _p, _t: Diana(step, _LEVELS))
_TOP = _under(
    row("top-k"), _LARGEST, lambda step, _p, _t: BSP(step, _LARGEST, ErrorFeedback())
)  # fmt: skip
_LOCAL = _under(row("local-sgd"), Identity(), lambda step, _p, _t: LocalSGD(step, _PERIOD))
_RESTARTED = _under(row("pr-sgd"), Identity(), lambda step, _p, _t: LocalSGD(step, _PERIOD))


def _pair(
    line: str,
    one: Row,
    results: tuple[Result | None, Result | None],
    *variables: str,
    other: Row | None = None,
    convex: str = _ALIKE,
    longer: int = 1,
    first: float = 0.5,
    peers: int = 1,
    note: str = "",
    also: tuple[Theorem, ...] = (),
) -> tuple[TableTrial, TableTrial]:
    """Both cells of a line whose steps are everybody's gradients.

    ``other`` is the row of the non-convex cell where it is another, ``first`` L times the stepsize
    there at the shortest horizon, ``longer`` by how much horizons are.
    """
    curved, steps = other or one, _HORIZON * longer
    return (
        TableTrial(
            line, _CONVEX, one, convex, results[0], 8, _STEPS, variables, peers=peers, note=note
        ),
        TableTrial(
            line, _NONCONVEX, curved, _CURVED, results[1], 8, steps, variables, first,
            peers=peers, note=note, also=also,
        ),
    )  # fmt: skip


def _one_by_one(
    line: str,
    one: Row,
    results: tuple[Result | None, Result | None],
    *variables: str,
    summed: bool = False,
    convex: str = _ALIKE,
    peers: int = 1,
    note: str = "",
) -> tuple[TableTrial, TableTrial]:
    """Both cells of a line whose steps are one worker's gradient; ``summed``: at full weight."""
    n, first = _ASYNCHRONOUS, 0.5 / (_ASYNCHRONOUS if summed else 1)
    steps = n * _ROUNDS
    return (
        TableTrial(
            line, _CONVEX, one, convex, results[0], n, steps, variables, first,
            single=not summed, peers=peers, note=note,
        ),
        TableTrial(
            line, _NONCONVEX, one, _CURVED, results[1], n, steps, variables, first,
            single=not summed, peers=peers, note=note,
        ),
    )  # fmt: skip


_NOBODY, _LATE = (None, None), ("T", "n", "tau", "omega", "s")
_OMEGA = "no source states a rate; an unbiased operator adds variance, which leaves powers of T"
_FETCHES = (
    f"{_OMEGA}; the server's bits are below its column, since the column has a model for every "
    "gradient and a worker under SSP fetches one only where its own is too old (without "
    "compression the gradients it hears are more)"
)
_UNBOUNDED = "no tau to vary: pairs wait for nobody, so the schedule's largest is what it is"
_SERVER: tuple[TableTrial, ...] = (
    *_pair(
        "PS, BSP, Null", row("bsp-sgd"), (bsp_strongly_convex_decreasing, bsp_nonconvex), "T", "n"
    ),
    *_pair("PS, BSP, Quant.", _DIANA, (diana, diana_nonconvex), "T", "n", "omega", "s", first=0.4),
    *_pair("PS, BSP, Spars.", _TOP, (mem_sgd, ef_sgd_workers), "T", "n", "delta", "s"),
    *_one_by_one(
        "PS, SSP, Null", row("ssp"), (ssp, unbounded_delays), "T", "n", "tau",
        note="Ho et al. 2013 prove a regret of 1/sqrt(T) for convex Lipschitz functions, "
        "which the survey cites in the other column (T2); bounded delays are a case of Zhang et "
        "al. 2018 there",
    ),
    *_one_by_one("PS, SSP, Quant.", _stale(_LEVELS), _NOBODY, *_LATE, note=_FETCHES),
    *_one_by_one("PS, SSP, Spars.", _stale(_KEPT), _NOBODY, *_LATE, note=_FETCHES),
    *_one_by_one(
        "PS, ASP, Null", row("asp"), (None, asysg_con), "T", "n", "tau", summed=True,
        note="the survey's sources for the convex cell are about other things (T3)",
    ),
    *_one_by_one("PS, ASP, Quant.", _late(_LEVELS), _NOBODY, *_LATE, summed=True),
    *_one_by_one(
        "PS, ASP, Spars.", _late(_KEPT), _NOBODY, *_LATE, summed=True, note=_OMEGA
    ),
    *_pair(
        "PS, L-SGD, Null", _LOCAL, (local_sgd, pr_sgd), "T", "n", "H",
        other=_RESTARTED, convex=_UNEQUAL, first=0.125,
    ),
    *_pair(
        "PS, L-SGD, Quant.", _local("pqasgd", _LEVELS, NoMemory()), (None, pqasgd),
        "T", "n", "H", "omega", "s", convex=_UNEQUAL, first=0.125,
    ),
    *_pair(
        "PS, L-SGD, Spars.", _local("qsparse-local-sgd", _LARGEST, ErrorFeedback()),
        (None, qsparse_local), "T", "n", "H", "delta", "s", convex=_UNEQUAL, longer=2, first=0.25,
        note="Basu et al. 2019 state 1/(bnT) for strongly convex functions too, to order only",
    ),
)  # fmt: skip
_PEERS: tuple[TableTrial, ...] = (
    *_pair(
        "Gossip, BSP, Null", row("d-psgd"), (choco_sgd_strongly_convex, d_psgd), "T", "n", "gap",
        convex=_UNEQUAL, peers=2, also=(choco_sgd_nonconvex,),
        note="CHOCO-SGD's theorems at delta = 1 are about gossip without compression",
    ),
    *_pair(
        "Gossip, BSP, Quant.", _choco(_SHRUNK), (choco_sgd_strongly_convex, choco_sgd_nonconvex),
        "T", "n", "delta", "s", "gap", convex=_UNEQUAL, peers=2,
    ),
    *_pair(
        "Gossip, BSP, Spars.", _choco(_LARGEST), (choco_sgd_strongly_convex, choco_sgd_nonconvex),
        "T", "n", "delta", "s", "gap", convex=_UNEQUAL, peers=2,
    ),
    *_one_by_one(
        "Gossip, ASP, Null", row("ad-psgd"), (None, ad_psgd), "T", "n", "gap",
        convex=_UNEQUAL, peers=2, note=_UNBOUNDED,
    ),
    *_one_by_one(
        "Gossip, ASP, Quant.", _paired(_GRID), _NOBODY, "T", "n", "s", "gap",
        convex=_UNEQUAL, peers=2,
        note=f"ours: pairs exchange models on a grid; the mean stays what it is; {_UNBOUNDED}",
    ),
    *_one_by_one(
        "Gossip, ASP, Spars.", _paired(_MASK), _NOBODY, "T", "n", "delta", "s", "gap",
        convex=_UNEQUAL, peers=2,
        note=f"ours: SAPS-PSGD's shared mask in AD-PSGD's pairs; {_UNBOUNDED}",
    ),
    *_pair(
        "Gossip, L-SGD, Null", row("gossip-local-sgd"), (None, local_gossip),
        "T", "n", "H", "gap", convex=_UNEQUAL, longer=2, first=0.125, peers=2,
    ),
    *_pair(
        "Gossip, L-SGD, Quant.", _wandering(_SHRUNK), (None, sparq_sgd),
        "T", "n", "H", "delta", "s", "gap",
        convex=_UNEQUAL, longer=2, first=0.125, peers=2,
    ),
    *_pair(
        "Gossip, L-SGD, Spars.", _wandering(_LARGEST), (None, sparq_sgd),
        "T", "n", "H", "delta", "s", "gap",
        convex=_UNEQUAL, longer=2, first=0.125, peers=2,
    ),
)  # fmt: skip

TRIALS: dict[str, TableTrial] = {trial.name: trial for trial in (*_SERVER, *_PEERS)}
"""By name; lines of all-reduce, whose iterates are the server's, have none of their own."""
SEED = 1


def trial_of(line: str, objective: Objective) -> TableTrial:
    """The trial of a cell: that of the server for all-reduce.

    Raises:
        KeyError: the table has no such line.
    """
    return TRIALS[f"{line.replace('A.R.', 'PS')}, {objective}"]


def table_cells() -> dict[str, tuple[Cell, ...]]:
    """The survey's cells behind each trial, a variable each, T first and with most replicas."""
    return {
        name: tuple(
            Cell(
                trial.row.key, trial.problem, CellKind.TABLE_IV, trial.cell_name(variable),
                (SEED,), trial.replicas if variable == "T" else GROUPS, trial.steps, trial.n,
            )
            for variable in trial.variables
        )
        for name, trial in TRIALS.items()
    }  # fmt: skip
