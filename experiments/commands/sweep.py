"""``rateproof sweep``: a study of any size, from a file to a partitioned data set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.markup import escape

from algorithms.core.names import look_up
from experiments.commands.console import at_least, bad_input, console, dump, print_error, writable
from experiments.figures.style import save, styled
from experiments.processes.pool import ExecutorLost
from experiments.processes.progress import duration
from experiments.survey import SurveyInterrupted, stopping
from experiments.sweeps.study import SweepStudy
from experiments.sweeps.study_file import read_study
from experiments.sweeps.sweeping import SweepCost, Swept, plan, run_sweep


def sweep_command(
    path: Path,
    out: Path,
    *,
    executor: str,
    workers: int,
    planned: bool,
    as_json: bool,
    heatmap: str | None = None,
) -> int:
    """Exit code 1 if a block failed or the executor was lost, 130 or 143 if interrupted."""
    with bad_input():
        at_least("processes", workers, 1)
        study = read_study(path)
        axes = None if heatmap is None else _axes(study, heatmap)
        writable(out)
        if planned:
            _show_plan(study, plan(study, out), workers, as_json=as_json)
            return 0
        try:
            with stopping():
                found = run_sweep(study, out, console(as_json), executor=executor, workers=workers)
        except ExecutorLost as error:
            print_error(error)
            return 1
        except SurveyInterrupted as stop:
            print_error(f"interrupted by {stop}; the same command goes on from there")
            return stop.exit_code
        files = () if axes is None else _drawn(found, *axes, out)
    _show(found, files, as_json=as_json)
    return 1 if found.failures else 0


def _axes(study: SweepStudy, words: str) -> tuple[str, str]:
    """The two axes that are named, which must have values."""
    x, comma, y = words.partition(",")
    if not comma or "," in y:
        raise ValueError(f"--heatmap must be X,Y, two axes of the grid, got {words!r}")
    names = {"row", "problem"} | {name for pair in study.pairs for name, _ in pair.axes} - {"seed"}
    known = {name.removeprefix("set."): name for name in names}
    for name in (x, y):
        look_up("axis of the study", name, known)
    if x == y:
        raise ValueError(f"a heat map has two axes, got {x} twice")
    return x, y


def _drawn(found: Swept, x: str, y: str, out: Path) -> tuple[Path, ...]:
    with styled():
        return save(found.heatmap(x, y), out, f"heatmap-{x}-{y}")


def _show(found: Swept, files: tuple[Path, ...], *, as_json: bool) -> None:
    told = {
        "name": found.study.name,
        "runs": found.study.runs,
        "files": found.study.blocks,
        "reused_files": found.reused,
        "failed_files": len(found.failures),
        "seconds": found.seconds,
        "data": str(found.folder),
        "figures": [str(path) for path in files],
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
    for path in files:
        out.print(f"plot: {escape(str(path))}", highlight=False, soft_wrap=True)


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
