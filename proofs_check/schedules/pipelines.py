"""1F1B pipelines and jobs on one network: timelines against closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.schedules.contention import Admission, SharedNetwork, TrainingJob, always, never
from algorithms.schedules.pipeline import PipelineSchedule
from proofs_check.cell import CellResult
from proofs_check.gantt import lane_panel
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.schedules.drawn import SEED
from proofs_check.verdict import Verdict
from theory.seconds.pipelines import bubble_fraction, pipeline_seconds, stashed_versions
from theory.seconds.sharing import sharing_pays

_SIZES = [(stages, batches) for stages in (1, 2, 3, 5, 8) for batches in (1, 4, 8, 13)]
_FORWARD, _BACKWARD = 1.0, 2.25
Made = Callable[[int, int], PipelineSchedule]


def _equal(stages: int, batches: int) -> PipelineSchedule:
    return PipelineSchedule((_FORWARD,) * stages, (_BACKWARD,) * stages, batches)


def check_pipeline(made: Made = _equal) -> tuple[Verdict, ...]:
    """Seconds, idle share and stashed versions of equal stages, counted along the timeline."""
    lines = [(made(s, m), made(s, m).timeline(), s, m) for s, m in _SIZES]
    description = f"{len(_SIZES)} pairs of stages and microbatches, f = {_FORWARD}, b = {_BACKWARD}"
    return (
        identity(
            "pipedream", "(M + S - 1)(f + b) seconds", [line.seconds for _, line, *_ in lines],
            [pipeline_seconds(s, m, _FORWARD, _BACKWARD) for *_, s, m in lines],
            check="pipeline", provenance=description,
        ),
        identity(
            "pipedream", "a stage idles for (S - 1)/(M + S - 1) of them",
            [1 - line.busy("stage 0") / line.seconds for _, line, *_ in lines],
            [bubble_fraction(s, m) for *_, s, m in lines],
            check="pipeline", provenance=description,
        ),
        identity(
            "pipedream", "stage s keeps S - s versions of its weights (M at most)",
            [v for one, *_ in lines for v in one.versions()],
            [min(m, stashed_versions(s, i)) for *_, s, m in lines for i in range(s)],
            check="pipeline", provenance=description,
        ),
    )  # fmt: skip


def check_sharing(rule: Admission = sharing_pays) -> Verdict:
    """Two transfers: the rule's sum of ends is the lesser of sharing and waiting."""
    random = np.random.default_rng(SEED)
    got, best = [], []
    for _ in range(100):
        old, penalty = random.exponential(2.0) + 0.1, random.exponential(0.5)
        jobs = (
            TrainingJob("old", 0.0, old), TrainingJob("new", 0.0, old * random.uniform(0.01, 0.99)),
        )  # fmt: skip
        shared, waited, ruled = (
            sum(SharedNetwork(1.0, penalty, r).ends(jobs)) for r in (always, never, rule)
        )
        got.append(ruled)
        best.append(min(shared, waited))
    return identity(
        "contention-aware", "sharing if and only if M_2/M_1 < b/(2(b + eta)) ends earlier in sum",
        got, best, check="two transfers", provenance=f"100 pairs from seed {SEED}",
    )  # fmt: skip


def _pipeline() -> CellResult:
    return CellResult(check_pipeline(), (lane_panel(_equal(4, 8).timeline()),))


def _shared() -> CellResult:
    jobs = (TrainingJob("A", 1.0, 6.0, 2), TrainingJob("B", 2.0, 0.7, 5))
    return CellResult((check_sharing(),), (lane_panel(SharedNetwork(1.0, 0.2).timeline(jobs)),))


SYSTEM_CHECKS = (
    SystemCheck("pipedream", "equal stages", _pipeline),
    SystemCheck("contention-aware", "two transfers", _shared),
)
