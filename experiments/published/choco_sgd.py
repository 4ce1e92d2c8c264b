"""``rateproof figure choco-sgd``: decentralised training with compressed messages."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.figures.choco_sgd import Runs, choco_sgd_figure
from experiments.published.figure import PublishedFigure
from proofs_check.figure_runs.compressed_training import (
    SEED,
    TrainingSetting,
    exact_and_choco,
    largest_usable,
    others,
    problems,
    searched,
)
from proofs_check.figure_runs.trace import ErrorTrace


def measure_choco_sgd(setting: TrainingSetting) -> Runs:
    """All runs by place and method; DCD and ECD with their largest usable stepsizes."""
    runs: dict[str, dict[str, ErrorTrace]] = {}
    for place, problem in problems(setting.n).items():
        runs[place] = exact_and_choco(problem, setting)
        for name, (build, operator) in others(setting).items():
            tried = searched(name, build, operator, problem, setting)
            runs[place][name] = largest_usable(tried)
    return runs


def _data(runs: Runs) -> dict[str, Any]:
    s = TrainingSetting()
    return {
        "workers": s.n, "share": s.share, "levels": s.levels, "seed": SEED,
        "replicas": s.replicas, "stepsize": {"scale": s.scale, "shift_by_d": s.shift},
        "consensus_steps": {"top": s.top, "rand": s.rand, "qsgd": s.qsgd},
        "problems": [
            {"problem": place, "methods": [_told(line) for line in found.values()]}
            for place, found in runs.items()
        ],
    }  # fmt: skip


def _told(line: ErrorTrace) -> dict[str, Any]:
    return {
        "method": line.name, "lost": line.lost, "stepsize_factor": line.factor,
        "steps": line.steps.tolist(), "suboptimality": line.error.tolist(),
        "sent_bits": line.bits.tolist(),
    }  # fmt: skip


def _show(runs: Runs, out: Console) -> None:
    for place, found in runs.items():
        table = Table(title=f"logistic regression on {place}")
        table.add_column("method")
        for title in ("f - f* at the end", "of exact", "Mbit sent a worker", "stepsize"):
            table.add_column(title, justify="right")
        exact = found["exact"].error[-1]
        for line in found.values():
            worth = line.error[-1]
            cells = ("lost", "-") if line.lost else (f"{worth:.3g}", f"{worth / exact:.2f}")
            table.add_row(line.name, *cells, f"{line.bits[-1] / 1e6:.3g}", f"{line.factor:g}")
        out.print(table)
    out.print(
        "stepsizes as multiples of exact D-PSGD's; for DCD and ECD the largest that is not "
        "lost (no better than the start), or the smallest tried",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


CHOCO_SGD = PublishedFigure(
    "choco-sgd",
    "Logistic regression on a ring by exact gossip, CHOCO-SGD, DCD-PSGD and ECD-PSGD, the last two "
    "with their largest usable stepsizes (Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Section "
    "5); takes a minute.",
    lambda _: measure_choco_sgd(TrainingSetting()),
    choco_sgd_figure,
    _data,
    _show,
)
