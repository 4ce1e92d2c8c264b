"""The questions, with the methods, problems and budgets that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.catalogue import problem
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.compute_times import Constant
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from experiments.questions.question import (
    AskedQuestion,
    Contest,
    FloorSweep,
    QuestionArm,
    StateCount,
)
from theory.stepsizes import Stepsize

_N, _D = 16, 20
_SHARE = 0.1
_GRADIENT = 1e-3  # seconds
_SLOW = 1000.0  # gradients of the others, in the time of one of the slow worker


def _top_k_alone(step: Stepsize, _problem: Problem, _steps: int) -> Method[Any]:
    return BSP(step, TopK(_SHARE))


def _noiseless() -> Problem:
    """``quadratic-unequal`` without noise."""
    return replace(unequal(_N, _D, sigma2=0.0), name="quadratic-unequal, no noise")


def _same_data() -> Problem:
    """One quadratic for all workers, with noise: what a fast worker learns serves all."""
    return problem("quadratic-sc-iid", _N)


def _apart(zeta: float) -> Problem:
    """Quadratics of curvatures 0.1 to 1, each worker its own, minimisers ``zeta`` times a standard
    normal apart, no noise."""
    draws = Key.seed(0).fold("unequal").draws(torch.tensor(0), torch.arange(_N))
    centres = Key.seed(1).fold("unequal").draws(torch.tensor(0), torch.arange(_N))
    a = 10.0 ** -draws.uniform(_D, torch.float64)
    b = zeta * centres.normal(_D, torch.float64)
    return Quadratic.from_arrays(a, b, name="quadratics of curvatures 0.1 to 1, no noise")


def _gap(share: float) -> Mapping[str, Any]:
    """(1 - c) I + c W of the ring for c = ``share``/2: a gap of ``share`` times its lazy one."""
    w = np.asarray(Ring(_N).matrix(0))
    return {"topology": FixedMatrix((1 - share / 2) * np.eye(_N) + share / 2 * w)}


_LAZY_RING = _gap(1.0)
_STRAGGLER = Constant((*(_GRADIENT for _ in range(_N - 1)), _SLOW * _GRADIENT))

_FEEDBACK = (
    QuestionArm("BSP, dense", "bsp-sgd"),
    QuestionArm("top-10%, no memory", "top-k", build=_top_k_alone),
    QuestionArm("top-10%, memory of 2014", "top-k"),
    QuestionArm("EF21-SGD", "ef21-sgdm", {"eta": 1.0}),  # without noise EF21 itself
    QuestionArm("EF21-SGDM", "ef21-sgdm"),
    QuestionArm("EControl", "econtrol"),
)

_EXACT = (
    QuestionArm("D-PSGD", "d-psgd"),
    QuestionArm("D2", "d2"),
    QuestionArm("EXTRA", "extra"),
    QuestionArm("gradient tracking", "gradient-tracking"),
    QuestionArm("K-GT", "k-gt"),
    QuestionArm("RelaySGD, path", "relay-sgd", {"topology": Path(_N)}),
    QuestionArm("FedAvg", "fedavg"),
    QuestionArm("SCAFFOLD", "scaffold"),
    QuestionArm("Scaffnew", "scaffnew"),
)

_MEETINGS = (
    QuestionArm("BSP", "bsp-sgd"),
    QuestionArm("local SGD", "local-sgd"),
    QuestionArm("SCAFFOLD", "scaffold"),
    QuestionArm("Scaffnew", "scaffnew"),
    QuestionArm("DiLoCo", "diloco"),
)

_ARRIVALS = (
    QuestionArm("ASP", "asp"),
    QuestionArm("BSP", "bsp-sgd"),
    QuestionArm("delay-adaptive", "delay-adaptive-asgd"),
    QuestionArm("Rennala", "rennala"),
    QuestionArm("Ringmaster", "ringmaster"),
    QuestionArm("Malenia", "malenia"),
)

_ALL = (
    "bsp-sgd", "qsgd", "terngrad", "top-k", "dgc", "powersgd", "diana",
    "local-sgd", "qsparse-local-sgd", "choco-sgd", "ef21-sgdm", "scaffold", "scaffnew", "diloco",
    "one-bit-adam", "demo", "cocktail-sgd",
)  # fmt: skip
_FULL = ("ef21", "marina", "dasha", "beer")
"""Rows that take all of a worker's samples at every step."""

_OVER_ALL = (
    *(QuestionArm(key, key) for key in _ALL),
    *(QuestionArm(f"{key}, all samples a step", key) for key in _FULL),
)

_SOME = tuple(
    QuestionArm(key, key)
    for key in ("bsp-sgd", "qsgd", "terngrad", "top-k", "ef21-sgdm", "local-sgd",
                "qsparse-local-sgd", "choco-sgd")
)  # fmt: skip

_FREE = (
    QuestionArm("BSP", "bsp-sgd"),
    QuestionArm("QSGD", "qsgd"),
    QuestionArm("top-10%, memory", "top-k"),
    QuestionArm("local SGD", "local-sgd"),
    QuestionArm("SCAFFOLD", "scaffold"),
    QuestionArm("D-PSGD", "d-psgd"),
    QuestionArm("gradient tracking", "gradient-tracking"),
)

QUESTIONS: tuple[AskedQuestion, ...] = (
    AskedQuestion(
        "error-feedback",
        "What do error feedback's versions of 2014 to 2023 buy, bit for bit?",
        "Workers with their own Hessians and minimisers send a tenth of the coordinates; every "
        "method has the best stepsize of one grid, and all spend equal bits.",
        (
            Contest("no noise", _noiseless, _FEEDBACK, "bits", 120, replicas=2),
            Contest("noise", partial(problem, "quadratic-unequal", _N), _FEEDBACK, "bits", 400),
            Contest(
                "digits, non-convex", partial(problem, "nonconvex-digits-dirichlet", _N), _FEEDBACK,
                "bits", 150,
            ),
        ),
    ),
    AskedQuestion(
        "heterogeneity",
        "What removes the floor that workers with different data leave?",
        "No noise, one constant stepsize for all: what is left at the end is the method's own "
        "bias. The minimisers move apart, then the network's gap closes.",
        (
            FloorSweep(
                "minimisers apart", "distance of the workers' minimisers", (0.25, 0.5, 1, 2, 4, 8),
                _apart, lambda _: _LAZY_RING, _EXACT, 0.2, 4000,
            ),
            FloorSweep(
                "smaller gaps", "spectral gap as a share of the lazy ring's",
                (0.0625, 0.125, 0.25, 0.5, 1), lambda _: _apart(1.0), _gap, _EXACT, 0.2, 16000,
            ),
        ),
    ),
    AskedQuestion(
        "meetings",
        "How many messages does a target take, with local steps and with corrections for drift?",
        "Workers with their own Hessians; the budget is messages sent and received.",
        (
            Contest("no noise", _noiseless, _MEETINGS, "messages", 120, replicas=2),
            Contest("noise", partial(problem, "quadratic-unequal", _N), _MEETINGS, "messages", 200),
            Contest("noise, the same data for all", _same_data, _MEETINGS, "messages", 200),
        ),
    ),
    AskedQuestion(
        "stragglers",
        "What does one worker cost that is a thousand times slower than the others?",
        "Fifteen workers take a millisecond a gradient, one takes a second; the budget is time.",
        (
            Contest(
                "the same data for all", _same_data, _ARRIVALS, "seconds", 20_000, replicas=8,
                times=_STRAGGLER,
            ),
            Contest(
                "every worker its own data", partial(problem, "quadratic-unequal", _N), _ARRIVALS,
                "seconds", 20_000, replicas=8, times=_STRAGGLER,
            ),
        ),
    ),
    AskedQuestion(
        "bits",
        "How many bits does a target take, over all families?",
        "Every method with its own operator and the best stepsize of one grid, at equal bits sent "
        "and received.",
        (
            Contest(
                "logistic regression", partial(problem, "logreg-breast-cancer", _N),
                _OVER_ALL, "bits", 400,
            ),
            Contest(
                "digits, non-convex", partial(problem, "nonconvex-digits-dirichlet", _N),
                _OVER_ALL, "bits", 100,
            ),
            Contest("the same data for all", _same_data, _SOME, "bits", 400, replicas=8),
        ),
    ),
    AskedQuestion(
        "gradients",
        "What is best where the network costs nothing?",
        "The budget is gradients that a worker computes: messages are free, of any length.",
        (
            Contest(
                "the same data for all", _same_data, _FREE, "gradients", 400, replicas=8,
            ),
            Contest(
                "every worker its own data", partial(problem, "quadratic-unequal", _N), _FREE,
                "gradients", 400, replicas=8,
            ),
        ),
    ),
    AskedQuestion(
        "memory",
        "How much does a worker keep?",
        "Numbers of a method's state between two steps, as the code holds them: the model, and "
        "what the method remembers beside it.",
        (
            StateCount(
                "numbers a parameter", partial(problem, "quadratic-unequal", _N),
                (*_OVER_ALL, *(arm for arm in _EXACT if arm.key not in (*_ALL, *_FULL))),
            ),
        ),
    ),
)  # fmt: skip
"""All questions, in the order of the page."""
