"""What hosts cost, beside independent counts: copies of one thread, windows of a coordinator,
hooks."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.schedules.carrier import Carrier, Channel, ChannelRegime
from algorithms.schedules.priority import ByteScheduler
from algorithms.schedules.step import SentTensor, TrainingStep
from algorithms.schedules.wait_free import WAIT_FREE
from tests.algorithms.schedules.drawn import channels, steps
from theory.seconds.servers import threaded_beta


def copied(machines: int, partitions: int) -> float:
    """Seconds until every worker has every partition, counted copy by copy.

    As many servers as workers, each with one thread that takes 1 s a copy of a partition, in or
    out. A worker's thread brings in what has come, else sends the next; a server's takes in what
    has come, and sends a partition to each when all pushed it. Links take no time.
    """
    events: list[tuple[float, int, str, int, int]] = []  # time, order, kind, machine, partition
    count = 0

    def later(time: float, kind: str, machine: int, partition: int) -> None:
        nonlocal count
        count += 1
        heapq.heappush(events, (time, count, kind, machine, partition))

    to_push = [list(range(partitions)) for _ in range(machines)]
    came: list[list[int]] = [[] for _ in range(machines)]  # at workers, to be copied in
    pushed: list[list[int]] = [[] for _ in range(machines)]  # at servers, to be copied in
    answers: list[list[tuple[int, int]]] = [[] for _ in range(machines)]
    sums = [0] * partitions
    busy = dict.fromkeys([(kind, i) for kind in "ws" for i in range(machines)], False)
    now, has = 0.0, [0] * machines

    def go() -> None:
        for i in range(machines):
            if not busy["w", i] and (came[i] or to_push[i]):
                kind, one = ("in", came[i].pop(0)) if came[i] else ("out", to_push[i].pop(0))
                busy["w", i] = True
                later(now + 1, f"w {kind}", i, one)
            if not busy["s", i] and (pushed[i] or answers[i]):
                busy["s", i] = True
                if pushed[i]:
                    later(now + 1, "s in", i, pushed[i].pop(0))
                else:
                    one, worker = answers[i].pop(0)
                    later(now + 1, f"s out {worker}", i, one)

    go()
    while events:
        now, _, kind, i, one = heapq.heappop(events)
        busy[kind[0], i] = False
        match kind.split():
            case ["w", "out"]:
                pushed[one % machines].append(one)
            case ["w", "in"]:
                has[i] += 1
            case ["s", "in"]:
                sums[one] += 1
                if sums[one] == machines:
                    answers[i] += [(one, worker) for worker in range(machines)]
            case ["s", "out", worker]:
                came[int(worker)].append(one)
        go()
    assert has == [partitions] * machines
    return now


@pytest.mark.parametrize("machines", [2, 4, 8])
def test_one_thread_at_each_end_takes_two_copies_of_the_vector(machines: int) -> None:
    """Of k partitions 2 k copies, and no more than a few rounds beside: what is stated, from below
    at any k and nearer the more partitions there are."""
    shares = []
    for partitions in (16, 64, 256):
        taken = copied(machines, partitions) / partitions
        assert taken >= threaded_beta(0.0, 1.0)
        shares.append(taken / threaded_beta(0.0, 1.0))
    assert shares == sorted(shares, reverse=True) and shares[-1] < 1.15
    assert threaded_beta(3.0, 1.0) == 3.0


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 6), st.floats(0.0, 2.0), st.floats(0.01, 2.0), st.floats(0.0, 2.0),
    st.floats(0.5, 3.0),
)  # fmt: skip
def test_a_window_costs_one_start_and_one_wait(
    count: int, alpha: float, beta: float, wait: float, window: float
) -> None:
    """Tensors of a window each, of which every one pays start-up and wait itself, are as quick as
    the same tensors on the windowed channel; cut into pieces they are no slower there."""
    names = tuple(map(str, range(count)))
    tensors = tuple(SentTensor(name, i, window) for i, name in enumerate(names))
    step = TrainingStep(names, (0.1,) * count, (0.2,) * count, tensors)
    plain = Channel("c", alpha + wait, beta)
    windowed = Channel("c", alpha, beta).windowed(window, wait)
    taken = WAIT_FREE.seconds(step, Carrier((windowed,)))
    assert taken == pytest.approx(WAIT_FREE.seconds(step, Carrier((plain,))))
    cut = ByteScheduler(window / 3, np.inf, barrier=True)
    assert cut.seconds(step, Carrier((windowed,))) == pytest.approx(taken)


@settings(max_examples=30, deadline=None)
@given(steps(), channels(), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_hooks_and_turns_cost_at_most_themselves(
    step: TrainingStep, channel: Channel, turn: float, hook: float
) -> None:
    carrier = Carrier((channel,))
    free = ByteScheduler(0.5, np.inf, barrier=True).seconds(step, carrier)
    slow = ByteScheduler(0.5, np.inf, barrier=True, turn=turn, tensor_seconds=hook)
    waits = hook * len(step.tensors)
    assert slow.prepared(step).compute == pytest.approx(step.compute + waits)
    taken = slow.seconds(step, carrier)
    assert taken >= free - 1e-9
    if channel.busy_beta is None:
        assert taken <= free + turn + waits + 1e-9


def test_a_waiting_device_slows_nobody() -> None:
    """Half of the time at 4 s a bit, half at 2 s a bit: 1/(1/8 + 1/4) bits a second."""
    channel = Channel("c", 0.0, 2.0, 0.0, 4.0)
    assert channel.windowed(8.0, 0.0, 0.5).slowed == pytest.approx(8 / 3)
    assert channel.windowed(8.0, 0.0, 1.0) == channel
    waiting = Channel("c", 1.0, 2.0, 0.0, 4.0, busy_wait=3.0)
    # every 2 bits a start-up, and three seconds more for a device that computes: 2.5 and 6 s a bit
    assert waiting.windowed(8.0, 0.0, 1.0, 2.0) == Channel("c", 0.0, 2.5, 0.0, 6.0)
    through = Channel("c", 1.0, 2.0, regimes=(ChannelRegime(1.0, 0.5, 9.0),)).through_thread(2.0)
    assert (through.beta, through.regimes[0].beta) == (4.0, 9.0)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: threaded_beta(-1.0, 0.0), "path=-1"),
        (lambda: threaded_beta(0.0, -1.0), "thread=-1"),
        (lambda: Channel("c", 0.0, 1.0).windowed(0.0, 0.0), "window=0"),
        (lambda: Channel("c", 0.0, 1.0).windowed(1.0, -1.0), "wait=-1"),
        (lambda: Channel("c", 0.0, 1.0).windowed(1.0, 0.0, 2.0), "computing=2"),
        (lambda: Channel("c", 0.0, 1.0).windowed(1.0, 0.0, 1.0, 0.0), "fused=0"),
        (lambda: Channel("c", 0.0, 1.0, busy_wait=-1.0), "busy_wait=-1"),
        (lambda: ByteScheduler(turn=-1.0), "turn=-1"),
        (lambda: ByteScheduler(tensor_seconds=-1.0), "tensor_seconds=-1"),
    ],
)
def test_bad_costs_are_refused(make: object, told: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=told):
        make()
