"""Setting of a study in words: problem, rows and runs, with every parameter and constant."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from algorithms.catalogue import entry_called
from algorithms.tuning.grid import SEED
from algorithms.tuning.parameters import row_parameters, shown_value
from experiments.compare.axes import AXES
from experiments.figures.tex import name_as_tex
from experiments.reporting.citing import Citations, cite
from experiments.study.contest import TRIALS
from experiments.study.plan import StudyPlan
from experiments.study.steps import Done, attacked, found_of
from experiments.study.subject import StudySubject
from proofs_check.refute.formula import StatedTheorem
from theory.constants import Constants
from theory.theorem import Theorem


def setting(plan: StudyPlan, done: Done) -> tuple[str, ...]:
    """Paragraphs; parameters that a grid found are those of ``done``."""
    problem, entry = plan.objective, entry_called(plan.problem)
    paragraphs = [
        f"Problem. {plan.n} workers minimise {plan.problem}: {entry.title}; d = {problem.d}, "
        f"floats of {8 * problem.dtype.itemsize} bits. Its constants are "
        f"{_constants(problem.constants().completed())}.",
        f"Runs. Each row runs in {plan.replicas} independent replicas of seed {plan.seed}. The "
        f"comparison gives every row what {plan.entrants[0].row.key} spends in {plan.steps} steps "
        f"of {AXES[plan.axis]}. Stepsizes, and the parameters that papers tune beside them, are "
        f"the best of one grid for all rows, decided at that very budget on {TRIALS} replicas of "
        f"seed {SEED}. Intervals are of 95%, bands of two standard errors.",
        f"Rates are measured in {', '.join(plan.vary)}, up to {plan.rate_steps} steps, with "
        f"{plan.replicas} replicas at each point; n takes {', '.join(map(str, plan.sizes))}. Where "
        "a theorem tunes the row its stepsize is taken at each point, else the grid's at all.",
    ]
    paragraphs += [_row(plan, one, done) for one in plan.entrants]
    paragraphs += [_theorem(theorem) for one in plan.subjects for theorem in attacked(one, plan)]
    return tuple(paragraphs)


def _row(plan: StudyPlan, one: StudySubject, done: Done) -> str:
    found = found_of(one, done)
    known = {name: shown_value(value) for name, value in
             row_parameters(one.row, plan.objective, plan.steps).items()}  # fmt: skip
    words = f"Row {one.row.key}: {one.row.what} ({one.row.source})."
    if found is not None:
        known |= {name: f"{v:g}" for name, v in zip(found.settings, found.values, strict=True)}
        step = "no stepsize" if found.stepsize is None else f"stepsize {found.stepsize:.4g}"
        words += f" In the comparison {found.method}, {step}, best of {found.places} places."
    told = ", ".join(f"{name} = {value}" for name, value in known.items())
    return f"{words} Parameters: {told or 'none'}."


def _theorem(theorem: Theorem) -> str:
    words = f"Theorem {theorem.name}: {theorem.title}"
    if not isinstance(theorem, StatedTheorem):
        return f"{words} ({theorem.source}; {theorem.confidence.value})."
    limit = theorem.limit if theorem.limit is not None else theorem.step
    rule = "up to" if theorem.limit is not None else "equal to"
    said = f"{words} <= {theorem.bound_formula}, for constant stepsizes {rule} {limit}."
    return said.replace("**", "^")  # Python's powers as the page's other formulas have them


_SIGNS = {
    "initial_gap": "f(x_0) - f^*", "f_star": "f^*", "R2": "||x_0 - x^*||^2", "G2": "G^2",
    "lipschitz": "a component's largest gradient", "pl": "mu_PL", "diameter": "the diameter",
    "zeta2_star": "zeta2 at x^*", "lipschitz_one": "a gradient's largest entry",
    "hessian_lipschitz": "the Hessian's Lipschitz constant", "symmetric_noise": "noise symmetric",
}  # fmt: skip
_SAID = ("n", "d")  # before its constants


def _constants(c: Constants) -> str:
    """Constants of a problem by the signs that papers have for them."""
    named = ((_SIGNS.get(name, name), getattr(c, name)) for name in c.stated() if name not in _SAID)
    return ", ".join(
        (name if value else f"not {name}") if isinstance(value, bool)
        else f"{name} = {_shown(value)}"
        for name, value in named
    )  # fmt: skip


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if math.isfinite(value) else "infinite"


def literature(plan: StudyPlan) -> Citations:
    """Papers of the rows and theorems of the catalogue, and of the problem."""
    return cite([*_cited(plan), plan.problem])


def cited_words(plan: StudyPlan) -> str:
    """A paragraph of LaTeX: what each row and theorem, and the problem, is cited by."""
    parts = []
    for name in dict.fromkeys((*_cited(plan), plan.problem)):
        keys = ",".join(one.reference.key for one in cite([name]).citations)
        if keys:
            parts.append(rf"{name_as_tex(name)}~\cite{{{keys}}}")
    return f"Literature. {'; '.join(parts)}." if parts else ""


def _cited(plan: StudyPlan) -> Iterator[str]:
    for one in plan.entrants:
        if not one.own:
            yield one.row.key
    for one in plan.subjects:
        for theorem in one.row.theorems:
            if one.own and not isinstance(theorem, StatedTheorem):
                yield theorem.name
