"""``rateproof tune``: the best of a stated grid, printed and kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

from algorithms.catalogue import METHODS, Row, entry_called, problem, row
from algorithms.tuning.grid import Best, Budget, search
from algorithms.tuning.stored import written
from experiments.commands.console import bad_input, console, dump, writable_file
from experiments.storage.files import write_atomically


def tune_command(
    keys: Sequence[str], names: Sequence[str], keep: Path | None, *, as_json: bool
) -> int:
    """Exit code 0; what has no finite error on the grid is told and left out."""
    with bad_input():
        todo = _todo(keys, names)
        if keep is not None:
            writable_file("keep", keep)
            written({}, Budget(), keep)  # refuses a file that holds something else
    found: dict[str, dict[str, Best]] = {}
    out = console(as_json)  # answers as they come; beside JSON on standard error
    for number, (one, name) in enumerate(todo, start=1):
        head = f"[{number}/{len(todo)}] {one.key} on {name}"
        try:
            best = search(one, problem(name, Budget().n))
        except ValueError as error:
            out.print(f"{head}: {error}", markup=False, highlight=False, soft_wrap=True)
            continue
        found.setdefault(one.key, {})[name] = best
        step = "no stepsize" if best.power is None else f"gamma = 2^{best.power} / L"
        description = ", ".join(
            [step, *(f"{key} = {value:g}" for key, value in best.settings.items())]
        )
        out.print(
            f"{head}: {description}; {best.score:.3g}, {best.places} places",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
        if keep is not None:  # nothing is lost where it is interrupted
            write_atomically(keep, written(found, Budget(), keep).encode())
    if as_json:
        dump(
            {key: {name: asdict(one) for name, one in mine.items()} for key, mine in found.items()}
        )
    return 0


def _todo(keys: Sequence[str], names: Sequence[str]) -> list[tuple[Row, str]]:
    """Rows with the problems that they are tuned on.

    Raises:
        ValueError: an unknown row or problem, or a row named that does not run on one of those.
    """
    wanted = {entry_called(name).name for name in names}
    chosen = [row(key) for key in keys] or METHODS
    todo = []
    for one in chosen:
        one.ready()
        if keys and wanted:
            for name in wanted:
                one.require_fit(problem(name, Budget().n))
            todo += [(one, name) for name in sorted(wanted)]
        else:
            todo += [(one, name) for name in one.problems if _meant(name, wanted)]
    return todo


def _meant(name: str, wanted: Collection[str]) -> bool:
    return name in wanted if wanted else not name.startswith("mlp")
