"""Whether a simulated cell of Table IV stands under another seed, horizon or first stepsize.

``python -m proofs_check.table_iv.variants [CELL ...]`` runs the exponent of T of cells that exact
moments do not give, as they are and with one thing changed each, prints the standings and keeps
them beside this file (``--dry``: prints them only). Without a name it runs those of which nothing
is kept as they are. The survey reads them, and runs none of it; it
takes no notice of one whose trial was changed since.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from proofs_check.facts import VariantFacts
from proofs_check.instruments.standings import standing
from proofs_check.table_iv.trial import TableTrial
from proofs_check.verdict import Verdict
from theory.survey.classification import Objective

PATH = Path(__file__).with_name("variant_results.json")
"""Where they are kept: by trial, one line each."""

Measure = Callable[[TableTrial, int], Verdict]
"""The verdict on a trial's exponent of T, run on a seed."""

_FACTOR = 4
_OTHER_SEED = 1000


def changed(trial: TableTrial) -> dict[str, tuple[TableTrial, int]]:
    """The trial with one thing changed each, and by how much its seed is moved.

    Longer horizons keep the c of gamma = c sqrt(n/T), whose first stepsize is that of the shortest.
    """
    falls = math.sqrt(_FACTOR) if trial.objective is Objective.NONCONVEX else 1.0
    return {
        f"seed + {_OTHER_SEED}": (trial, _OTHER_SEED),
        f"T x {_FACTOR}": (
            replace(trial, steps=trial.steps * _FACTOR, first=trial.first / falls), 0
        ),
        f"first stepsize x {_FACTOR}": (replace(trial, first=trial.first * _FACTOR), 0),
        f"first stepsize / {_FACTOR}": (replace(trial, first=trial.first / _FACTOR), 0),
    }  # fmt: skip


def measured_variants(trial: TableTrial, seed: int, measure: Measure) -> Iterator[VariantFacts]:
    """The exponent of T with one thing changed each."""
    for name, (there, moved) in changed(trial).items():
        verdict = measure(there, seed + moved)
        slope, half = verdict.statistic, verdict.uncertainty
        yield VariantFacts(
            name, math.nan if slope is None else slope, math.nan if half is None else half,
            str(standing(verdict)),
        )  # fmt: skip


def kept_variants(trial: TableTrial) -> tuple[VariantFacts, ...]:
    """What was measured of the trial as it is; nothing where it was changed since."""
    entry = _kept().get(trial.name)
    if entry is None or entry["setting"] != setting_of(trial):
        return ()
    return tuple(
        VariantFacts(
            one["name"], _number(one["slope"]), _number(one["half_width"]), one["standing"]
        )
        for one in entry["variants"]
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def setting_of(trial: TableTrial) -> str:
    """What a trial is measured on, in words."""
    return (
        f"{trial.row.key}, {trial.problem}, n = {trial.n}, {trial.steps} steps, first stepsize "
        f"{trial.first:g}/L, {trial.replicas} replicas"
    )


def keep(trial: TableTrial, seed: int, found: tuple[VariantFacts, ...]) -> None:
    """Keep a trial's variants in place of what was kept of it."""
    kept = [
        {k: None if isinstance(v, float) and math.isnan(v) else _short(v)
         for k, v in asdict(one).items()} for one in found
    ]  # fmt: skip
    entry = {"setting": setting_of(trial), "seed": seed, "variants": kept}
    every = {**_kept(), trial.name: entry}
    lines = [f"{json.dumps(name)}: {json.dumps(every[name])}" for name in sorted(every)]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    _kept.cache_clear()


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


@cache
def _kept() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return stored


def main(names: list[str], *, dry: bool) -> int:
    """Run, print and keep the variants of the named trials, else of the simulated ones of which
    nothing is kept; 2 if there is no such trial."""
    from proofs_check.table_iv.exact import runs_exactly
    from proofs_check.table_iv.measure import run_result
    from proofs_check.table_iv.trials import SEED, TRIALS

    simulated = [one for one in TRIALS.values() if not runs_exactly(one, "T")]
    unknown = set(names) - {one.name for one in simulated}
    if unknown:
        print(f"no simulated cell is called {', '.join(sorted(unknown))}; there are:")
        print(*(one.name for one in simulated), sep="\n")
        return 2

    def measure(trial: TableTrial, seed: int) -> Verdict:
        return run_result(trial, "T", trial.replicas, seed).verdicts[0]

    chosen = [one for one in simulated
              if one.name in names or not (names or kept_variants(one))]  # fmt: skip
    for trial in chosen:
        begin, own = time.perf_counter(), standing(measure(trial, SEED))
        found = tuple(measured_variants(trial, SEED, measure))
        other = [one for one in found if one.standing != str(own)]
        seen = "; ".join(f"{one.name} {one.slope:.3f} {one.standing}" for one in other)
        print(f"{trial.name}: {own}; changes: {seen or 'none'} "
              f"({time.perf_counter() - begin:.0f} s)", flush=True)  # fmt: skip
        if not dry:
            keep(trial, SEED, found)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m proofs_check.table_iv.variants")
    parser.add_argument("cells", nargs="*", metavar="CELL")
    parser.add_argument("--dry", action="store_true")
    asked = parser.parse_args()
    sys.exit(main(asked.cells, dry=asked.dry))
