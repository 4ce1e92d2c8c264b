"""A parameter server for real: ranks that hold the model, ranks that hold none, no common clock.

Ranks 0, ..., S - 1 are servers and hold a slice of the model each; the others are workers, which
compute on the model that they were given and keep nothing between two gradients. What happened is
recorded, and the simulation of the same method under :class:`Recorded` gives the same iterates.
"""

from __future__ import annotations

from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.parts.delay_compensation import NoCorrection
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.base import pack
from algorithms.network.peer_messages import (
    PeerMessages,
    as_bytes,
    as_numbers,
)
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import place, wait_for_all
from algorithms.network.transport import message_of
from algorithms.optimizers.proximal import NoProximal
from algorithms.problems.base import Problem
from algorithms.runner.kept_record import KeptRecord, Replayed, past_of_server
from algorithms.runner.model_server import GO, ONE, ModelServer, shard
from algorithms.synchronisation.barriers import Asynchronous, BackupWorkers, Bulk
from algorithms.synchronisation.recorded import ScheduleRecord
from algorithms.synchronisation.stale import Stale


@final
class ServedRun(NamedTuple):
    """Result of one rank's run.

    Attributes:
        models: on a server, its slice after 0, 1, ... updates ``[T + 1, slice]``; else empty.
        record: on a server, what happened.
        sent: payload bytes, by rank they went to.
        received: payload bytes that counted, by rank they came from.
        dropped: payload bytes of gradients that were not used.
        past: on a server, what had happened before the run went on.
    """

    models: Tensor
    record: ScheduleRecord | None
    sent: dict[int, int]
    received: dict[int, int]
    dropped: int
    past: ScheduleRecord | None = None


def served_run(
    method: ParameterServer,
    problem: Problem,
    servers: int,
    seed: int = 0,
    clock: PhaseClock | None = None,
    kept: KeptRecord | None = None,
) -> ServedRun:
    """This rank's part in a run of ``method``, one worker on each rank beyond the ``servers``.

    The barrier decides whom the server waits for: bulk synchronous, backup workers (who comes late
    is given the newest model), asynchronous, and stale synchronous with a fetch at every start.
    ``method.times`` is not asked: time passes, and ``clock`` is told what with: a step is a
    worker's gradient, or a server's update. What happened is ``kept``, and gone on from; bytes are
    those from there on.

    Raises:
        ValueError: no server or no worker, workers that are not the problem's n, several servers
            without the uncompressed bulk synchronous method, a barrier or correction that is not
            played for real; what is kept is another run's.
    """
    rank, ranks = place()
    _check(method, problem, servers, ranks)
    clock = clock or PhaseClock()
    past = past_of_server(method, problem, seed, kept)
    with one_thread():
        if rank < servers:
            server = ModelServer(method, problem, servers, seed, clock, kept, past)
            models, record = server.outcome()
            counted = server.messages
            mine = ServedRun(
                models, record, dict(counted.sent), dict(counted.received), server.dropped,
                None if past is None else past.record,
            )  # fmt: skip
        else:
            mine = _worked(method, problem, servers, seed, clock, past)
    wait_for_all()  # a server takes what comes first: nobody may send for another run yet
    return mine


def _check(method: ParameterServer, problem: Problem, servers: int, ranks: int) -> None:
    if not 1 <= servers < ranks:
        raise ValueError(f"servers must lie in [1, {ranks}), got servers={servers}")
    if problem.n != ranks - servers:
        raise ValueError(
            f"n must be the {ranks - servers} workers that {servers} servers leave of {ranks} "
            f"ranks, got n={problem.n}"
        )
    plain = isinstance(method.compressor, Identity) and isinstance(method.proximal, NoProximal)
    if servers > 1 and not (plain and isinstance(method.barrier, Bulk)):
        raise ValueError(
            f"servers must be 1 for {method.name}, got servers={servers}: slices of a model are "
            "kept in step by a bulk synchronous barrier, and of uncompressed gradients"
        )
    if not isinstance(method.correction, NoCorrection):
        raise ValueError(f"correction must be none where time passes, got {method.correction.name}")
    if not isinstance(method.barrier, Bulk | Asynchronous | BackupWorkers | Stale):
        raise ValueError(
            f"barrier must be bulk, asynchronous, backup workers or stale synchronous to be played "
            f"for real, got {method.barrier.name}"
        )


def _worked(
    method: ParameterServer,
    problem: Problem,
    servers: int,
    seed: int,
    clock: PhaseClock,
    past: Replayed | None,
) -> ServedRun:
    """A worker: computes on what it was given, and sends it."""
    rank, _ = place()
    key, messages = Key.seed(seed), PeerMessages(clock)
    slices = [shard(problem.d, servers, s) for s in range(servers)]
    given, begun, word, idle = problem.start(), 0, GO, False
    if past is not None:
        given = past.models[past.now.version[0, rank - servers], 0]
        begun = int(past.now.begun[0, rank - servers]) - 1
        idle = bool(past.now.idle[0, rank - servers])
    while word == GO:
        with clock.stepping(begun):
            if not idle:
                _send_gradient(method, problem, given, begun, key, slices, messages)
            del given  # between two gradients nothing is kept
            idle = False
            answers = [messages.receive(s) for s in range(servers)]
            word = answers[0].word
            given = torch.cat([as_numbers(a.payload, problem.dtype) for a in answers])
        begun += 1
    return ServedRun(torch.empty(0), None, dict(messages.sent), dict(messages.received), 0)


def _send_gradient(
    method: ParameterServer,
    problem: Problem,
    given: Tensor,
    begun: int,
    key: Key,
    slices: list[slice],
    messages: PeerMessages,
) -> None:
    """This worker's gradient number ``begun``, to every server its slice."""
    me = torch.tensor([place()[0] - len(slices)])
    g = problem.gradient(given[None, None], key.fold("gradient", begun).draws(ONE, me))
    if len(slices) > 1:
        for s, where in enumerate(slices):
            messages.send(s, begun, as_bytes(g[0, 0, where]))
        return
    packet = pack(method.compressor, g, key.fold("compress", begun), ONE, me)
    flat = message_of(packet)
    messages.send(0, begun, flat.flat(), int(flat.bits_by_row().sum()))
