"""Folder of a study: what is done is kept as it finishes, so that an interrupted study goes on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from algorithms.engine.run import Diverged
from experiments.listing.kept import ROOT, state_of_sources
from experiments.processes.progress import duration
from experiments.storage.store import CorruptResult, Store, Stored
from experiments.study.plan import StudyPlan
from experiments.study.steps import StudyStep, failed, total_seconds
from experiments.study.subject import faults_among
from proofs_check.cell import Cell, CellKind, CellResult

Tell = Callable[[str], object]

_SURE = 3.0  # seconds of expected work, from which on it is told how much slower this machine is
_PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")


def store_of(plan: StudyPlan, steps: Sequence[StudyStep], folder: Path) -> Store:
    """Results of the steps, each under all that it follows from: its own words, the sources of this
    project, and the files of one's own."""
    state = state_of_sources(ROOT, _PACKAGES)
    for name, content in plan.sources.items():
        state += name + hashlib.sha256(content).hexdigest()
    versions = {
        cell_of(plan, step): hashlib.sha256(f"{state} {step.depends}".encode()).hexdigest()
        for step in steps
    }
    return Store(folder / "results", versions)


def cell_of(plan: StudyPlan, step: StudyStep) -> Cell:
    """The step as a unit of work that results are kept of."""
    return Cell(
        step.subject.row.key, plan.problem, CellKind.STUDY, step.key, (plan.seed,), plan.replicas,
        plan.steps, plan.n,
    )  # fmt: skip


def announced(steps: Sequence[StudyStep], kept: Mapping[str, CellResult], tell: Tell) -> None:
    """Say what is done, and how long it takes."""
    left = [step for step in steps if step.key not in kept]
    tell(f"{len(steps)} steps, {len(kept)} of them done before; about "
         f"{duration(total_seconds(left))} on an idle machine")  # fmt: skip
    for step in steps:
        told = "kept" if step.key in kept else f"about {duration(step.seconds)}"
        tell(f"  {step.title}: {step.does} ({told})")


def kept_results(
    plan: StudyPlan, steps: Sequence[StudyStep], folder: Path, tell: Tell
) -> dict[str, CellResult]:
    """Results that lie in the folder, of the steps as they are now."""
    store, found = store_of(plan, steps, folder), {}
    for step in steps:
        try:
            stored = store.load(cell_of(plan, step))
        except CorruptResult as error:
            tell(f"computed again: {error}")
            continue
        if stored is not None:
            found[step.key] = stored.result
    return found


def conducted(
    plan: StudyPlan, steps: Sequence[StudyStep], folder: Path, tell: Tell,
    finished: Callable[[StudyStep, CellResult], object],
) -> dict[str, CellResult]:  # fmt: skip
    """Results of all steps: those that are kept, and the others computed and kept one by one.

    ``finished`` hears of each, first of those that are kept. A step that cannot be made is
    kept as a verdict that says why.

    Raises:
        KeyboardInterrupt: Ctrl-C; what was finished is kept.
        UserCodeError: code of one's own raised.
    """
    done = kept_results(plan, steps, folder, tell)
    announced(steps, done, tell)
    for step in steps:
        if step.key in done:
            finished(step, done[step.key])
    store, spent = store_of(plan, steps, folder), 0.0
    left = [step for step in steps if step.key not in done]
    share = total_seconds(left)
    for number, step in enumerate(left, start=1):
        started, used = time.monotonic(), time.process_time()
        result = _made(plan, step, done)
        spent += (seconds := time.monotonic() - started)
        store.save(cell_of(plan, step), Stored(result, seconds, time.process_time() - used))
        done[step.key] = result
        rest = total_seconds(left[number:])
        slower = spent / max(share - rest, _SURE)
        ahead = rest * max(1.0, slower)
        told = f"about {duration(ahead)} left" if number < len(left) else "all done"
        tell(f"[{number}/{len(left)}] {step.title} ({seconds:.1f} s), {told}")
        finished(step, result)
    return done


def _made(plan: StudyPlan, step: StudyStep, done: Mapping[str, CellResult]) -> CellResult:
    try:
        with faults_among((step.subject,)):
            return step.run(done)
    except (ValueError, Diverged) as error:
        return failed(step, plan.problem, error)
