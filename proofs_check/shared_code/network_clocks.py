"""Closed forms of the hours of workers: a clock in plain arithmetic, the time model as it is
written, who is waited for in vain, and networks without a common clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.nonzero import NonZero
from algorithms.core.key import Key
from algorithms.network.base import Network, pack
from algorithms.network.clock import Clock
from algorithms.network.point_to_point import PointToPointNetwork
from algorithms.network.simulated import Simulated
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.topologies.base import Neighbours
from proofs_check.instruments.evidence import identity
from proofs_check.methods.plain_clock import PlainClock
from proofs_check.shared_code.drawn_networks import (
    EVERY_ROW,
    alike,
    circulant,
    doubly_stochastic,
    numbers,
)
from proofs_check.verdict import Verdict
from theory.seconds.costs import AlphaBeta

_N = 5
_IDS = torch.tensor([0, 3, 7])
_ROUNDS = 12
_SLOW = replace(STANDARD, link=AlphaBeta(0.5, 2.0**-7))
_LISTED = 64 + 2  # bits of a value with its place among four
_HALF_MILLISECOND = 5e-4
_NAMED = "seed 17"
_SUMMED = 2 * 30 * _ROUNDS * 2.0**-53
"""Rounding of two sums, each of at most thirty positive times a round, relative to the sum."""


def hours_of_workers() -> tuple[Verdict, ...]:
    """Drawn work and messages on a stopwatch and on a clock in plain arithmetic."""
    found, due, counted, gradients = list[float](), list[float](), list[float](), list[float]()
    speeds = torch.from_numpy(numbers(70).uniform(0.25, 4.0, (_N, _N)))
    for number, (timing, links) in enumerate(
        ((STANDARD, None), (_SLOW, None), (_SLOW, speeds))
    ):  # fmt: skip
        given = timing, _N, Key.seed(number), _IDS, links
        stopwatch, plain = Stopwatch(*given), PlainClock(*given)
        for _ in zip(_life(stopwatch, number), _life(plain, number), strict=True):
            found += stopwatch.seconds.tolist()
            due += plain.seconds.tolist()
        counted += stopwatch.worked.double().reshape(-1).tolist()
        gradients += plain.worked.double().reshape(-1).tolist()
    latest = np.array(due)
    uniforms = Key.seed(2).draws(_IDS, torch.arange(_N))
    rest = np.log1p(-uniforms.uniform(9, torch.float64).numpy())
    stated = _HALF_MILLISECOND * (1 - rest)
    times = STANDARD.times.seconds(uniforms, 9).numpy()
    return (
        identity(
            "hours of workers", "they are those of a clock in plain arithmetic",
            np.array(found) / latest, np.ones(len(found)), check="plain clock",
            tolerance=_SUMMED, provenance=_NAMED,
        ),
        identity(
            "hours of workers", "gradients are counted worker by worker", counted, gradients,
            check="plain clock", tolerance=0.0, provenance=_NAMED,
        ),
        identity(
            "the survey's time model", "half a millisecond and an exponential rest of that mean",
            times / stated, np.ones(times.shape), check="as written", tolerance=2.0**-51,
            provenance="numpy's log1p of the same uniforms",
        ),
    )  # fmt: skip


def _life(clock: Clock, number: int) -> Iterator[None]:
    """Work of several gradients, more than are drawn together, between messages of all kinds; after
    each it halts."""
    for t in range(_ROUNDS):
        rng = numbers(number, t, 71)
        gradients, bits = int(rng.integers(1, 12)), int(rng.integers(1, 200))
        some = torch.from_numpy(rng.random((len(_IDS), _N)) > 0.4)
        lengths = torch.from_numpy(rng.integers(1, 200, (len(_IDS), _N)))
        others = 1 - torch.eye(_N).long()
        yield clock.work(gradients)
        yield clock.work(2, some)
        yield clock.exchange(bits, torch.from_numpy(rng.integers(0, 2, (_N, _N))) * others)
        each = torch.from_numpy(rng.integers(0, 2, (len(_IDS), _N, _N)))
        yield clock.exchange(lengths, each * others)
        yield clock.down(bits)
        yield clock.up(lengths * some, some.long(), some)
        with clock.paused():
            yield clock.work(3)
        with clock.overlapped():
            clock.up(bits, 1)
        yield clock.work()
        yield clock.up(bits, 1)
        yield clock.down(lengths, torch.ones_like(lengths))


def served_hours() -> tuple[Verdict, ...]:
    """Those who send to a server go on when the last of them is heard, one who is answered when its
    answer is there; others, and nobody, wait for none."""
    found, due, link = list[float](), list[float](), _SLOW.link
    ids = np.array([[4, 0, _N], [1, _N, 2], [_N, _N, _N]])
    active = torch.from_numpy(ids)
    x = numbers(73).standard_normal((*ids.shape, 4)) * (numbers(74).random((*ids.shape, 4)) > 0.3)
    took = link.alpha + link.beta * _LISTED * (x != 0).sum(-1)
    for answers in (False, True):
        network = Simulated(_N)
        network.stopwatch = Stopwatch(_SLOW, _N, Key.seed(1), _IDS)
        senders = torch.full_like(active, _N) if answers else active
        packet = pack(NonZero(), torch.from_numpy(x), Key.seed(2), _IDS, senders)
        _ = network.answer(packet, active) if answers else network.collect(packet, active)
        hours = np.zeros((len(_IDS), _N))
        for r, own in enumerate(ids):
            there = own < _N
            last = took[r, there].max(initial=0.0)
            hours[r, own[there]] = took[r, there] if answers else last
        found += network.stopwatch.clocks.ravel().tolist()
        due += hours.ravel().tolist()
    return (
        identity(
            "hours of workers", "senders wait for the last of them, the answered for their own",
            found, due, check="loops over workers", tolerance=2.0**-51, provenance=_NAMED,
        ),
    )  # fmt: skip


def waited_in_vain() -> tuple[Verdict, ...]:
    """Workers that never arrive are named with their replica, at a barrier and among neighbours;
    networks of ranks without a common clock refuse what needs all."""
    said, told = list[str](), list[str]()
    for replica, gone in ((0, (1,)), (2, (0,)), (1, (2, 4)), (2, (3,))):
        for barrier, w in (
            ("BSP", None), ("gossip", circulant(numbers(3, 72), _N, 3)),
            ("gossip", doubly_stochastic(numbers(1, 72), _N, 3)),
        ):  # fmt: skip
            clock = Stopwatch(STANDARD, _N, Key.seed(1), _IDS)
            clock.work(3)
            clock.clocks[replica, list(gone)] = math.inf
            try:
                if w is None:
                    clock.up(64, 1)
                else:
                    clock.exchange(64, torch.from_numpy((w != 0) & ~np.eye(_N, dtype=bool)).long())
                said.append("nobody")
            except WorkerLost as error:
                said.append(str(error).split(",")[0] if len(gone) == 1 else str(error)[:70])
            shown = ", ".join(map(str, gone))
            sentence = f"{barrier} waits for ever at step 2 (replica {replica}) for worker {shown}"
            told.append(sentence if len(gone) == 1 else f"{sentence}, which died or stalls"[:70])
    everyone = torch.arange(_N)
    for held in ([0], [3], [1, 2]):
        network = PointToPointNetwork(_N, torch.tensor(held))
        here = [int(worker in held) for worker in range(_N)]
        place = [worker - held[0] if worker in held else 0 for worker in range(_N)]
        local, position = network.is_local(everyone), network.position(everyone)
        said.append(str((network.n, network.server.tolist(), network.workers.tolist())))
        told.append(str((_N, [_N], held)))
        said.append(str((local.long().tolist(), position.tolist())))
        told.append(str((here, place)))
        said.append(str(tuple(network.account().sent_bits.shape)))
        told.append(str((len(held),)))
        for name, ask in _collectives():
            try:
                ask(network)
                said.append("done")
            except RuntimeError as error:
                said.append(str(error))
            told.append(f"{name} needs all ranks at once, and these have no common clock")
    return (
        alike(
            "networks", "who is waited for in vain is named, and what needs all is refused", said,
            told, check="planted places", provenance=_NAMED,
        ),
    )  # fmt: skip


def _collectives() -> Iterator[tuple[str, Callable[[Network], object]]]:
    everyone = torch.arange(_N)
    rows = torch.ones(len(_IDS), _N, 2, dtype=torch.float64)
    packet = pack(Identity(), rows, Key.seed(1), _IDS, everyone)
    yield "average", lambda net: net.average(packet)
    yield "gather", lambda net: net.gather(packet)
    yield "publish", lambda net: net.publish(packet)
    yield "mix", lambda net: net.mix(packet, Neighbours(np.eye(_N)))
    yield "receive", lambda net: net.receive(packet, everyone[:, None])
    yield "collect", lambda net: net.collect(packet, everyone)
    yield "answer", lambda net: net.answer(packet, everyone)
    yield "mean_over_workers", lambda net: net.mean_over_workers(rows)


CLOSED_FORMS = (hours_of_workers, served_hours, waited_in_vain)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: their modelled seconds are added up by this stopwatch."""
