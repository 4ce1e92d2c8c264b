"""Plan of a study: its rows, problem and sizes, which everything else follows from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, final

from algorithms.catalogue import entry_called, problem
from algorithms.core.names import look_up
from algorithms.problems.base import Problem
from algorithms.tuning.grid import SEED
from experiments.compare.axes import AXES, Axis
from experiments.study.subject import StudySubject, baselines, faults_among, sources, subject
from proofs_check.methods.sweep import VARIABLES
from proofs_check.methods.sweep_points import points
from proofs_check.refute.search import attackers_named

_THIRD = ("H", "delta", "omega", "gap", "tau", "batch")
_COLUMN = (2.0, 8.0)  # inches


@final
@dataclass(frozen=True)
class StudyPlan:
    """Arguments of a study, all decided; :func:`planned` makes it.

    Attributes:
        rows: names of the rows that it is about.
        against: names of those that are compared with them only.
        problem: name of the problem.
        axis: what is equal in the comparison.
        n: number of workers.
        steps: steps of the first row; they set the budget.
        replicas: independent runs.
        seed: of all runs but those that tune.
        vary: variables in which rates are measured.
        rate_steps: longest horizon of the rates.
        sizes: numbers of workers of the rate in n.
        attack_seconds: for which each theorem is attacked.
        attackers: by whom; none: by all, and it is asked which constants a bound over-pays for.
        column: width of a column of the paper [inch].
    """

    rows: tuple[str, ...]
    against: tuple[str, ...]
    problem: str
    axis: Axis
    n: int
    steps: int
    replicas: int
    seed: int
    vary: tuple[str, ...]
    rate_steps: int
    sizes: tuple[int, ...]
    attack_seconds: float
    attackers: tuple[str, ...]
    column: float

    @cached_property
    def subjects(self) -> tuple[StudySubject, ...]:
        """The rows that it is about."""
        return tuple(subject(name) for name in self.rows)

    @cached_property
    def entrants(self) -> tuple[StudySubject, ...]:
        """All rows that are compared."""
        return (*self.subjects, *(subject(name) for name in self.against))

    @cached_property
    def sources(self) -> dict[str, bytes]:
        """Files of one's own as they were when it was planned."""
        return sources((*self.rows, *self.against))

    @cached_property
    def objective(self) -> Problem:
        """The problem of n workers."""
        return problem(self.problem, self.n)

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    def arguments(self) -> str:
        """Arguments by which ``rateproof.study`` makes the same again."""
        lines = [f"    {list(self.rows)!r},"]
        told = self.record() | {"against": list(self.against), "vary": list(self.vary)}
        told |= {"sizes": list(self.sizes), "attackers": list(self.attackers)}
        lines += [f"    {name}={value!r}," for name, value in told.items() if name != "rows"]
        return "\n".join(lines)


QUICK: dict[str, Any] = {
    "n": 8, "steps": 300, "replicas": 8, "rate_steps": 200, "sizes": (2, 4, 8),
    "attack_seconds": 4.0, "attackers": ("exact", "quadratics", "runs"),
}  # fmt: skip
"""Sizes of a study that ends in a minute or two."""

WHOLE: dict[str, Any] = {
    "n": 16, "steps": 2000, "replicas": 32, "rate_steps": 2000, "sizes": (2, 4, 8, 16, 32),
    "attack_seconds": 60.0, "attackers": (),
}  # fmt: skip
"""Sizes of a whole study."""


def planned(
    rows: Sequence[str], *, problem_name: str | None = None, against: Sequence[str] | None = None,
    axis: str = "bits", vary: Sequence[str] = (), seed: int = 1, column: float = 3.4,
    quick: bool = False, n: int | None = None, steps: int | None = None,
    replicas: int | None = None, rate_steps: int | None = None,
    sizes: Sequence[int] | None = None, attack_seconds: float | None = None,
    attackers: Sequence[str] | None = None,
) -> StudyPlan:  # fmt: skip
    """The plan with all that is not said decided; sizes that are not given are those of
    :data:`WHOLE`, or if it is to be ``quick`` of :data:`QUICK`.

    Raises:
        ValueError: an unknown row, problem, axis or variable, a row that does not run on the
            problem, two rows alike, or a number out of range.
        UserCodeError: code of one's own raised.
    """
    if not rows:
        raise ValueError("rows must be one or more, got none; `rateproof list` has them")
    given = {
        "n": n, "steps": steps, "replicas": replicas, "rate_steps": rate_steps, "sizes": sizes,
        "attack_seconds": attack_seconds, "attackers": attackers,
    }  # fmt: skip
    wanted = (QUICK if quick else WHOLE) | {k: v for k, v in given.items() if v is not None}
    for name, least in {"n": 2, "steps": 16, "replicas": 4, "rate_steps": 16}.items():
        if wanted[name] < least:
            raise ValueError(f"{name} must be at least {least}, got {name}={wanted[name]}")
    if not wanted["attack_seconds"] > 0:
        raise ValueError(
            f"attack_seconds must be positive, got attack_seconds={wanted['attack_seconds']}"
        )
    if not _COLUMN[0] <= column <= _COLUMN[1]:
        raise ValueError(f"column must lie in {list(_COLUMN)} [inch], got column={column}")
    if seed == SEED:
        raise ValueError(f"seed={seed} is the one that tunings are decided on; another would do")
    first = subject(rows[0])
    with faults_among((first,)):
        on = problem_name or _problem_of(first, wanted["n"], wanted["steps"])
        entry_called(on)
        objective = problem(on, wanted["n"])
        first.row.require_fit(objective)
        variables = _variables(first, objective, vary)
        others = baselines(first, objective) if against is None else tuple(against)
    others = tuple(name for name in others if name not in rows)
    wanted |= {name: tuple(wanted[name]) for name in ("sizes", "attackers")}
    attackers_named(wanted["attackers"])
    made = StudyPlan(
        tuple(rows), others, on,
        look_up("axis", axis, {name: name for name in AXES}),
        seed=seed, vary=variables, column=column, **wanted,
    )  # fmt: skip
    keys = [one.row.key for one in made.entrants]
    if len(set(keys)) < len(keys) or len(keys) < 2:
        raise ValueError(f"rows must be two or more, no two alike, got {', '.join(keys)}")
    for one in made.entrants:
        with faults_among((one,)):
            one.row.require_fit(objective)
    _ = made.sources  # they are read now: what is edited while it runs is not what ran
    return made


def _problem_of(first: StudySubject, n: int, steps: int) -> str:
    """The first of a row's problems on which a theorem tunes it; where there is none, the first."""
    names = first.row.ready().problems
    covered = (
        name for name in names if first.row.tune(problem(name, n), steps).theorem is not None
    )
    return next(covered, names[0])


def _variables(first: StudySubject, objective: Problem, vary: Sequence[str]) -> tuple[str, ...]:
    """Variables of the rates: those that are named, else T, n, and the first that the row has."""
    known = {name: name for name in VARIABLES}
    if vary:
        return tuple(dict.fromkeys(look_up("variable", name, known) for name in vary))
    for name in _THIRD:
        with suppress(ValueError):
            if any(points(first.row, lambda _: objective, name, objective.n, 16, ())):
                return ("T", "n", name)
    return ("T", "n")
