"""Rows of the family local updates: averages of models, once, now and then, or by time."""

from __future__ import annotations

from algorithms.catalogue.compose import LOCAL
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row
from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.qsgd import QSGD
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.logistic_data import MANY_SAMPLES
from algorithms.synchronisation.periods import GrowingPeriod, OneShot, PostLocal
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.local_sgd_pl import local_sgd_pl
from theory.theorems.lupa_sgd import lupa_sgd
from theory.theorems.one_shot_averaging import one_shot_averaging
from theory.theorems.one_shot_strongly_convex import one_shot_strongly_convex
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.pqasgd import pqasgd
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.pr_sgd_momentum import pr_sgd_momentum
from theory.theorems.pr_sgd_momentum_variance import pr_sgd_momentum_variance
from theory.theorems.qsparse_local import qsparse_local

_PERIOD = 8
_MOMENTUM = 0.9
_QUANTISER = Buckets(QSGD(15), 64)
_COMPOSED = QuantisedTopK(0.1, 15)
_INTERVALS = 10  # times that AdaComm sets its period in a run of gradients alone
_GRADIENT = 1e-3  # seconds that a gradient of the survey's time model takes in the mean


def _longest(n: int, steps: int) -> int:
    """T^(2/3) / n^(1/3) steps: what LUPA-SGD's theorem allows its periods to grow to."""
    return max(2, round(float(steps ** (2 / 3) / n ** (1 / 3))))


ENTRIES: tuple[Row, ...] = (
    entry(
        "local-sgd",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD),
            LOCAL,
            Identity(),
            (*OBJECTIVES, MANY_SAMPLES),
        ),
        advised=True,
    ),
    entry(
        "one-shot-averaging",
        Recipe(
            lambda step, _p, steps: LocalSGD(step, OneShot(steps)),
            (),
            Identity(),
            cycle="the workers average once, after the last step",
            why="bounds speak of one objective for all workers, that with 1/n of smooth second "
            "derivatives too: held in settings of their own",
            results=(one_shot_averaging, one_shot_strongly_convex),
        ),
    ),
    entry(
        "k-avg",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD),
            (local_sgd_nonconvex,),
            Identity(),
        ),
    ),
    entry(
        "pr-sgd",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD),
            (pr_sgd, local_sgd_nonconvex),
            Identity(),
            results=(local_sgd_pl,),
        ),
    ),
    entry(
        "pr-sgd-momentum",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD, Momentum(_MOMENTUM), AtMeetings.AVERAGED),
            (pr_sgd_momentum_variance, pr_sgd_momentum),
            Identity(),
            cycle=_PERIOD,
        ),
    ),
    entry(
        "lupa-sgd",
        Recipe(
            lambda step, p, steps: LocalSGD(step, GrowingPeriod(2, 0.5, most=_longest(p.n, steps))),
            LOCAL,
            Identity(),
            (*CORE, "quadratic-pl"),
            cycle="the period grows",
            results=(lupa_sgd, local_sgd_pl),
        ),
    ),
    entry(
        "post-local-sgd",
        Recipe(
            lambda step, _p, steps: LocalSGD(step, PostLocal(steps // 2, _PERIOD)),
            LOCAL,
            Identity(),
            cycle="the period is 1 in the first half of the steps",
        ),
        advised=True,
    ),
    entry(
        "adacomm",
        Recipe(
            lambda step, _p, steps: AdaComm(
                step, _PERIOD, steps * _GRADIENT / _INTERVALS, decay=0.5
            ),
            (),
            Identity(),
            cycle=1,  # how long a period still lasts lies in the state
            why="the bound on error against time is local SGD's for a fixed period with K = S/(Y + "
            "D/H) steps in S seconds (Y a step, D an average; derived: local_sgd_nonconvex, "
            "and the best H in the proof best_period); the longest period stands for all",
            results=(local_sgd_nonconvex,),
        ),
    ),
    entry(
        "bmuf",
        Recipe(
            lambda step, p, _t: LocalSGD(step, _PERIOD, outer=BlockMomentum.of_workers(p.n)),
            (),
            Identity(),
            cycle=_PERIOD,
            why="the paper gives no convergence theorem: evidence is by experiment",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "pqasgd",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD, compressor=_QUANTISER),
            (),
            _QUANTISER,
            why="O(1/sqrt(nT)) is stated to order only, for non-convex objectives; a bound "
            "by second moments is derived (pqasgd)",
            results=(pqasgd,),
        ),
    ),
    entry(
        "qsparse-local-sgd",
        Recipe(
            lambda step, _p, _t: LocalSGD(
                step, _PERIOD, compressor=_COMPOSED, memory=ErrorFeedback()
            ),
            (),
            _COMPOSED,
            operators=(QuantisedTopK(0.1, 255, scaled=False),),
            why="rates are stated to order only, for periods that fit the operator's contraction; "
            "a bound by second moments is derived (qsparse_local)",
            results=(qsparse_local,),
        ),
    ),
)
