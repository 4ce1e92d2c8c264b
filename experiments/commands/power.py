"""``rateproof power`` and ``check --power``: mutation scores of rows and of one's own objects."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from algorithms.catalogue import ROWS
from algorithms.core.names import look_up
from experiments.commands.console import at_least, bad_input, console, dump, print_note
from experiments.commands.grid import print_table
from experiments.mutation import judges, scores
from experiments.mutation.drawing import folder_mutants, row_mutants
from experiments.mutation.sites import Mutant
from experiments.mutation.standing import MutantStanding
from experiments.mutation.trial import MutationTrial
from proofs_check.audit.loading import imported
from proofs_check.audit.own_folders import NAMESPACE, PACKAGES, own_name

_SPARE = 3  # mutants drawn for one that is wanted: some are computed nowhere
_NONE = (MutantStanding.SAME.value, MutantStanding.DEAD.value)


def kept_scores(as_json: bool) -> int:
    """Print the scores that are kept, by row."""
    kept = scores.stored()
    if as_json:
        dump(kept)
    else:
        heads, lines = _overview(kept)
        print_table(console(False), heads, lines)
    return 0


def power_of(
    name: str, *, mutants: int, seed: int, most: float, as_json: bool, keep: bool = False
) -> int:
    """Print the score of a row, or of MODULE:ATTRIBUTE; a row's may be kept.

    Of one's own, faults lie in its module, and are judged by what ``check`` says of it but on
    ranks, a theorem's by ``refute``.
    """
    print_note(_known(name, scores.stored(), seed))
    with bad_input():
        trial, drawn = _drawn(name, seed, mutants, most)
        print_note(
            f"{len(drawn)} faults drawn, of which the first {mutants} that checks compute are "
            "judged; first the checks, each on the code as it is"
        )
        torch.set_num_threads(1)  # each mutant is judged in a fork
        outcomes = trial.outcomes(drawn, mutants)
    found = scores.record(outcomes, seed, name)
    _show(name, found, as_json)
    if keep and ":" not in name:
        scores.keep(name, found)
    return 0


def _known(name: str, kept: Mapping[str, Any], seed: int) -> str:
    """What is known before anything is measured: the kept score, or that of the rows that have one,
    which were drawn and of which none was chosen."""
    if (own := kept.get(name)) is not None:
        return f"kept of {name}: {scores.share(own)} faults seen; now measured on seed {seed}"
    every = {key: sum(one[key] for one in kept.values()) for key in ("faults", "seen")}
    return (
        f"no score of {name} is kept; checks of the {len(kept)} rows that were scored see "
        f"{scores.share(every)} faults; now measured on seed {seed}"
    )


def _drawn(name: str, seed: int, count: int, most: float) -> tuple[MutationTrial, list[Mutant]]:
    """Mutants of a row or of one's own, and the trial that judges them.

    Raises:
        ValueError: no such row or object, a number that is too small, or no code to change.
    """
    at_least("mutants", count, 1)
    if not most > 0:
        raise ValueError(f"seconds must be positive, got seconds={most}")
    trial, drawn = (_own if ":" in name else _row)(name, seed, count, most)
    if not drawn:
        raise ValueError(
            f"{name} has no code in its module that a fault could be planted in; the module in "
            "which its class is written would do"
        )
    return trial, drawn


def _row(key: str, seed: int, count: int, most: float) -> tuple[MutationTrial, list[Mutant]]:
    look_up("row", key, {row.key: row for row in ROWS if row.recipe})
    return row_trial(key, most), row_mutants(key, seed, _SPARE * count)


def row_trial(key: str, most: float) -> MutationTrial:
    """Mutants of a row before the cells of its check, each for ``most`` [s] of processor time."""
    return MutationTrial(
        key, (judges.__name__, judges.judges_of_row.__name__), PACKAGES, most, _note,
        (judges.__name__, judges.content_of_row.__name__),
    )  # fmt: skip


def _own(name: str, seed: int, count: int, most: float) -> tuple[MutationTrial, list[Mutant]]:
    imported(name)
    module = own_name(name.partition(":")[0])
    ours = (*PACKAGES, NAMESPACE, module.partition(".")[0])
    trial = MutationTrial(name, (judges.__name__, judges.judges_of_own.__name__), ours, most, _note)
    file = Path(str(sys.modules[module].__file__))
    return trial, folder_mutants(module, file, seed, _SPARE * count)


def _note(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _show(name: str, found: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        dump(found)
        return
    screen = console(False)
    outcomes = ", ".join(f"{count} {kind}" for kind, count in found["outcomes"].items())
    screen.print(f"{name}: {scores.share(found)} faults seen; {outcomes}", highlight=False)
    for one in scores.survivors(found):
        where = f"{one['file']}:{one['line']} {one['kind']}: {one['before']} -> {one['after']}"
        screen.print(f"  {one['standing']}: {where}; {one['why']}", highlight=False, markup=False)


def _overview(kept: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and lines of the table of kept scores."""
    lines: list[tuple[str, ...]] = []
    for name, one in kept.items():
        outcomes = one["outcomes"]
        hard = outcomes.get("raised", 0) + outcomes.get("timeout", 0)
        none = sum(outcomes.get(one, 0) for one in (*_NONE, scores.BY_READING))
        lines.append((name, scores.share(one), str(hard), str(none), str(one["seconds"])))
    faults, seen = (sum(one[key] for one in kept.values()) for key in ("faults", "seen"))
    lines.append(("all", scores.share({"faults": faults, "seen": seen}), "", "", ""))
    return ("row", "seen", "raised or too long", "no faults", "processor seconds"), lines
