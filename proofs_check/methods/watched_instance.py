"""One short watched run of an instance of a row's method that is not the row's own.

Bounds are held on methods at other settings (more workers, other operators, a part of the clients),
whose branches the row's own watched run does not take.
"""

from __future__ import annotations

from algorithms.catalogue import Row
from algorithms.catalogue.row import Build
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from proofs_check.compressors.written_constants import written_constants
from proofs_check.methods.asked_dimensions import asked_dimensions, operators_in
from proofs_check.methods.falling_steps import falling_built
from proofs_check.methods.instrumented_run import watch
from proofs_check.methods.run_invariants import fresh_draws
from proofs_check.methods.run_twins import named_draws
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_STEPS, _REPLICAS, _SEED = 12, 2, 1
_CAUTIOUS = 0.1  # stepsize, of 1 / L


def watched_instance(row: Row, build: Build, problem: Problem) -> tuple[Verdict, ...]:
    """Stepsizes of an instance that ``build`` makes, in steps and blocks, its draws and their
    names, and the claims that its constants are made of, which are as they are written."""
    step = ConstantStep(_CAUTIOUS / (problem.constants().L or 1.0))
    method, kept = build(step, problem, _STEPS), row.ready().kept_draws
    replicas = method.replicas if isinstance(method, Scheduled) else _REPLICAS
    seen = watch(method, problem, steps=_STEPS, replicas=replicas, seed=_SEED)
    where = f"seed {_SEED}, n={problem.n}, {_STEPS} steps, {method.name}"
    operators = tuple(operators_in(method))
    return (
        falling_built(row, build, problem, _SEED, where),
        fresh_draws(row.key, problem, seen, kept, where),
        named_draws(row.key, problem, seen, kept, where),
        asked_dimensions(row.key, problem, method, where),
        *written_constants(operators, problem.d, where),
    )
