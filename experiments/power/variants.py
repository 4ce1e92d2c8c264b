"""``python -m experiments.power.variants [ROW ...]``: effects elsewhere than where they are shown.

Every effect is repeated over another seed, stepsizes and grids times 1.3 and 0.7, n times 1.5 and
0.67, d times 1.25 (:func:`proofs_check.instruments.variants.variants`). A variant holds if the
claimed share is supported and the fault's arm refuted. ``--seed`` measures on another seed, which
may be named several times; ``--kind`` chooses variants by the start of their names; ``--here`` adds
the effect where it is shown; ``--keep`` keeps what is found of every row for its page
(:mod:`proofs_check.instruments.variant_results`), and ``--missing`` takes the rows of which nothing
is kept as they are, so that a run that was stopped goes on. ``--lost`` measures what is kept as not
held again, with more replicas. ``--kept`` lists what is kept, and
``--tuning`` how stepsizes are chosen; neither runs anything.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.table import Table

from algorithms.core.names import look_up
from proofs_check.instruments.effect_check import StepsizeChoice, VariantResult
from proofs_check.instruments.variant_results import (
    KeptVariants,
    current_variants,
    keep,
    keep_again,
)
from proofs_check.instruments.variants import MORE, Variant, variants
from proofs_check.registry import EFFECTS

SEED = 201
"""Seed of the variants where none is named: no setting was chosen by it."""


def main(
    keys: Sequence[str], seeds: Sequence[int], processes: int, here: bool, kind: str, keeps: bool
) -> None:
    """Print a line for every effect and the totals, as they are found; keep them if asked to."""
    console, begin = Console(), time.perf_counter()
    found: list[VariantResult] = []
    with ProcessPoolExecutor(processes) as pool:
        jobs = {pool.submit(measured, key, seed, here, kind): (key, seed)
                for seed in seeds for key in keys}  # fmt: skip
        for job in as_completed(jobs):
            key, seed = jobs[job]
            if (error := job.exception()) is not None:
                console.print(f"{key:22} {seed} stops: {error!r}", highlight=False, soft_wrap=True)
                continue
            results, seconds = job.result()
            console.print(line(key, seed, results, seconds), highlight=False, soft_wrap=True)
            found += results
            if keeps:
                keep(EFFECTS[key], seed, results)
    console.print(totals(found))
    console.print(f"{time.perf_counter() - begin:.0f} s")


def measured(key: str, seed: int, here: bool, kind: str) -> tuple[tuple[VariantResult, ...], float]:
    """An effect's variants, and the seconds that they take."""
    begin, effect = time.perf_counter(), EFFECTS[key]
    asked = (*([Variant("as shown")] if here else []), *variants(seed))
    asked = tuple(one for one in asked if one.name.startswith(kind))
    return tuple(effect.under(one) for one in asked), time.perf_counter() - begin


def again(keys: Sequence[str], processes: int) -> None:
    """Measure the variants of ``keys`` again that are kept as not held, and keep what is found."""
    kept = current_variants(EFFECTS)
    with ProcessPoolExecutor(processes) as pool:
        jobs = {pool.submit(measured_again, kept[key]): key for key in keys}
        for job in as_completed(jobs):
            key = jobs[job]
            if (error := job.exception()) is not None:
                print(f"{key:22} {kept[key].seed} stops: {error!r}", flush=True)
                continue
            found, seconds = job.result()
            print(line(key, kept[key].seed, found, seconds), flush=True)
            keep_again(kept[key], found)


def measured_again(kept: KeptVariants) -> tuple[tuple[VariantResult, ...], float]:
    """The variants that did not hold, with more replicas, and the seconds that they take."""
    begin, effect = time.perf_counter(), EFFECTS[kept.row]
    names = {one.name for one in kept.measured if not one.holds}
    asked = (one for one in variants(kept.seed) if one.name in names)
    found = tuple(effect.under(one._replace(replicas=MORE)) for one in asked)
    return found, time.perf_counter() - begin


def line(key: str, seed: int, found: Sequence[VariantResult], seconds: float) -> str:
    """An effect's line: variants that hold of those that there are, and the others."""
    there = [one for one in found if one.reason is None]
    lost = "; ".join(map(str, (one for one in there if not one.holds)))
    kept = f"{len([one for one in there if one.holds])}/{len(there)}"
    at_most = EFFECTS[key].at_most
    shares = " ".join(f"{one.method.ratio:.3g}" for one in there if one.method is not None)
    return f"{key:22} {seed} {kept:5} {seconds:6.1f} s  {at_most:g}: {shares}  {lost}"


def totals(found: Sequence[VariantResult]) -> Table:
    """By variant: held, not held, and why there is none."""
    table = Table("variant", "hold", "of", "none, because")
    kinds = list(dict.fromkeys(_kind(one) for one in found))
    for kind in kinds:
        mine = [one for one in found if _kind(one) == kind]
        there = [one for one in mine if one.reason is None]
        none = Counter(str(one.reason) for one in mine if one.reason is not None)
        description = ", ".join(f"{count} {reason}" for reason, count in none.most_common())
        table.add_row(kind, str(sum(one.holds for one in there)), str(len(there)), description)
    there = [one for one in found if one.reason is None]
    held = sum(one.holds for one in there)
    share = f" ({held / len(there):.1%})" if there else ""
    table.add_row("all", f"{held}{share}", str(len(there)), "")
    return table


def _kind(one: VariantResult) -> str:
    return "seed" if one.variant.name.startswith("seed") else one.variant.name


def tunings() -> Table:
    """Effects whose sides do not take the best of one grid, by reason."""
    table = Table("stepsizes", "effects", "which")
    for tuning in StepsizeChoice:
        keys = sorted(key for key, effect in EFFECTS.items() if effect.tuning is tuning)
        which = "" if tuning is StepsizeChoice.ONE_GRID else ", ".join(keys)
        table.add_row(tuning.value, str(len(keys)), which)
    return table


def kept() -> Table:
    """What is kept of effects whose setting and claim are still those that were measured."""
    found = current_variants(EFFECTS)
    table = Table("row", "seed", "hold", "of", "not under")
    for row, one in sorted(found.items()):
        lost = "; ".join(str(each) for each in one.measured if not each.holds)
        table.add_row(row, str(one.seed), str(one.held), str(len(one.measured)), lost)
    held = sum(one.held for one in found.values())
    there = sum(len(one.measured) for one in found.values())
    share = f" ({held / there:.1%})" if there else ""
    table.add_row(f"{len(found)} of {len(EFFECTS)} effects", "", f"{held}{share}", str(there), "")
    missing = ", ".join(sorted(EFFECTS.keys() - found.keys()))
    table.add_row("not measured as they are", "", "", "", missing or "none")
    return table


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.power.variants")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--seed", type=int, action="append", help=f"{SEED} if none is named")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--kind", default="", help="how the names of the variants begin")
    parser.add_argument("--keep", action="store_true", help="keep what is found for the pages")
    parser.add_argument("--missing", action="store_true", help="rows of which nothing is kept")
    parser.add_argument("--lost", action="store_true", help="what is kept as not held, again")
    parser.add_argument("--kept", action="store_true", help="list what is kept")
    parser.add_argument("--tuning", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    asked = _asked()
    if asked.tuning:
        Console().print(tunings())
    elif asked.kept:
        Console().print(kept())
    elif asked.lost:
        lost = [row for row, one in current_variants(EFFECTS).items()
                if one.held < len(one.measured)]  # fmt: skip
        again(asked.rows or sorted(lost), asked.processes)
    else:
        done = current_variants(EFFECTS) if asked.missing else {}
        chosen = asked.rows or sorted(EFFECTS.keys() - done.keys())
        for name in chosen:
            look_up("effect of row", name, EFFECTS)
        seeds = asked.seed or [SEED]
        whole = not (asked.here or asked.kind)  # a part of an effect's variants is not kept
        keeps = asked.keep and whole and len(seeds) == 1
        main(chosen, seeds, asked.processes, asked.here, asked.kind, keeps)
