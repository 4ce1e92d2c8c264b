"""METHOD_MUTANTS: methods, memories, networks and bounds with one fault each, and who sees it.

Every mutant is judged by a check that also judges the genuine thing: ``refute()`` and ``genuine()``
are the same check on the one and on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, final

from algorithms.compressors.qsgd import QSGD
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.closed_forms.asynchronous.delay import delay_threshold
from proofs_check.closed_forms.auxiliary.error_feedback import nothing_is_lost, virtual_iterate
from proofs_check.closed_forms.gossip.choco_gossip import mean_is_kept
from proofs_check.closed_forms.gossip.d_psgd import gossip_mean_is_bsp, ring_bias
from proofs_check.closed_forms.local_updates.local_sgd import local_fixed_point
from proofs_check.closed_forms.synchronous.noisy_quadratic import stationary_variance
from proofs_check.methods.faulty.methods import (
    ForgetfulFeedback,
    FreshASP,
    GradientAveragingLocalSGD,
    HastyChoco,
    LeakyRing,
    MisscaledBSP,
    SelfishChoco,
    SelfTwiceDPSGD,
)
from proofs_check.methods.faulty.spoilt import posing
from proofs_check.mutants.wrong_bounds import MisreadBound, quarter_noise, workers_squared
from proofs_check.verdict import Outcome, Verdict
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex

Verdicts = Verdict | tuple[Verdict, ...]
Thing = TypeVar("Thing", contravariant=True)


class Judge(Protocol[Thing]):
    """A check of what it is handed, by default of the genuine thing."""

    def __call__(self, thing: Thing = ..., /) -> Verdicts: ...


@final
@dataclass(frozen=True)
class MethodMutant:
    """A fault, what was ``planted``, and one check run on the wrong thing and on the right one.

    Attributes:
        name: what reports call it.
    """

    name: str
    planted: str
    wrong: Callable[[], Verdicts]
    right: Callable[[], Verdicts]

    def refute(self) -> Verdict:
        """The check on the mutant; REFUTED is expected."""
        return decisive(self.wrong())

    def genuine(self) -> Verdict:
        """The same check on the right method; anything but REFUTED is expected."""
        return decisive(self.right())


def fault(name: str, planted: str, judge: Judge[Thing], wrong: Thing) -> MethodMutant:
    """A mutant that ``judge`` sees when it is handed ``wrong`` in the genuine thing's place."""
    return MethodMutant(name, planted, lambda: judge(wrong), judge)


def decisive(verdicts: Verdicts) -> Verdict:
    """The first refuted verdict, else the first."""
    several = (verdicts,) if isinstance(verdicts, Verdict) else verdicts
    return next((v for v in several if v.outcome is Outcome.REFUTED), several[0])


def from_the_minimiser() -> Quadratic:
    """One curvature, start at x*, gamma = 1/L: BSP-SGD attains the noise terms of its bounds."""
    return Quadratic.strongly_convex(4, 16, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)


BSP_UNDER_BOUND = BoundCheck(
    "bsp-sgd", "quadratic-sc", bsp_nonconvex, from_the_minimiser, lambda s, _p, _t: BSP(s), 200
)


def under(theorem: Theorem) -> Verdict:
    """BSP-SGD's whole curve under ``theorem``."""
    return replace(BSP_UNDER_BOUND, theorem=theorem).run().verdicts[0]


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF without its old residual", "v_t = g_t - C(v_{t-1} + g_t), as the survey prints it",
        nothing_is_lost, ForgetfulFeedback(),
    ),
    MethodMutant(
        "EF without its old residual, virtual iterate", "the same on noisy runs of four workers",
        lambda: virtual_iterate("qsgd", ForgetfulFeedback(), QSGD(4)),
        lambda: virtual_iterate("qsgd", ErrorFeedback(), QSGD(4)),
    ),
    fault(
        "local SGD averaging gradients", "the sync step of survey Eq. 9 as printed",
        local_fixed_point, GradientAveragingLocalSGD,
    ),
    MethodMutant(
        "leaky weights", "a W whose rows sum to 0.99",
        lambda: gossip_mean_is_bsp(DPSGD, LeakyRing(8)), lambda: gossip_mean_is_bsp(DPSGD, Ring(8)),
    ),
    fault(
        "D-PSGD counting itself twice", "the self-weight W_ii is added once more",
        ring_bias, posing(SelfTwiceDPSGD, DPSGD),
    ),
    fault(
        "BSP summing gradients", "the sum over workers instead of the mean",
        stationary_variance, MisscaledBSP,
    ),
    fault(
        "BSP dividing by sqrt(n)", "the sum over workers divided by sqrt(n)",
        stationary_variance, lambda step: MisscaledBSP(step, 0.5),
    ),
    fault(
        "ASP reading fresh values", "an arriving gradient is taken at the newest model",
        delay_threshold, FreshASP,
    ),
    fault(
        "CHOCO ahead of its messages", "the own public copy moves before the neighbours hear of it",
        mean_is_kept, posing(HastyChoco, ChocoGossip),
    ),
    fault(
        "CHOCO mixing its own model", "the own uncompressed model takes the public copy's place",
        mean_is_kept, posing(SelfishChoco, ChocoGossip),
    ),
    MethodMutant(
        "bound with a quarter of the noise", "sigma2/4 in the bound of BSP-SGD, non-convex",
        lambda: under(MisreadBound(bsp_nonconvex, quarter_noise)), lambda: under(bsp_nonconvex),
    ),
    MethodMutant(
        "bound with n squared", "n^2 for n in the bound of BSP-SGD, strongly convex",
        lambda: under(MisreadBound(bsp_strongly_convex, workers_squared)),
        lambda: under(bsp_strongly_convex),
    ),
)  # fmt: skip
