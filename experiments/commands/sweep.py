"""``rateproof sweep``: a study of any size, from a file to a partitioned data set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.markup import escape

from experiments.commands.console import at_least, bad_input, console, dump, print_error, writable
from experiments.processes.executors import ExecutorGone
from experiments.processes.progress import duration
from experiments.survey import SurveyInterrupted, stopping
from experiments.sweeps.study import SweepStudy
from experiments.sweeps.study_file import read_study
from experiments.sweeps.sweeping import SweepCost, Swept, plan, run_sweep


def sweep_command(
    path: Path, out: Path, *, executor: str, workers: int, planned: bool, as_json: bool
) -> int:
    """Exit code 1 if a block failed or the executor was lost, 130 or 143 if interrupted."""
    with bad_input():
        at_least("workers", workers, 1)
        study = read_study(path)
        writable(out)
        if planned:
            _show_plan(study, plan(study, out), workers, as_json=as_json)
            return 0
        try:
            with stopping():
                found = run_sweep(study, out, console(as_json), executor=executor, workers=workers)
        except ExecutorGone as error:
            print_error(error)
            return 1
        except SurveyInterrupted as stop:
            print_error(f"interrupted by {stop}; the same command goes on from there")
            return stop.exit_code
    _show(found, as_json=as_json)
    return 1 if found.failures else 0


def _show(found: Swept, *, as_json: bool) -> None:
    told = {
        "name": found.study.name,
        "runs": found.study.runs,
        "files": found.study.blocks,
        "reused_files": found.reused,
        "failed_files": len(found.failures),
        "seconds": found.seconds,
        "data": str(found.folder),
    }
    if as_json:
        dump(told | {"failures": {str(k): text for k, text in found.failures.items()}})
        return
    out = console(False)
    for number, text in found.failures.items():
        block = found.study.block_at(number)
        print_error(f"{block.pair.row} on {block.pair.problem}, runs from {block.first}: {text}")
    for why in found.study.left_out:
        out.print(f"left out: {escape(why)}", highlight=False, soft_wrap=True)
    out.print(
        f"{found.study.runs} runs in {duration(found.seconds)}; data: {escape(str(found.folder))}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _show_plan(study: SweepStudy, found: SweepCost, workers: int, *, as_json: bool) -> None:
    if as_json:
        dump(asdict(found) | {"name": study.name, "left_out": list(study.left_out)})
        return
    out = console(False)
    out.print(f"{found.runs} runs in {found.blocks} files, {found.done} of them there already")
    for words, seconds in found.tried:
        out.print(f"{words}: {seconds:.3g} s of one core", highlight=False, soft_wrap=True)
    whole = duration(found.seconds / workers)
    out.print(
        f"all: {found.seconds:.3g} s of one core if a run's cost grows with workers times steps, "
        f"{whole} on {workers} workers", highlight=False, soft_wrap=True,
    )  # fmt: skip
    for why in study.left_out:
        out.print(f"left out: {escape(why)}", highlight=False, soft_wrap=True)
