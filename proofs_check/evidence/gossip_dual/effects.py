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
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from theory.stepsizes import ConstantStep, InverseRootStep

_MEAN_MODEL = " of the mean model"
_ROUNDS = 128

DCS = contrast(
    "dcs", "gradients between rounds of messages save rounds",
    Setting(
        "quadratic-sc, kappa = 1000, no noise",
        partial(Quadratic.strongly_convex, d=20, mu=1e-3, sigma2=0.0, zeta2=1e-3, R2=4.0), 8,
        16 * _ROUNDS // 2, ConstantStep(16.0), points=200,
        note="ring, zeta2 = 0.001, scales the best powers of 2 from 1 to 32, D-PSGD's step of 1/4, "
        "1/2 and 3/4, the last of which lets workers diverge",
    ),
    Reading("sent_bits", budget=_ROUNDS * 2 * 20 * 64, of=_MEAN_MODEL),
    method="communication sliding, 16 gradients between",
    baseline=arm(
        "D-PSGD at the best stepsize", lambda it: DPSGD(it.step, Ring(it.problem.n)),
        steps=_ROUNDS, step=ConstantStep(0.5),
    ),
    without=arm(
        "one gradient between exchanges, at its best scale",
        lambda it: replace(it.own, period=1, rule=ConvexSliding(it.step(0))),
        steps=_ROUNDS // 2, step=ConstantStep(4.0),
    ),
    at_most=0.5, source="Lan, Lee, Zhou 2017, arXiv:1701.03961, Theorem 3 and Table 1",
)  # fmt: skip

MSPD = contrast(
    "mspd",
    "several subgradients and one fast average save messages where f is not smooth",
    Setting(
        "lad-diabetes-sorted", diabetes, 8, 512, ConstantStep(1.0), points=600,
        note="ring, scales and stepsizes the best powers of 2 from 1/16 to 16 times R/L = 0.49, "
        "constant or falling as 1/sqrt(t + 1)",
    ),
    Reading("sent_bits", budget=163840.0, of=_MEAN_MODEL),
    method="MSPD, eight subgradients between exchanges",
    baseline=arm(
        "decentralised subgradients at the best stepsize",
        lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=130, step=InverseRootStep(0.125),
    ),
    without=arm(
        "one subgradient between exchanges, at its best scale",
        lambda it: replace(it.own, period=1), steps=70, step=ConstantStep(0.25),
    ),
    at_most=0.5, source="Scaman, Bach, Bubeck, Lee, Massoulie 2018, arXiv:1806.00291, Theorem 3",
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
            "relay, kappa = 400, d = 12", lambda n: NesterovChain(n, 12, 1.0, beta), 8, 500, None,
            note="ring, D-squared's stepsize the best of 0.5, 1, 1.5, 2, 3 and 4 over beta = 400, "
            "the last two of which diverge",
        ),
        Reading("sent_bits", "distance_of_workers", target=1e-6),
        method=method,
        baseline=arm(
            "D-squared at the best stepsize", lambda it: D2(it.step, Lazy(Ring(it.problem.n))),
            steps=2500, step=ConstantStep(2 / beta),
        ),
        without=arm("no momentum on the dual", lambda it: slow(it.own)),
        at_most=0.4, source=source, scales=("linear", "log"),
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
