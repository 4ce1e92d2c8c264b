"""Effects of signs, thresholds and low precision: what each row is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.compressors.dorefa import DoReFa
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.three_lc import ThreeLC
from algorithms.memories.base import NoMemory
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.spectra import log_spaced
from algorithms.transforms.base import Transform
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.evidence.signs.closed_forms import UnditheredDoReFa
from proofs_check.instruments.adversary import counterexample
from proofs_check.instruments.bits_setting import (
    GRID,
    REPLICAS,
    SLOW,
    STEPS,
    UNEQUAL,
    bits_until,
    noisy,
)
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.mutants.undithered import Undithered
from theory.stepsizes import ConstantStep

FULL = arm("BSP with full gradients", lambda it: BSP(it.step))
FULL_ONCE = arm("BSP with full gradients", lambda it: BSP(it.step), replicas=1)


def _forgetful(it: ArmContext) -> Any:
    """Workers without error feedback."""
    return replace(it.own, memory=NoMemory())


DIST_EF_SGD = contrast(
    "dist-ef-sgd",
    "signs in both directions reach the accuracy, where one-way compression hears floats",
    noisy(10.0), bits_until(0.05, "both_ways"),
    method="dist-EF-SGD with momentum 1/2",
    baseline=arm("EF-signSGD, which is answered in floats", lambda it: it.method_of("ef-signsgd")),
    without=arm(
        "without error feedback on the server",
        lambda it: replace(it.own, server_memory=NoMemory()),
    ),
    at_most=0.15, source="Zheng, Huang, Kwok 2019, arXiv:1905.10936, Algorithm 3 and Theorem 2",
)  # fmt: skip

DOREFA = contrast(
    "dorefa",
    "four bits a coordinate, an eighth of a float of 32, reach the accuracy of full gradients for "
    "two thirds of their bits, at most, in up to five times the steps, if noise is added before "
    "rounding",
    replace(SLOW, replicas=192), bits_until(1e-3),
    method="DoReFa, 4 bits",
    baseline=FULL_ONCE,
    without=arm(
        "rounds to the nearest, without noise",
        lambda it: BSP(it.step, UnditheredDoReFa(DoReFa(4))), replicas=1,
    ),
    at_most=0.66,
    source="Zhou, Wu, Ni, Zhou, Wen, Zou 2016, arXiv:1606.06160, Section 2.5: noise is "
    "indispensable",
)  # fmt: skip

ECQ_SGD = contrast(
    "ecq-sgd",
    "feeding back all past errors lowers the floor of quantised gradients at equal bits",
    replace(UNEQUAL, step=GRID, replicas=REPLICAS), Reading(last=STEPS // 3 + 1),
    method="ECQ-SGD, 4 levels",
    baseline=arm("QSGD, 4 levels", lambda it: it.method_of("qsgd")),
    without=arm(
        "only the last error is remembered",
        lambda it: BSP(it.step, QSGD(4), DecayingFeedback(0.5, 0.0)),
    ),
    at_most=0.5, source="Wu, Huang, Huang, Zhang 2018, arXiv:1806.08054, Theorem 1",
    scales=("linear", "log"),
)  # fmt: skip

EF_SIGNSGD = contrast(
    "ef-signsgd",
    "error feedback reaches the minimum of a convex function that signs alone never come nearer to",
    Setting(
        "eps |x_0 + x_1| + |x_0 - x_1| from (1, 1.001), eps = 1/2",
        lambda _: counterexample((1.0, 1.001)),  # off the kink, where signs are free
        1, 300, (0.003, 0.01, 0.03), d=Fixed.INSTANCE, only_n=Fixed.ALONE,
    ),
    Reading(last=100),
    method="EF-signSGD",
    baseline=arm(
        "signSGD, which at no stepsize improves on the start", lambda it: it.method_of("signsgd")
    ),
    without=arm("scaled signs without error feedback", _forgetful),
    at_most=0.1,
    source="Karimireddy, Rebjock, Stich, Jaggi 2019, arXiv:1901.09847, Counterexample 2",
    scales=("linear", "log"),
)  # fmt: skip

LOW_PRECISION_SGD = contrast(
    "low-precision-sgd",
    "numbers of 16 bits reach an accuracy far below their grid, if they are rounded by chance",
    replace(SLOW, replicas=REPLICAS), bits_until(1e-7),
    method="fixed point of 16 bits, stochastic",
    baseline=FULL_ONCE,
    without=arm(
        "rounded to the nearest", lambda it: BSP(it.step, Undithered(FixedPoint(12, 16))),
        replicas=1,
    ),
    at_most=0.66,
    source="Gupta, Agrawal, Gopalakrishnan, Narayanan 2015, arXiv:1502.02551, Sections 3 and 4",
)  # fmt: skip

ONE_BIT_SGD = contrast(
    "one-bit-sgd",
    "one bit a coordinate reaches the accuracy of full gradients, because what it leaves out is "
    "sent later",
    noisy(10.0), bits_until(0.1),
    method="1-bit SGD",
    baseline=FULL,
    without=arm("without error feedback", _forgetful),
    at_most=0.15,
    source="Seide, Fu, Droppo, Li, Yu 2014 (Interspeech), Section 3: error feedback is essential",
)  # fmt: skip


def _badly_scaled(n: int, d: int) -> Quadratic:
    """Curvatures from 1 down to 1/1000 along the axes, as far from the start in each of them."""
    a = log_spaced(d, 1.0, 1e-3).expand(n, -1)
    return Quadratic.from_arrays(a, torch.ones_like(a), sigma2=1e-5, name="badly scaled")


def _normalised(it: ArmContext) -> Any:
    """Gradients of length gamma: what ``ClipNorm`` leaves of them is 1/1000 long."""
    return replace(
        it.own, compressor=Identity(), transform=ClipNorm(1e-3, 0.0),
        step_rule=ConstantStep(1e3 * it.step.gamma),
    )  # fmt: skip


SIGNSGD = contrast(
    "signsgd",
    "one bit a coordinate goes further than full gradients where curvatures differ by coordinate, "
    "as all coordinates move alike",
    Setting(
        "quadratic with curvatures from 1 to 1/1000 along the axes, little noise", _badly_scaled,
        8, 300, (0.003, 0.01, 0.03), 32, points=200, note="d = 20, sigma2 = 1e-5", d=20,
    ),
    Reading(last=10),
    method="signSGD",
    baseline=arm(
        "SGD", lambda it: BSP(it.step), step=(0.3, 1.0, 1.8)
    ),
    without=arm(
        "gradients divided by their norm in place of their signs", _normalised,
        step=(0.03, 0.1, 0.3),
    ),
    at_most=0.25,
    source="Bernstein, Wang, Azizzadenesheli, Anandkumar 2018, arXiv:1802.04434, Section 3: dense "
    "gradients, sparse curvature",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


@final
@dataclass(frozen=True)
class ByzantineWorkers(Transform):
    """The first ``count`` of all workers send their gradients times ``factor``. (Ours.)"""

    count: int
    factor: float

    @property
    def name(self) -> str:
        return f"{self.count} workers send {self.factor:g} g"

    def apply(self, g: Tensor, n: int) -> Tensor:
        lies = torch.arange(n)[:, None] < self.count
        return torch.where(lies, self.factor * g, g)


def _lying(method: Any, n: int) -> Any:
    """A method a third of whose workers lie."""
    return replace(method, transform=ByzantineWorkers(n // 3, -3.0))


SIGNSGD_MAJORITY = contrast(
    "signsgd-majority",
    "the vote of the honest majority decides, where a mean follows the largest lie",
    Setting(
        "quadratic, noisy gradients; 5 of 15 workers send -3 g",
        Quadratic.strongly_convex, 15, 300, (0.001, 0.003, 0.01), 32, points=200, d=20,
        note="d = 20, sigma2 = 1",
    ),
    Reading(last=10),
    method=arm("signSGD with majority vote", lambda it: _lying(it.own, it.problem.n)),
    baseline=arm(
        "BSP, whose mean points uphill: no stepsize improves on the start",
        lambda it: _lying(BSP(it.step), it.problem.n), step=(0.005, 0.02, 0.08),
    ),
    without=arm(
        "votes are weighted by their magnitude",
        lambda it: _lying(replace(it.own, compressor=ScaledSign()), it.problem.n),
    ),
    at_most=0.1,
    source="Bernstein, Zhao, Azizzadenesheli, Anandkumar 2019, arXiv:1810.05291, Theorem 2 (blind "
    "multiplicative adversaries)",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


def _over_L(it: ArmContext) -> ArmContext:
    """Stepsizes in units of 1/L."""
    return replace(it, step=ConstantStep(it.step.gamma / it.problem.constants().need("L")))


STROM_THRESHOLD = contrast(
    "strom-threshold",
    "entries that are sent once they exceed a threshold, and kept until then, take a small part of "
    "the bits of full gradients of the same small stepsize",
    Setting(
        "logreg-breast-cancer", lambda n: problem("logreg-breast-cancer", n), 8, 150,
        ConstantStep(0.5), 32, points=75, note="gamma in 1/L, tau = 0.05", d=Fixed.DATA,
    ),
    Reading("sent_bits", target=0.002),
    method=arm("Strom's threshold", lambda it: _over_L(it).own),
    baseline=arm("BSP with full gradients", lambda it: BSP(_over_L(it).step)),
    without=arm("what is not sent is forgotten", lambda it: _forgetful(_over_L(it))),
    at_most=0.25, source="Strom 2015 (Interspeech), Section 3", tuning=StepsizeChoice.ALIKE,
)  # fmt: skip


def _uneven(n: int, d: int) -> Quadratic:
    """Minimisers whose entries fall as 1/j, as a few gradients are large and most are small."""
    b = (normal_rows(1, d, "common") + 0.1 * normal_rows(n, d, "own")) / (1 + torch.arange(d))
    return Quadratic.from_arrays(torch.ones_like(b), b, name="uneven entries")


THREE_LC = contrast(
    "three-lc",
    "three values whose runs of zeros are coded take less than one bit a coordinate",
    Setting(
        "quadratic, minimisers with entries falling as 1/j, d = 500, no noise", _uneven, 4, STEPS,
        GRID, d=500,
    ),
    bits_until(0.01),
    method="3LC",
    baseline=arm("1-bit SGD", lambda it: it.method_of("one-bit-sgd")),
    without=arm(
        "without the code for runs of zeros",
        lambda it: BSP(it.step, ThreeLC(1.0), ErrorFeedback()),
    ),
    at_most=0.1, source="Lim, Andersen, Kaminsky 2018, arXiv:1802.07389, Section 3.3",
)  # fmt: skip
