"""``python -m experiments.launch``: commands on ranks that a launcher started."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import torch
import typer

from algorithms.engine.noted_records import mean_model
from algorithms.engine.run import run
from algorithms.network.given_ranks import chosen_link, given_place
from algorithms.network.given_session import PortTaken, RanksDiffer, Session, session
from algorithms.network.phases import PhaseClock
from algorithms.network.sharded import Sharded
from algorithms.runner.checkpointed_run import CheckpointedRun, Checkpoints, checkpointed_run
from experiments.commands.console import BAD_INPUT, REFUTED, at_least, print_error
from experiments.ranks.crossval import build
from experiments.ranks.launcher_cases import GivenCase, given_cases
from experiments.storage.files import write_atomically
from proofs_check.methods.on_given_ranks import FoundOnRanks, on_given_ranks, seconds_on_ranks
from proofs_check.verdict import Outcome

_HOUSE = Path(__file__).parents[2]
_PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")


def crossval_on_ranks(
    keys: Sequence[str], problems: Sequence[str], *, steps: int, workers: int, out: Path,
    device: str, patience: float,
) -> int:  # fmt: skip
    """Rows on these ranks against the simulation; exit code 1 if one differs."""

    def work(ranks: Session) -> int:
        place, link = ranks.place, ranks.link
        todo = given_cases(keys, problems, place.ranks, workers, steps, link.device)
        clock = PhaseClock(ranks.link.device)
        ranks.roll.clock = clock
        description: list[dict[str, object]] = []
        failed = False
        for one in todo:
            ranks.roll.note(f"{one.case.row} on {one.problem}")
            try:
                found = on_given_ranks(one.case, one.single, one.counted, link, clock)
            except ValueError as error:  # on all ranks alike
                failed = True
                if place.rank == 0:
                    description.append(
                        {"row": one.case.row, "problem": one.problem, "failed": str(error)}
                    )
                    _write(out, description)
                    print_error(f"{one.case.row} on {one.problem}: {error}")
                continue
            if ranks.place.rank == 0:
                failed |= any(v.outcome is Outcome.REFUTED for v in found.verdicts)
                description.append(_record(one, found, ranks))
                _write(out, description)
                _tell(one, found)
        return REFUTED if failed else 0

    if out.suffix not in (".json", ".parquet"):
        print_error(f"out must end in .json or .parquet, got out={out}")
        return BAD_INPUT
    words = {"steps": steps, "workers": workers, "rows": ",".join(keys), "on": ",".join(problems)}
    return on_ranks(work, {name: str(value) for name, value in words.items()}, device, patience)


def run_on_ranks(
    key: str, name: str, *, steps: int, workers: int, replicas: int, seed: int, reduce: bool,
    out: Path, device: str, patience: float, kept: tuple[Path, int] | None = None,
) -> int:  # fmt: skip
    """One row on these ranks; the file holds its series, its bill and its seconds, or of a run that
    is ``kept`` in a folder every so many steps, its series."""

    def work(ranks: Session) -> int:
        method, built = build(key, name, ranks.place.ranks * workers, steps)
        clock = PhaseClock(ranks.link.device)
        ranks.roll.clock = clock
        ranks.roll.note(f"{key} on {name}")
        network = Sharded(built.n, reduce=reduce, device=ranks.link.device, phases=clock)
        placed = built.to(ranks.link.device)
        if kept is not None:
            found = checkpointed_run(
                method, placed, steps=steps, kept=Checkpoints(*kept), seed=seed,
                replicas=replicas, network=network,
                watch=lambda models: float(
                    placed.value(mean_model(method, network, models)).mean() - (placed.f_star or 0)
                ),
            )  # fmt: skip
            if ranks.place.rank == 0:
                _tell_kept(out, key, name, method.name, found)
            return 0
        trace = run(method, placed, steps=steps, seed=seed, replicas=replicas, network=network)
        seconds = seconds_on_ranks(clock, ranks.link)
        if ranks.place.rank == 0:
            description = {
                "row": key,
                "method": method.name,
                "problem": name,
                "n": built.n,
                "ranks": ranks.place.ranks,
                "steps": trace.steps.tolist(),
                "suboptimality": trace.suboptimality.mean(0).tolist(),
                "sent_bits": trace.sent_bits.mean(0).tolist(),
                "received_bits": trace.received_bits.mean(0).tolist(),
                "seconds of a step": dict(seconds.mean),
                "seconds of a step, slowest rank": dict(seconds.slowest),
            }
            write_atomically(out, json.dumps(description, indent=1).encode())
            spent = ", ".join(f"{phase} {1e3 * s:.3g}" for phase, s in seconds.mean.items())
            last = trace.suboptimality[:, -1].mean()
            print(f"{method.name} on {name}: f(x_T) - f* = {last:.4g}; ms a step: {spent}")
        return 0

    words = {"row": key, "problem": name, "steps": steps, "workers": workers, "seed": seed}
    return on_ranks(work, {word: str(value) for word, value in words.items()}, device, patience)


def _tell_kept(out: Path, key: str, name: str, method: str, found: CheckpointedRun) -> None:
    description = {
        "row": key, "problem": name, "method": method, "began at step": found.began,
        "steps": sorted(found.seen), "suboptimality": [found.seen[t] for t in sorted(found.seen)],
    }  # fmt: skip
    write_atomically(out, json.dumps(description, indent=1).encode())
    last = max(found.seen, default=0)
    print(
        f"{method} on {name}: from step {found.began} on; "
        f"f(x_{last}) - f* = {found.seen.get(last, float('nan')):.4g}"
    )


def on_ranks(
    work: Callable[[Session], int], words: dict[str, str], device: str, patience: float
) -> int:
    """``work`` on all ranks, which were told the same ``words`` and run the same code; only rank 0
    says what is wrong with either."""
    first = os.environ.get("RANK", "0") == "0"
    try:
        at_least("workers", int(words.get("workers", "1")), 1)
        at_least("steps", int(words.get("steps", "1")), 1)
        place = given_place(os.environ)
        link = chosen_link(place, torch.cuda.device_count(), device)
        torch.set_num_threads(1)
        code = 0
        with session(place, link, words | versions(), patience) as ranks:
            try:
                code = work(ranks)
            except ValueError as error:  # on all ranks alike
                code = BAD_INPUT
                if first:
                    print_error(error)
        return code
    except (PortTaken, RanksDiffer, TimeoutError, ValueError) as error:
        if first or isinstance(error, TimeoutError):
            print_error(error)
        return BAD_INPUT
    except KeyboardInterrupt as error:
        raise typer.Exit(130) from error


def versions() -> dict[str, str]:
    """Versions that must agree on all ranks: the project's code, as a hash, Python and torch."""
    digest = hashlib.blake2b(digest_size=8)
    for package in _PACKAGES:
        for file in sorted((_HOUSE / package).rglob("*.py")):
            digest.update(str(file.relative_to(_HOUSE)).encode() + file.read_bytes())
    return {
        "code": digest.hexdigest(),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def _record(one: GivenCase, found: FoundOnRanks, ranks: Session) -> dict[str, object]:
    """One line of the file."""
    flat: dict[str, object] = {
        "row": one.case.row,
        "problem": one.problem,
        "ranks": ranks.place.ranks,
        "machines": ranks.place.ranks // ranks.place.local_ranks,
        "backend": ranks.link.backend,
        "device": ranks.link.device,
        "steps": one.case.steps,
    }
    for name, verdict in found.named.items():
        flat |= {
            name: verdict.outcome.value,
            f"{name}: statistic": verdict.statistic,
            f"{name}: bound": verdict.bound,
            f"{name}: evidence": verdict.evidence,
        }
    for phase, spent in found.seconds.mean.items():
        flat[f"{phase} [s]"] = spent
        flat[f"{phase}, slowest rank [s]"] = found.seconds.slowest[phase]
    return flat


def _write(out: Path, description: list[dict[str, object]]) -> None:
    if out.suffix == ".parquet":
        content = pd.DataFrame(description).to_parquet()
    else:
        content = json.dumps(description, indent=1).encode()
    write_atomically(out, content)


def _tell(one: GivenCase, found: FoundOnRanks) -> None:
    """A line for each row, and more of what is refuted."""
    description = ", ".join(f"{name} {one.outcome.value}" for name, one in found.named.items())
    spent = ", ".join(f"{phase} {1e3 * s:.3g}" for phase, s in found.seconds.mean.items())
    print(f"{one.case.row} on {one.problem}: {description}; ms a step: {spent}", flush=True)
    for verdict in found.verdicts:
        if verdict.outcome is Outcome.REFUTED:
            print(f"  refuted: {verdict.claim}: {verdict.evidence}", file=sys.stderr, flush=True)
