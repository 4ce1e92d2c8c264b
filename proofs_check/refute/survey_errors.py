"""Misprints of the surveys as theorems: ``python -m proofs_check.refute --survey-errors``.

A misprinted update keeps the theorem of the method that it is printed for, or parallel SGD's where
it is that; a misprinted rate keeps its method. Numbers are those of ``rateproof errata``. What has
no theorem to break is demonstrated there alone: words and credits, bits, seconds, operators, rates
that are printed looser than they are (E17, E21), slower but true ones (E31), and what the constants
that O(.) hides could hold (E22; E14 in D-PSGD, whose bound has 54 n there).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.base import Problem
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stale import SSP
from proofs_check.bounds.check import Make
from proofs_check.methods.faulty.memories import PrintedCorrection
from proofs_check.methods.faulty.methods import (
    ForgetfulFeedback,
    GradientAveragingLocalSGD,
    OwnTwice,
)
from proofs_check.mutants.wrong_bounds import AlteredTheorem, MisreadBound
from proofs_check.refute.claim import Claim
from proofs_check.refute.limited import longer
from proofs_check.refute.ours import claims_of
from proofs_check.refute.planted import MisreadLimit
from proofs_check.refute.stated import claim
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.theorems.conditions import weighted_bound
from theory.theorems.mem_sgd import mem_sgd

_SGD = "2*initial_gap/(gamma*T) + gamma*L*sigma2/n"
_MOMENTUM, _PERIOD, _LEVELS = 0.9, 4, 8


def survey_errors() -> tuple[Claim, ...]:
    """Wrong theorems, in the order of the surveys' errata."""
    return (
        claim("E1, own updates added twice", method=_own_twice, limit="1/L", bound=_SGD),
        _printed("E4, local SGD that averages gradients", "pr_sgd", _gradients_averaged),
        _printed("E7, a residual that forgets", "ef_sgd_workers", _forgetful),
        _printed("E5, the same with one bit", "ef_sgd_workers", _one_bit),
        _gap_for_modulus("E14, the second modulus called the gap", "gossip_averaging"),
        claim(
            "E15, DCD-PSGD with whatever is unbiased", method="dcd-psgd", limit="1/(4*L)",
            bound="20*initial_gap/(gamma*T) + 20*gamma*L*sigma2 + 100*(gamma*L)**2*zeta2",
            needs=("omega",),
        ),
        claim(
            "E18, QSGD without the gradients' own noise", method=_qsgd, limit="1/((1 + omega)*L)",
            bound="2*initial_gap/(gamma*T) + gamma*L*omega*sigma2/n", one_objective=True,
        ),
        replace(
            claims_of("mem_sgd")[0], name="E20, sparsified SGD by its leading term",
            theorem=LeadingTerm(mem_sgd),
        ),
        claim(
            "E30, momentum correction that keeps what it sent", method=_never_reduced,
            limit="(1 - 0.9)**2/(4*L)",
            bound="100*initial_gap/(gamma*T) + 100*gamma*L*sigma2",
        ),
        claim("E32, updates added over workers", method=_summed, limit="1/L", bound=_SGD),
        claim(
            "T1, 1/T on convex functions", method="bsp-sgd", metric="suboptimality",
            stepsize="1/(L*sqrt(T))", bound="2*(L*R2 + sigma2/L)/T", assumes=("mu >= 0",),
        ),
        claim(
            "T3, 1/T on convex functions without waiting", method="asp", metric="suboptimality",
            stepsize="1/(L*sqrt(T))", bound="2*(L*R2 + sigma2/L)/T", assumes=("mu >= 0",),
        ),
    )  # fmt: skip


def _printed(name: str, theorem: str, make: Make) -> Claim:
    """A theorem of ours, said of the printed update."""
    return replace(claims_of(theorem)[0], name=name, make=make, row="")


def _gap_for_modulus(name: str, theorem: str) -> Claim:
    """A theorem that reads lam where the gap 1 - lam belongs, limit and bound."""
    right = claims_of(theorem)[0]
    wrong = MisreadLimit(MisreadBound(right.theorem, _modulus), _modulus)
    return replace(right, name=name, theorem=wrong)


def _modulus(c: Constants) -> Constants:
    return c.state(lam=1 - c.need("lam"))


@final
@dataclass(frozen=True)
class LeadingTerm(AlteredTheorem):
    """4 T (T + 2a) G^2/(mu S_T) of MEM-SGD's bound, without start and drift."""

    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        if not isinstance(step, InverseTimeStep):
            raise ValueError(f"this theorem is about scale/(shift + t), got {step}")
        noise = 4 * c.need("G2") / c.completed().need("mu")
        return weighted_bound(0.0, noise, 0.0, step.shift, times)


def _own_twice(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return OwnTwice(ParameterServer(step, max(steps, 1), Constant(), SSP(0), Weighting.ALL))


def _gradients_averaged(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return GradientAveragingLocalSGD(step, _PERIOD)


def _forgetful(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return BSP(step, TopK(1), ForgetfulFeedback())


def _one_bit(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return BSP(step, OneBit(), ForgetfulFeedback())


def _qsgd(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return BSP(step, QSGD(_LEVELS))


def _never_reduced(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return BSP(step, memory=PrintedCorrection(_MOMENTUM))


def _summed(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return BSP(longer(step, problem.n))
