"""Rows of the family drift: local steps corrected by control variates, a proximal term, weights."""

from __future__ import annotations

from algorithms.catalogue.downlink import Received, RunRecord, dense
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.drift.feddyn import FedDyn
from algorithms.methods.drift.fednova import FedNova
from algorithms.methods.drift.fedprox import FedProx
from algorithms.methods.drift.mime import Mime
from algorithms.methods.drift.scaffnew import Scaffnew
from algorithms.methods.drift.scaffold import ControlOption, Scaffold
from theory.orders.scaffold import scaffold
from theory.orders.scaffold_strongly_convex import scaffold_strongly_convex
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.scaffnew import scaffnew

_PERIOD = 8
_PROBLEMS = ("quadratic-unequal", "nonconvex-digits-dirichlet")


def uneven_steps(n: int) -> tuple[int, ...]:
    """Eight local steps of every other worker, two of the rest."""
    return tuple(2 if i % 2 else _PERIOD for i in range(n))


def mime_answers(run: RunRecord) -> Received:
    """Model and momentum to every worker after a round, Mime's mean gradient at its start."""
    assert isinstance(run.method, Mime)
    period, lite = run.method.period, run.method.lite
    told = 2 * (run.steps // period) + (0 if lite else -(-run.steps // period))
    messages = run.replicas * run.problem.n * told
    return Received(messages, messages * dense(run.problem, run.float_bits))


def _mime(*, lite: bool) -> Recipe:
    return Recipe(
        lambda step, _p, _t: Mime(step, _PERIOD, lite=lite), (), Identity(), _PROBLEMS,
        cycle=_PERIOD, downlink=mime_answers,
        why="rates are stated for functions of bounded difference of Hessians, and to order only",
    )  # fmt: skip


def scaffold_of(option: ControlOption = ControlOption.PATH, *, few: bool = False) -> Recipe:
    """SCAFFOLD by an option, with all workers in every round or half of them."""
    return Recipe(
        lambda step, p, _t: Scaffold(
            step, _PERIOD, option=option, participants=max(1, p.n // 2) if few else None
        ),
        (), Identity(), _PROBLEMS, cycle=_PERIOD,
        kept_draws=("participants",), why="the constants of its theorem are recalled, not certain",
    )  # fmt: skip


def feddyn_of_few() -> Recipe:
    """FedDyn with half of the workers in every round."""
    return Recipe(
        lambda step, p, _t: FedDyn(step, _PERIOD, 1.0, max(1, p.n // 2)), (), Identity(),
        _PROBLEMS, cycle=_PERIOD, kept_draws=("participants",),
        why="rates are stated for local problems that are solved, and to order only",
    )  # fmt: skip


ENTRIES: tuple[Row, ...] = (
    entry(
        "scaffold",
        Recipe(
            lambda step, _p, _t: Scaffold(step, _PERIOD),
            (),
            Identity(),
            _PROBLEMS,
            cycle=_PERIOD,
            why="the constants of its theorem are recalled, not certain (the stepsize would be at "
            "most 1/(81 L K)); with all workers and eta_g = 1 it is Scaffnew with a communication "
            "round after every K steps, and Scaffnew's theorem, which is about rounds by a coin, "
            "does not cover that",
            results=(scaffold, scaffold_strongly_convex, perturbed_iterate),
        ),
        advised=True,
    ),
    entry(
        "scaffnew",
        Recipe(
            lambda step, _p, _t: Scaffnew(step, 1 / _PERIOD),
            (scaffnew,),
            Identity(),
            _PROBLEMS,
            cycle="a coin decides after every step whether all meet",
        ),
        advised=True,
    ),
    entry(
        "fedprox",
        Recipe(
            lambda step, _p, _t: FedProx(step, _PERIOD, 1.0),
            (),
            Identity(),
            _PROBLEMS,
            cycle=_PERIOD,
            why="rates are stated for inexact local solvers whose accuracy is an assumption, and "
            "to order only",
        ),
    ),
    entry(
        "fednova",
        Recipe(
            lambda step, p, _t: FedNova(step, uneven_steps(p.n)),
            (),
            Identity(),
            _PROBLEMS,
            cycle=_PERIOD,
            why="O(1/sqrt(nT)) is stated to order only",
        ),
    ),
    entry(
        "feddyn",
        Recipe(
            lambda step, _p, _t: FedDyn(step, _PERIOD, 1.0),
            (),
            Identity(),
            _PROBLEMS,
            cycle=_PERIOD,
            why="rates are stated for local problems that are solved, and to order only",
        ),
    ),
    entry("mime", _mime(lite=False)),
    entry("mimelite", _mime(lite=True)),
)
