"""Ranks without a common clock: what happened is replayed by the simulation to the same bits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.random_mask import RandomMask
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import RunContext
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.methods.parts.asynchronous_gossip import AsynchronousGossip
from algorithms.network.launch import launch
from algorithms.network.simulated import Simulated
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.runner.unclocked_run import Unclocked, UnclockedRun, unclocked_run
from algorithms.synchronisation.barriers import Asynchronous, Deadline, PartialBarrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.recorded import (
    CountedByWorker,
    Recorded,
    RecordedTick,
    ScheduleRecord,
)
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from theory.stepsizes import ConstantStep, InverseRootStep

RANKS, T, D, SEED = 4, 42, 7, 5
STEP, TIMES = ConstantStep(0.05), Constant()
CASES: dict[str, Unclocked] = {
    "EASGD": AsyncEASGD(STEP, T, TIMES, 0.2),
    "EAMSGD, now and then": AsyncEASGD(STEP, T, TIMES, 0.2, period=3, momentum=0.5),
    "Downpour": Downpour(STEP, T, TIMES, 2, 3, compressor=EliasQSGD(4)),
    "ADMM, nobody waits": StarADMM(STEP, T, TIMES, Asynchronous()),
    "ADMM, partial barrier": StarADMM(
        STEP, T, TIMES, PartialBarrier(2, 3), SoftThreshold(0.01)
    ),
    "AD-PSGD": ADPSGD(STEP, T, TIMES, Complete(RANKS)),
    "AD-PSGD, one half calls": ADPSGD(STEP, T, TIMES, Ring(RANKS), bipartite=True),
    "AD-PSGD, compressed": ADPSGD(STEP, T, TIMES, Complete(RANKS), compressor=QSGD(4)),
    "AD-PSGD, masked": ADPSGD(STEP, T, TIMES, Complete(RANKS), compressor=RandomMask(0.5)),
    "pull": GossipingSGD(STEP, T, TIMES, Complete(RANKS), probability=0.5),
    "push": GossipingSGD(STEP, T, TIMES, Complete(RANKS), Direction.PUSH),
}  # fmt: skip
REFUSED: dict[str, Unclocked] = {
    "step_rule must be constant": replace(CASES["EASGD"], step_rule=InverseRootStep(0.1)),
    "barrier must be one that leaves every worker": StarADMM(STEP, T, TIMES, Deadline(1.0)),
}


def meets(method: Unclocked) -> bool:
    return isinstance(method, AsynchronousGossip)


def of(method: Unclocked) -> Problem:
    return Quadratic.strongly_convex(RANKS - (not meets(method)), D, sigma2=1.0, zeta2=1.0)


def refusal(method: Unclocked, problem: Problem) -> str:
    try:
        unclocked_run(method, problem)
    except ValueError as error:
        return str(error)
    return "played"


def play() -> tuple[dict[str, UnclockedRun], list[str]]:
    told = [refusal(method, of(method)) for method in REFUSED.values()]
    told.append(refusal(CASES["EASGD"], of(CASES["pull"])))
    return {name: unclocked_run(method, of(method), SEED) for name, method in CASES.items()}, told


@pytest.fixture(scope="module")
def ranks() -> list[tuple[dict[str, UnclockedRun], list[str]]]:
    return launch(play, ranks=RANKS)


def replayed(method: Unclocked, record: ScheduleRecord) -> Tensor:
    """Models of the replay, of all workers or of the server ``[m, d]``."""
    problem, again = of(method), replace(method, barrier=Recorded(record))
    context = RunContext(
        problem, Simulated(problem.n), Key.seed(SEED), torch.zeros(1, dtype=torch.int64)
    )
    state: Any = again.init(problem.start(), context)
    for t in range(T):
        state = again.step(state, t, context)
    return again.models(state)[0]


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("name", CASES)
def test_the_simulation_replays_what_happened_bit_for_bit(ranks, name: str) -> None:
    method, parts = CASES[name], [found[name] for found, _ in ranks]
    record = parts[0].record
    assert record is not None
    assert ScheduleRecord.from_json(record.to_json()) == record and len(record.ticks) == T
    models = [one.model for one in parts if len(one.model)]
    assert torch.equal(replayed(method, record), torch.stack(models))
    account = run(replace(method, barrier=Recorded(record)), of(method), steps=T, seed=SEED).account
    first = not meets(method)  # rank of worker 0
    for i in range(RANKS - first):
        up = sum(one.received.get(i + first, 0) for one in parts)
        down = sum(parts[i + first].received.values())
        ways = (up, account.sent_bits, account.sent_messages), (
            down, account.received_bits, account.received_messages,
        )  # fmt: skip
        for crossed, bits, messages in ways:
            assert 0 <= 8 * crossed - int(bits[0, i]) <= 7 * int(messages[0, i])
    if meets(method):  # all ranks were told the same, and each worker made its share
        assert all(one.record == record for one in parts)
        made = [i for tick in record.ticks for i in tick.arrivals]
        assert sorted(made.count(i) for i in range(RANKS)) == [10, 10, 11, 11]


@pytest.mark.sharded
@pytest.mark.parametrize("name", ["EASGD", "AD-PSGD", "pull", "ADMM, nobody waits"])
def test_another_order_gives_other_models(ranks, name: str) -> None:
    """Planted: two workers' gradients are taken for each other's."""
    method, record = CASES[name], ranks[0][0][name].record
    n = record.n
    ticks = tuple(
        tick._replace(
            arrivals=tuple((i + 1) % n for i in tick.arrivals),
            starts=tuple((i + 1) % n for i in tick.starts),
        )
        for tick in record.ticks
    )
    models = [found[name].model for found, _ in ranks if len(found[name].model)]
    assert not torch.equal(replayed(method, ScheduleRecord(n, ticks)), torch.stack(models))


@pytest.mark.sharded
def test_what_no_worker_can_know_is_refused(ranks) -> None:
    for _, told in ranks:
        signs = (*REFUSED, "n must be the 3 workers of 4 ranks, one a server, got n=4")
        for sign, sentence in zip(signs, told, strict=True):
            assert re.search(sign, sentence)


@pytest.mark.parametrize("name", ["EASGD", "Downpour", "AD-PSGD", "push"])
def test_draws_by_count_are_those_of_a_record_of_the_same_schedule(name: str) -> None:
    """In the simulation alone: a drawn schedule and its record."""
    method = replace(CASES[name], barrier=CountedByWorker(Asynchronous()))
    plan = method.schedule(of(method).n)
    ticks = tuple(
        RecordedTick(
            (int(plan.arrivals[t, 0, 0]),), (int(plan.versions[t, 0, 0]),),
            (int(plan.starts[t, 0, 0]),), float(plan.seconds[t, 0]),
        )
        for t in range(T)
    )  # fmt: skip
    drawn = run(method, of(method), steps=T, seed=SEED)
    recorded = ScheduleRecord(plan.n, ticks)
    again = run(replace(method, barrier=Recorded(recorded)), of(method), steps=T, seed=SEED)
    assert torch.equal(drawn.model, again.model)
    plain = run(CASES[name], of(method), steps=T, seed=SEED)
    assert not torch.equal(plain.model, again.model)  # other draws of the same law
