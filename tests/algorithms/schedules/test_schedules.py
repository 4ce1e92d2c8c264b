"""Schedules keep the order of the DAG and of each other, and equal what can be computed by hand."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.schedules.base import CommunicationSchedule, merged_messages, sliced_messages
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel, all_gather, all_reduce, servers
from algorithms.schedules.fusion_buffer import FusionBuffer
from algorithms.schedules.merged_gradients import GREEDY, MERGED
from algorithms.schedules.priority import ByteScheduler, PriorityPropagation, tuned
from algorithms.schedules.sparse_layers import SparseLayers
from algorithms.schedules.step import SentTensor, TrainingStep, step_of
from algorithms.schedules.tictac import TAC, TIC
from algorithms.schedules.timeline import TaskKind
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS
from tests.algorithms.schedules.drawn import channels, servers_of, steps
from theory.seconds.collectives import ring_seconds
from theory.seconds.costs import AlphaBeta
from theory.seconds.sparse_times import finished

ANY: tuple[CommunicationSchedule, ...] = (
    BULK, WAIT_FREE, FusionBuffer(3.0, 0.0), FusionBuffer(2.0, 0.7), PriorityPropagation(0.8),
    ByteScheduler(0.5, 1.2), ByteScheduler(0.7, 0.1), SparseLayers(kept=0.5, selection=0.3),
    ByteScheduler(0.5, 1.2, barrier=True, turn=0.3, tensor_seconds=0.2),
)  # fmt: skip
ONE_CHANNEL = (*ANY, MERGED, GREEDY, SparseLayers(MERGED, kept=0.9, selection=1.0))
SERVERS = (*ANY, TIC, TAC)
SLACK = 1e-9


def kept_order(schedule: CommunicationSchedule, step: TrainingStep, carrier: Carrier) -> None:
    """One thing at a time; gradients first, then messages, then the passes that need them."""
    line = schedule.timeline(step, carrier)
    assert not line.conflicts()
    simulated, step = schedule.simulated(step, carrier), schedule.prepared(step)
    messages = schedule.messages(step, carrier)
    sent = np.zeros(len(step.bits))
    for k, (first, last) in enumerate(zip(messages.first, messages.last, strict=True)):
        mine = np.arange(first, last + 1)
        assert simulated.starts[0][k] >= step.ready[mine].max() - SLACK
        for before, after in zip(simulated.stops, simulated.starts[1:], strict=False):
            assert after[k] >= before[k] - SLACK
        for layer in step.layers[mine]:
            assert simulated.forward[layer] >= simulated.arrivals[k] - SLACK
        sent[mine] += messages.bits[k] / (last - first + 1)
    assert sent.sum() == pytest.approx(step.bits.sum())
    assert simulated.seconds >= step.compute - SLACK
    if schedule.barrier:
        assert simulated.forward[0] >= simulated.arrivals.max() - SLACK
    assert line.seconds == pytest.approx(max(simulated.seconds, simulated.stops[-1].max()))
    done = [t for t in line.tasks if t.kind is TaskKind.FORWARD]
    assert sum(t.stop - t.start for t in done) == pytest.approx(sum(step.forward))


@pytest.mark.parametrize("schedule", ONE_CHANNEL, ids=lambda s: s.name)
@given(step=steps(), channel=channels())
@settings(max_examples=40, deadline=None)
def test_order_is_kept_on_one_channel(
    schedule: CommunicationSchedule, step: TrainingStep, channel: Channel
) -> None:
    kept_order(schedule, step, Carrier((channel,)))


@pytest.mark.parametrize("schedule", SERVERS, ids=lambda s: s.name)
@given(step=steps(), carrier=servers_of())
@settings(max_examples=40, deadline=None)
def test_order_is_kept_through_servers(
    schedule: CommunicationSchedule, step: TrainingStep, carrier: Carrier
) -> None:
    kept_order(schedule, step, carrier)


def all_groups(count: int) -> list[tuple[int, ...]]:
    """Every partition of ``count`` gradients into consecutive groups."""
    found = []
    for k in range(count):
        for cuts in combinations(range(1, count), k):
            edges = (0, *cuts, count)
            found.append(tuple(b - a for a, b in pairwise(edges)))
    return found


@given(step=steps(12), channel=channels())
@settings(max_examples=30, deadline=None)
def test_merging_is_the_best_of_all_partitions(step: TrainingStep, channel: Channel) -> None:
    def end(groups: tuple[int, ...]) -> float:
        m, free = merged_messages(step, groups), 0.0
        for ready, bits in zip(m.ready, m.bits, strict=True):
            start = np.asarray(max(free, float(ready)))
            free = float(channel.ends(start, np.asarray(bits), step.backward_end))
        return free

    carrier = Carrier((channel,))
    best = min(map(end, all_groups(len(step.bits))))
    assert end(MERGED.groups(step, carrier)) == pytest.approx(best, abs=1e-12)
    assert MERGED.simulated(step, carrier).stops[0].max() == pytest.approx(best, abs=1e-12)
    assert end(GREEDY.groups(step, carrier)) >= best - SLACK


@given(step=steps(), channel=channels())
@settings(max_examples=80, deadline=None)
def test_merging_is_never_slower_than_wfbp_or_bsp(step: TrainingStep, channel: Channel) -> None:
    carrier = Carrier((channel,))
    merged = MERGED.seconds(step, carrier)
    assert merged <= WAIT_FREE.seconds(step, carrier) + SLACK
    assert merged <= BULK.seconds(step, carrier) + SLACK


@given(step=steps(), channel=channels(slowed=False))
@settings(max_examples=80, deadline=None)
def test_without_start_up_overlap_and_priority_help(step: TrainingStep, channel: Channel) -> None:
    carrier = Carrier((Channel("network", 0.0, channel.beta),))
    wait_free = WAIT_FREE.seconds(step, carrier)
    assert wait_free <= BULK.seconds(step, carrier) + SLACK
    assert PriorityPropagation(0.6).seconds(step, carrier) <= wait_free + SLACK
    assert ByteScheduler(0.6, 0.6).seconds(step, carrier) <= wait_free + SLACK


@given(step=steps(), channel=channels(slowed=False))
@settings(max_examples=60, deadline=None)
def test_wfbp_is_its_recursion_and_bsp_its_sum(step: TrainingStep, channel: Channel) -> None:
    link, carrier = AlphaBeta(channel.alpha, channel.beta), Carrier((channel,))
    ready, bits = step.ready.tolist(), step.bits.tolist()
    end = finished(ready, bits, (1,) * len(bits), link)
    whole = max(end, step.backward_end) + sum(step.forward)
    assert WAIT_FREE.seconds(step, carrier) == pytest.approx(whole)
    summed = step.compute + link.seconds(sum(bits), 1)
    assert BULK.seconds(step, carrier) == pytest.approx(summed)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_channel_serves_as_small_steps_of_time_do(data: st.DataObject) -> None:
    """An independent simulation: integers, one tick at a time."""
    layers = data.draw(st.integers(1, 4))
    ints = st.integers(0, 4)
    forward = [data.draw(ints) for _ in range(layers)]
    backward = [data.draw(ints) for _ in range(layers)]
    tensors = tuple(
        SentTensor(str(i), i, float(data.draw(st.integers(1, 5)))) for i in range(layers)
    )
    names = tuple(map(str, range(layers)))
    step = TrainingStep(names, tuple(map(float, forward)), tuple(map(float, backward)), tensors)
    latency, credit = data.draw(ints), data.draw(st.integers(1, 8))
    carrier = Carrier((Channel("c", 1.0, 1.0, float(latency)),))
    schedule = ByteScheduler(2.0, float(credit))
    m = schedule.messages(step, carrier)
    left, arrivals, sending, under_way = set(range(len(m.ready))), {}, None, []
    for now in range(1000):
        if sending and sending[1] <= now:
            sending = None
        under_way = [(k, t) for k, t in under_way if t > now]
        ready = [k for k in left if m.ready[k] <= now]
        if sending is None and ready:
            k = min(ready, key=lambda k: (m.rank[k], k))
            held = sum(m.bits[j] for j, _ in under_way)
            if not under_way or held + m.bits[k] <= credit:
                left.remove(k)
                stop = now + 1 + m.bits[k]
                sending, arrivals[k] = (k, stop), stop + latency
                under_way.append((k, stop + latency))
    if all(float(bits).is_integer() for bits in m.bits):
        simulated = schedule.simulated(step, carrier)
        assert simulated.arrivals.tolist() == [arrivals[k] for k in range(len(m.ready))]


def test_the_greedy_rule_is_not_always_best() -> None:
    """The instance of the class's docstring, by hand: 27/5 greedily, 99/20 at best."""
    sent = (SentTensor("c", 0, 1.0), SentTensor("b", 1, 1.0), SentTensor("a", 2, 0.5))
    step = TrainingStep(("c", "b", "a"), (0.0,) * 3, (1.05, 0.9, 0.0), sent)
    carrier = Carrier((Channel("network", 1.0, 1.0),))
    assert GREEDY.groups(step, carrier) == (2, 1)
    assert GREEDY.seconds(step, carrier) == pytest.approx(27 / 5)
    assert MERGED.groups(step, carrier) == (1, 2)
    assert MERGED.seconds(step, carrier) == pytest.approx(99 / 20)


def test_two_gradients_merge_if_waiting_costs_less_than_a_start() -> None:
    """Two payloads of 1 ms, alpha 1 ms, ready at 0 and 0.5 ms: apart 4.0 ms, merged 3.5 ms."""
    sent = (SentTensor("b", 0, 1.0), SentTensor("a", 1, 1.0))
    step = TrainingStep(("b", "a"), (0.0, 0.0), (0.5, 0.0), sent)
    carrier = Carrier((Channel("network", 1.0, 1.0),))
    assert WAIT_FREE.seconds(step, carrier) == 4.0
    assert MERGED.seconds(step, carrier) == GREEDY.seconds(step, carrier) == 3.5


def test_fusion_sends_what_is_there_and_fits() -> None:
    """Buffer of 2 bits, looks every second: b waits for its look, c does not fit beside it."""
    sent = (SentTensor("c", 0, 1.0), SentTensor("b", 0, 1.5), SentTensor("a", 1, 5.0))
    step = TrainingStep(("bc", "a"), (0.0, 0.0), (0.3, 0.2), sent)
    messages = FusionBuffer(2.0, 1.0).messages(step, Carrier((Channel("network", 0.0, 1.0),)))
    assert messages.bits.tolist() == [5.0, 1.5, 1.0]
    assert messages.ready.tolist() == [1.0, 6.0, 8.0]


def test_slices_are_equal_and_no_longer_than_asked() -> None:
    step = step_of(WORKLOADS["resnet-50"], 0.25)
    messages = sliced_messages(step, 1e6)
    assert messages.bits.max() <= 1e6
    assert messages.bits.sum() == pytest.approx(32 * WORKLOADS["resnet-50"].parameters)


def test_tuning_never_harms() -> None:
    step = step_of(WORKLOADS["alexnet"], 0.1)
    for carrier in (all_reduce(AlphaBeta(1e-4, 1e-10), 16), servers(AlphaBeta(1e-4, 1e-10), 16, 4)):
        assert tuned(step, carrier, 60).seconds(step, carrier) <= ByteScheduler().seconds(
            step, carrier
        )


def test_carriers_are_the_closed_forms() -> None:
    link = AlphaBeta(1e-5, 1e-10)
    (channel,) = all_reduce(link, 8).channels
    assert channel.alpha + channel.beta * 12345 == pytest.approx(ring_seconds(link, 8, 12345))
    (gather,) = all_gather(link, 8).channels
    assert (gather.alpha, gather.beta) == pytest.approx((3e-5, 7e-10))
    push, pull = servers(link, 8, 2).channels
    assert (push.beta, pull.latency) == pytest.approx((4e-10, 1e-5))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Channel("c", -1.0, 0.0), "alpha, beta, latency and busy_wait must be at"),
        (lambda: Channel("c", 0.0, 1.0, 0.0, 0.5), "busy_beta must be at least beta"),
        (lambda: Carrier(()), "channels must not be empty"),
        (lambda: FusionBuffer(0.0), "buffer_bits=0"),
        (lambda: PriorityPropagation(0.0), "slice_bits must be positive"),
        (lambda: ByteScheduler(1.0, 0.0), "credit_bits=0"),
        (lambda: SparseLayers(kept=2.0), "kept=2"),
        (lambda: step_of(WORKLOADS["lstm"], 0.0), "seconds=0"),
        (lambda: TrainingStep(("a",), (1.0,), (1.0,), ()), "forward order"),
        (lambda: servers(AlphaBeta(0, 0), 2, 0), "count=0"),
    ],
)
def test_bad_arguments_are_refused(make: object, told: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=told):
        make()


def test_merging_and_tictac_name_the_carrier_that_they_need() -> None:
    step, link = step_of(WORKLOADS["alexnet"], 0.1), AlphaBeta(1e-5, 1e-10)
    with pytest.raises(ValueError, match="one channel, got 2"):
        MERGED.seconds(step, servers(link, 4, 4))
    with pytest.raises(ValueError, match="push and a pull channel, got 1"):
        TIC.seconds(step, all_reduce(link, 4))
