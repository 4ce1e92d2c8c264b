"""Problems that state a constant a little wrong: what is found along runs refutes each."""

from __future__ import annotations

from algorithms.catalogue import problem
from algorithms.problems.base import Problem
from proofs_check.mutants.method_mutant import MethodMutant
from proofs_check.problems.along_runs import check_along_runs
from proofs_check.problems.check import check_problem
from proofs_check.problems.stating import StatedProblem
from proofs_check.verdict import Verdict

_N, _SEED = 8, 1


def stating(name: str, constant: str, factor: float, *, noise_share: float = 1.0) -> Problem:
    """The problem called ``name``, which states ``factor`` times its constant."""
    honest = problem(name, _N)
    c = honest.constants()
    wrong = c.state(c.statements[constant], **{constant: factor * c.need(constant)})
    return StatedProblem(honest, wrong, noise_share)


def _held(subject: Problem, constant: str) -> Verdict:
    """The verdict on this constant alone."""
    verdicts = check_along_runs(subject, seed=_SEED)
    return next(v for v in verdicts if v.check == f"{constant} along runs")


def _at_points(subject: Problem, constant: str) -> Verdict:
    """The first verdict on this constant at points, drawn ones and those of ascents."""
    verdicts = check_problem(subject, seed=_SEED)
    return next(v for v in verdicts if v.check == f"constant {constant}")


def _wrong(name: str, constant: str, factor: float, planted: str, **lies: float) -> MethodMutant:
    return MethodMutant(
        planted, f"{name} states {factor:g} times its {constant}",
        lambda: _held(stating(name, constant, factor, **lies), constant),
        lambda: _held(problem(name, _N), constant),
    )  # fmt: skip


def _loose(name: str, constant: str, factor: float, planted: str) -> MethodMutant:
    """A bound on all points, of which drawn points have a small share alone."""
    return MethodMutant(
        planted, f"{name} states {factor:g} times its {constant}",
        lambda: _at_points(stating(name, constant, factor), constant),
        lambda: _at_points(problem(name, _N), constant),
    )  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    _wrong("quadratic-sc", "L", 0.95, "L 5 % too small"),
    _wrong("logreg-breast-cancer", "L", 0.95, "L of data 5 % too small"),
    _wrong("quadratic-unequal", "L_max", 0.95, "L of one worker 5 % too small"),
    _wrong("quadratic-sc", "mu", 1.05, "mu 5 % too large"),
    _wrong("logreg-breast-cancer", "mu", 1.05, "mu of data 5 % too large"),
    _wrong("quadratic-sc", "sigma2", 0.95, "sigma2 5 % too small"),
    _wrong("quadratic-sc", "sigma2", 0.95, "sigma2 and noise(x) 5 % too small", noise_share=0.95),
    _wrong("quadratic-sc", "zeta2", 0.95, "zeta2 5 % too small"),
    _wrong("logreg-breast-cancer", "zeta2_star", 0.95, "zeta2 at the minimiser 5 % too small"),
    _wrong("logreg-breast-cancer", "pl", 1.05, "PL constant of data 5 % too large"),
    _loose("logreg-breast-cancer", "G2", 0.9, "G2 of data a tenth too small"),
    _loose("nonconvex-digits-dirichlet", "zeta2", 0.6, "zeta2 of data 0.6 of its bound"),
)
