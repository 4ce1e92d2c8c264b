"""``rateproof calibrate``: a cluster's file from measurements, on ranks started here or given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.markup import escape

from algorithms.clusters.cluster import Cluster
from algorithms.clusters.files import written
from algorithms.network.given_session import Session
from algorithms.network.launch import launch_each
from experiments.calibration.measuring import (
    SMALLEST,
    CalibrationFindings,
    CalibrationPlan,
    cluster_from,
    measured,
    require_models,
    ring_prediction,
)
from experiments.commands.console import at_least, bad_input, console, dump, number, print_note
from experiments.commands.launch import on_ranks
from experiments.storage.files import write_atomically


def plan_of(
    name: str, models: Sequence[str], samples: int, largest: int, repeats: int, *, operators: bool
) -> CalibrationPlan:  # fmt: skip
    """Plan as asked for; a model is NAME or NAME=MODULE:ATTRIBUTE.

    Raises:
        ValueError: as :class:`CalibrationPlan`, or a name that is empty.
    """
    if not name.strip():
        raise ValueError(f"name must not be empty, got name={name!r}")
    split = tuple((one.partition("=")[0], one.partition("=")[2]) for one in models)
    return CalibrationPlan(name, split, samples, largest, repeats, operators)


def calibrate_command(plan: CalibrationPlan, ranks: int, out: Path, *, as_json: bool) -> int:
    """On ranks of this machine."""
    with bad_input():
        at_least("ranks", ranks, 2)
        _may_write(out)
        require_models(plan)
        first = replace(plan, models=(), largest=4 * SMALLEST, repeats=3, operators=False)
        print_note(f"starting {ranks} ranks, which takes some seconds")
        endings = launch_each(measured, ((first, ranks), (plan, ranks)), ranks=ranks)
        print_note(_provisional(plan, first, next(endings)[0]))
        ((found, *_),) = endings
        cluster = cluster_from(plan, found, 1, ranks)
    _tell(cluster, found, out, as_json=as_json)
    return 0


def _provisional(plan: CalibrationPlan, first: CalibrationPlan, found: CalibrationFindings) -> str:
    """What a first message says, and what is measured now."""
    coded = ", operators" if plan.operators else ""
    return (
        f"provisional: a message of {first.sizes[-1]} bytes takes {found.inside[-1] * 1e6:.3g} us; "
        f"now {plan.repeats} each of messages up to {plan.sizes[-1]} bytes, a ring{coded}, "
        f"{len(plan.models)} models"
    )


def calibrate_on_ranks(plan: CalibrationPlan, out: Path, device: str, patience: float) -> int:
    """On ranks that a launcher started; rank 0 writes the file."""

    def work(ranks: Session) -> int:
        ranks.roll.note("calibrating")
        place = ranks.place
        found = measured(plan, place.local_ranks, ranks.link.device)
        if place.rank == 0:
            machines = place.ranks // place.local_ranks
            _may_write(out)
            _tell(cluster_from(plan, found, machines, place.local_ranks), found, out, as_json=False)
        return 0

    return on_ranks(work, {"plan": str(plan)}, device, patience)


def _may_write(out: Path) -> None:
    if out.suffix != ".toml":
        raise ValueError(f"out must end in .toml, got out={out}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"out must lie in a folder that can be made, got out={out}") from error


def _tell(cluster: Cluster, found: CalibrationFindings, out: Path, *, as_json: bool) -> None:
    write_atomically(out, written(cluster).encode())
    predicted = ring_prediction(cluster, found.ring_bits)
    ratio = predicted / found.ring_seconds if found.ring_seconds else math.nan
    if as_json:
        dump({
            "file": str(out), "source": cluster.source, "machines": cluster.machines,
            "workers": cluster.workers, "network": list(cluster.network),
            "inside": list(cluster.inside), "ring_bits": found.ring_bits,
            "ring_seconds": found.ring_seconds, "ring_predicted": predicted,
        })  # fmt: skip
        return
    for text in (
        f"{cluster.title}: {cluster.source}",
        *(
            f"{name}: {link.segment(link.points[0][0]).alpha * 1e6:.3g} us of start-up, "
            f"{link.throughput(link.points[-1][0]) / 1e9:.3g} Gbit/s at "
            f"{link.points[-1][0] / 8:.3g} bytes"
            for name, link in zip(("network", "inside"), cluster.links(), strict=True)
        ),
        *(f"{name}: {number(one.seconds, 4)} s a step of {one.samples} samples"
          for name, one in cluster.models),
        f"a ring of {cluster.size} workers on {found.ring_bits / 8:.4g} bytes, which no message "
        f"had, took {number(found.ring_seconds, 4)} s; by the file {number(predicted, 4)} s, "
        f"{ratio:.2f} times as long",
        f"written: {out}",
    ):  # fmt: skip
        console(False).print(escape(text), highlight=False, soft_wrap=True)
