"""Closed forms of what a run leaves behind: which steps are recorded, what of them, what is kept.

Models that are a plain function of the step tell every record of a run of any length, with any
number of records, and every checkpoint of any interval, whether it divides the length or not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.engine.trace import Trace, record_steps
from algorithms.methods.base import RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.runner.checkpointed_run import Checkpoints, checkpointed_run, worker_axes
from proofs_check.instruments.evidence import identity
from proofs_check.methods.record_probe import RecordProbe, RunCutOff, counts, hours, moves
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_LENGTHS = (*range(1, 34), 100, 1000, 12345)  # steps of runs
_MOST = 36  # records
_RUNS = ((1, 2), (6, 3), (6, 7), (29, 2), (29, 5), (29, 40))  # steps and records
_AVERAGED = ((0, False), (1, True), (3, False), (4, True))  # every so many steps, and weights
_REPLICAS, _N, _D = 3, 4, 3
_CUT, _END = 5, 7  # steps before a run is cut off, and of a whole one
_INTERVALS = 1, 2, 3, 7, 9


def record_places() -> tuple[Verdict, ...]:
    """The steps at which a run is recorded against the formula in plain Python."""
    made, due = list[int](), list[int]()
    for steps in _LENGTHS:
        for points in range(2, _MOST):
            found, wanted = record_steps(steps, points).tolist(), _due(steps, points)
            made += [len(found), *found]
            due += [len(wanted), *wanted]
    verdict = identity(
        "records", "they are all steps, or as many as asked in a geometric series",
        made if len(made) == len(due) else [len(made)], due if len(made) == len(due) else [0],
        check="places of records", tolerance=0.0, note=f"{len(_LENGTHS)} lengths of runs",
        provenance="plain Python",
    )  # fmt: skip
    return (verdict,)


def _due(steps: int, points: int) -> list[int]:
    """All steps where there is room; else 0 and the rounded steps^(k / (points - 2))."""
    if points > steps:
        return list(range(steps + 1))
    inner = {round(steps ** (k / (points - 2))) for k in range(points - 2)} if points > 2 else ()
    return sorted({0, steps, *inner})


def record_series() -> tuple[Verdict, ...]:
    """Every series of runs of several lengths, noted together and made one by one."""
    worst = dict[str, list[Floats]]()
    for name, found, due in _series():
        worst.setdefault(name, []).append(np.abs(found - due).max(keepdims=True).ravel())
    return tuple(
        identity(
            name.replace("_", " "), "every record is that of the models after so many steps",
            np.concatenate(apart), 0.0, check="records by hand",
            note=f"{len(apart)} runs", provenance=f"{_REPLICAS} replicas, n={_N}, by hand",
        )
        for name, apart in worst.items()
    )  # fmt: skip


def _problem() -> Quadratic:
    a = torch.tensor([[1.0, 0.5, 2.0]]).double().expand(_N, _D).contiguous()
    b = torch.arange(_N * _D).double().view(_N, _D) / 16
    return Quadratic.from_arrays(a, b)


def _weight(t: int) -> float:
    return t + 2.0


def _series() -> Iterator[tuple[str, Floats, Floats]]:
    """Name, series as recorded and as due ``[R, K]``, of run after run.

    A network is given, since replicas differ though nothing is drawn.
    """
    problem = _problem()
    for steps, points in _RUNS:
        for every, weighted in _AVERAGED:
            trace = run(
                RecordProbe(timed=True), problem, steps=steps, points=points, replicas=_REPLICAS,
                every=every, weight=_weight if weighted else None, of_workers=weighted,
                network=Simulated(_N),
            )  # fmt: skip
            places = _due(steps, points)
            yield "steps", _as_floats(trace.steps), np.array(places, dtype=np.float64)
            yield from _of(trace, problem, places, every, weighted)


def _as_floats(values: object) -> Floats:
    found: Floats = np.asarray(values, dtype=np.float64)
    return found


def _of(
    trace: Trace, problem: Quadratic, places: list[int], every: int, weighted: bool
) -> Iterator[tuple[str, Floats, Floats]]:
    """The series of a run that is recorded after ``places`` steps."""
    ids, last = torch.arange(_REPLICAS), places[-1]
    own = moves(ids, torch.arange(_N), _D).numpy()
    rows = np.arange(last + 1)[:, None, None, None] * own  # [T + 1, R, n, d]
    mean = rows.mean(2)
    a, b = problem.a.numpy(), (problem.c / problem.a).numpy()

    def value(x: Floats) -> Floats:
        found: Floats = (a * (x[..., None, :] - b) ** 2).sum(-1).mean(-1) / 2
        return found

    slopes = ((a * (mean[..., None, :] - b)).mean(-2) ** 2).sum(-1)  # [T + 1, R]
    floor = value(b.mean(0))
    yield "suboptimality", trace.suboptimality, (value(mean) - floor)[places].T
    yield "squared_gradient", trace.squared_gradient, slopes[places].T
    spread = ((rows - mean[:, :, None]) ** 2).sum(-1).mean(-1)
    yield "consensus", trace.consensus, spread[places].T
    apart = ((mean - b.mean(0)) ** 2).sum(-1)
    yield "squared_distance", trace.squared_distance, apart[places].T
    clocks = np.stack([hours(ids, t).numpy() for t in places], -1)
    yield "seconds", trace.seconds, clocks
    yield "gradients", trace.gradients, np.stack([counts(ids, t).numpy() for t in places], -1)
    sampled = [t for t in range(last + 1) if (t % every == 0 if every else t in places)]
    before = [[s for s in sampled if s < t] or [0] for t in places]
    averages = np.stack([slopes[steps].mean(0) for steps in before], -1)
    yield "average_squared_gradient", trace.average_squared_gradient, averages
    if weighted:
        workers = value(rows).mean(-1) - floor
        yield "workers_suboptimality", trace.workers_suboptimality, workers[places].T
        weights = [_weight(t) for t in range(last)]
        means = [np.average(mean[:t], axis=0, weights=weights[:t]) for t in places[1:]]
        due = np.stack([value(one) - floor for one in means], -1)
        yield "weighted_suboptimality", trace.weighted_suboptimality[:, 1:], due


def checkpoints_every() -> tuple[Verdict, ...]:
    """Which steps are kept of a run that is cut off and of one that goes on from there, at
    intervals that divide their lengths and at others; and whose rows a state holds."""
    made, due = list[float](), list[float]()
    for every in _INTERVALS:
        with tempfile.TemporaryDirectory() as folder:
            kept = Checkpoints(Path(folder), every)
            with suppress(RunCutOff):
                _run(RecordProbe(stops=_CUT), kept)
            before = list(range(every, _CUT + 1, every))
            steps = sorted({*before, *range(every, _END + 1, every), _END})
            made += [*_steps(folder), -1]
            due += [*before[-2:], -1]
            models, seen, began = _run(RecordProbe(), kept)
            made += [*_steps(folder), -1, began, *seen, -1, *seen.values(), float(models.sum())]
            due += [*steps[-2:], -1, max(before, default=0), *steps, -1]
            due += [_watched(t) for t in (*steps, _END)]
    alike = len(made) == len(due)
    context = RunContext(_problem(), Simulated(_N), Key.seed(0), torch.arange(_REPLICAS))
    axes = worker_axes(RecordProbe(), context)
    return (
        identity(
            "checkpoints", "they are of every so many steps and of the last; two are kept",
            made if alike else [len(made)], due if alike else [len(due)], check="kept steps",
            tolerance=0.0, note=f"intervals {_INTERVALS}", provenance=f"{_CUT} and {_END} steps",
        ),
        identity(
            "rows of workers", "those of models are found, ids of replicas are everybody's",
            [axes.get("/x") or 0, len(axes), axes.get("/replicas") is None], [-2, 2, True],
            check="axes of workers", tolerance=0.0, provenance=f"n={_N}",
        ),
    )  # fmt: skip


def _run(method: RecordProbe, kept: Checkpoints) -> tuple[torch.Tensor, dict[int, float], int]:
    return checkpointed_run(
        method, _problem(), steps=_END, kept=kept, replicas=_REPLICAS,
        watch=lambda models: float(models.sum()),
    )  # fmt: skip


def _watched(t: int) -> float:
    """The sum of all models after t steps."""
    return t * float(moves(torch.arange(_REPLICAS), torch.arange(_N), _D).sum())


def _steps(folder: str) -> list[int]:
    return sorted(int(one.name.rpartition("-")[2]) for one in Path(folder).glob("step-*"))


CLOSED_FORMS = (record_places, record_series, checkpoints_every)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: their runs are recorded so."""
