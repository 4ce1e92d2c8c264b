"""Effects of gossip by duals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.absolute_data import diabetes
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_dual.faults import WithoutDualMomentum, WithoutMomentum
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import EffectCheck, StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.instruments.variants import Fixed
from theory.stepsizes import InverseRootStep

_MEAN_MODEL = " of the mean model"
_ROUNDS = 128

DCS = contrast(
    "dcs", "gradients between rounds of messages save rounds",
    Setting(
        "quadratic-sc, kappa = 1000, no noise",
        partial(Quadratic.strongly_convex, mu=1e-3, sigma2=0.0, zeta2=1e-3, R2=4.0), 8,
        16 * _ROUNDS // 2, (4.0, 8.0, 12.0, 16.0, 24.0, 32.0), points=200, d=20,
        note="ring, zeta2 = 0.001, gamma of communication sliding is a scale",
    ),
    Reading("sent_bits", "distance_of_workers", budget=_ROUNDS * 2 * 20 * 32),
    method="communication sliding, 16 gradients between",
    baseline=arm(
        "D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=_ROUNDS,
        step=(0.16, 0.32, 0.64),  # beyond 2/3 workers part, though their mean does not
    ),
    without=arm(
        "one gradient between exchanges",
        lambda it: replace(it.own, period=1, rule=ConvexSliding(it.step(0))),
        steps=_ROUNDS // 2, step=(1.0, 2.0, 4.0, 8.0),
    ),
    at_most=0.7, source="Lan, Lee, Zhou 2017, arXiv:1701.03961, Theorem 3 and Table 1",
    tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

MSPD = contrast(
    "mspd",
    "several subgradients and one fast average save messages where f is not smooth",
    Setting(
        "lad-diabetes-sorted", diabetes, 8, 512, (0.25, 0.5, 1.0, 2.0), points=600, d=Fixed.DATA,
        note="ring, gamma of MSPD is a scale",
    ),
    Reading("sent_bits", budget=81920.0, of=_MEAN_MODEL),
    method="MSPD, eight subgradients between exchanges",
    baseline=arm(
        "decentralised subgradients", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=130,
        step=FromProblem("gamma_t = 0.125/sqrt(t + 1)", lambda _: InverseRootStep(0.125)),
    ),
    without=arm(
        "one subgradient between exchanges", lambda it: replace(it.own, period=1), steps=70,
        step=(0.125, 0.25, 0.5, 1.0),
    ),
    at_most=0.5, source="Scaman, Bach, Bubeck, Lee, Massoulie 2018, arXiv:1806.00291, Theorem 3",
    tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


def _fewer_rounds(
    key: str, effect: str, method: str, source: str, slow: Callable[[Any], Method[Any]]
) -> EffectCheck:
    """That the row reaches the optimum of the lower bound's own instance for fewer bits than
    D-squared; ``slow`` takes its momentum."""
    beta = 400.0
    return contrast(
        key, effect,
        Setting(
            "relay, kappa = 400, d = 12", lambda n, d: NesterovChain(n, d, 1.0, beta), 8, 500,
            None, d=12, note="ring, beta = 400",
        ),
        Reading("sent_bits", "distance_of_workers", target=1e-6),
        method=method,
        baseline=arm(
            "D-squared", lambda it: D2(it.step, Lazy(Ring(it.problem.n))), steps=2500,
            step=tuple(c / beta for c in (1.0, 1.5, 2.0, 3.0)),
        ),
        without=arm("no momentum on the dual", lambda it: slow(it.own)),
        at_most=0.4, source=source, scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
    )  # fmt: skip


DUAL_ACCELERATED = _fewer_rounds(
    "dual-accelerated", "FISTA on the dual reaches the optimum in fewer rounds",
    "dual accelerated", "Uribe, Lee, Gasnikov, Nedic 2018, arXiv:1809.00710, Theorem 3",
    WithoutDualMomentum,
)  # fmt: skip

SSDA_MSDA = _fewer_rounds(
    "ssda-msda", "accelerated duals reach the optimum in fewer rounds", "MSDA",
    "Scaman, Bach, Bubeck, Lee, Massoulie 2017, arXiv:1702.08704, Theorems 2 and 4",
    WithoutMomentum,
)  # fmt: skip
