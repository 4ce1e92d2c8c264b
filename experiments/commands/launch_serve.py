"""``python -m experiments.launch serve``: ranks without a common clock."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.alone import alone
from algorithms.network.given_session import Session
from algorithms.runner.kept_record import KeptRecord
from algorithms.runner.unclocked_run import Unclocked
from experiments.commands.console import REFUTED
from experiments.commands.launch import on_ranks
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.style import save, styled
from experiments.ranks.crossval import build
from experiments.storage.files import write_atomically
from proofs_check.methods.on_given_ranks import seconds_on_ranks
from proofs_check.methods.served_equivalence import ServedFound, served, servers_of
from proofs_check.verdict import Outcome


def error_by_seconds(key: str, found: ServedFound) -> Figure:
    """Error against seconds as they passed and as they were predicted, with the deviation."""
    seconds = next(verdict for verdict in found.verdicts if verdict.check == "seconds")
    passed, guessed = seconds.bound, seconds.statistic
    assert passed is not None and guessed is not None
    off = f"{guessed / passed - 1:+.1%}" if passed > 0 else "no seconds"
    lines = (
        DrawnLine("without a clock, as it happened", found.seconds, found.errors),
        DrawnLine("simulated, with the first half's times", found.predicted_seconds,
                  found.predicted_errors),
    )  # fmt: skip
    title = f"{key} on {seconds.problem}: seconds to half-way off by {off}"
    return lines_figure(LineCurves(title, "seconds", "$f(x_t)-f^\\star$", lines))


def serve_on_ranks(
    key: str, name: str, *, steps: int, servers: int, seed: int, record: Path | None, out: Path,
    patience: float, kept: tuple[Path, int] | None = None,
) -> int:  # fmt: skip
    """One row without a common clock, ``kept`` in a folder every so many updates; exit code 1 if
    its replay differs."""

    def work(ranks: Session) -> int:
        workers = ranks.place.ranks - servers
        if workers < 1:
            raise ValueError(
                f"servers must be fewer than the {ranks.place.ranks} ranks, got servers={servers}"
            )
        method, problem = build(key, name, workers, steps)
        if not isinstance(method, ParameterServer | Unclocked):
            raise ValueError(
                "row must be a parameter server, downpour, easgd:async, async-admm, ad-psgd or "
                f"gossiping-sgd, which need no common clock, got {key}: {method.name}"
            )
        holding = servers if servers_of(method) else 0
        if not holding:
            method, problem = build(key, name, ranks.place.ranks, steps)
            assert isinstance(method, Unclocked)
        clock = ranks.apart()
        ranks.roll.note(f"{key} on {name}")
        words = {
            "row": key, "problem": name, "n": str(problem.n), "servers": str(holding),
            "seed": str(seed), "method": repr(replace(method, ticks=1)),
        }  # fmt: skip
        folder = None if kept is None else KeptRecord(*kept, words)
        with nullcontext() if kept is None else alone(kept[0]):
            found = served(key, method, problem, holding, seed, clock, folder)
        spent = seconds_on_ranks(clock, ranks.link)
        if found.record is None:
            return 0
        told = {
            "verdicts": [verdict.record() for verdict in found.verdicts],
            "seconds": found.seconds.tolist(),
            "errors": found.errors.tolist(),
            "predicted seconds": found.predicted_seconds.tolist(),
            "predicted errors": found.predicted_errors.tolist(),
            "seconds of a step": dict(spent.mean),
            "seconds of a step, slowest rank": dict(spent.slowest),
        }
        write_atomically(out, json.dumps(told, indent=1).encode())
        with styled():
            save(error_by_seconds(key, found), out.parent, out.stem)
        if record is not None:
            write_atomically(record, found.record.to_json().encode())
        for verdict in found.verdicts:
            print(f"{key}, {verdict.check}: {verdict.outcome.value}; {verdict.evidence}")
        return REFUTED if any(v.outcome is Outcome.REFUTED for v in found.verdicts) else 0

    words = {"row": key, "problem": name, "updates": steps, "servers": servers, "seed": seed}
    return on_ranks(work, {word: str(value) for word, value in words.items()}, "cpu", patience)
