"""Clusters: files there and back, published throughputs, programs against closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.catalogue import OPERATORS, problem, row
from algorithms.clusters.carriers import (
    ARCHITECTURES,
    gathers,
    neighbours,
    sharded_times,
    sums,
)
from algorithms.clusters.cluster import Cluster, CodingTimes, ModelTimes
from algorithms.clusters.files import BUILT_IN, cluster_of, read_cluster, written
from algorithms.clusters.steps import ModelOnCluster, coding_times
from algorithms.codes.packed import Packed
from algorithms.collectives.servers import ServerShards
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.low_rank import LowRank
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.fabrics.program_times import program_times
from algorithms.schedules import SCHEDULES
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from theory.seconds.collectives import ring_cost

PLAIN = Cluster(
    "plain", "four machines of two", "made up", 4, 2, ((1e3, 3e-5), (1e6, 1e-3)),
    ((1e3, 2e-6), (1e6, 1e-4)), 1.0, (("alexnet", ModelTimes(8, 0.2)),),
    (("scaled sign", CodingTimes(1e-9, 1e-10)), ("low rank", CodingTimes(0.0, 0.0, False))),
)  # fmt: skip
NETWORK, INSIDE = (link.segment(1e6) for link in PLAIN.links())

PUBLISHED = {
    ("10gbe", "resnet-50", 8): 1282.28, ("10gbe", "resnet-50", 32): 4920.82,
    ("10gbe", "bert-base", 8): 518.94, ("10gbe", "bert-base", 32): 1926.64,
    ("10gbe", "bert-large", 8): 28.96, ("10gbe", "bert-large", 32): 105.1,
    ("100gbe", "resnet-50", 8): 1601.36, ("100gbe", "resnet-50", 32): 5744.76,
    ("100gbe", "bert-base", 8): 804.62, ("100gbe", "bert-base", 32): 2815.72,
    ("100gbe", "bert-large", 8): 55.8, ("100gbe", "bert-large", 32): 187.0,
    ("100gbib", "resnet-50", 8): 1821.2, ("100gbib", "resnet-50", 32): 7126.52,
    ("100gbib", "bert-base", 8): 1082.42, ("100gbib", "bert-base", 32): 4184.38,
    ("100gbib", "bert-large", 8): 99.18, ("100gbib", "bert-large", 32): 375.22,
}  # fmt: skip
"""Survey 001, Fig. 4, BSP-A2A, samples per second."""


@pytest.mark.parametrize("name", BUILT_IN)
def test_files_are_read_and_written(name, tmp_path):
    cluster = cluster_of(name)
    assert cluster.name == name and cluster.size == 32
    path = tmp_path / "again.toml"
    path.write_text(written(cluster), encoding="utf-8")
    assert cluster_of(str(path)) == cluster
    odd = replace(cluster, title='a "quoted"\ttitle \\ with é')
    path.write_text(written(odd), encoding="utf-8")
    assert read_cluster(path) == odd


@pytest.mark.parametrize("place", PUBLISHED, ids=str)
def test_published_throughputs_follow_from_message_times(place):
    """Rings over links that single messages were measured on: all-reduces were not looked at."""
    network, model, n = place
    one = ModelOnCluster(cluster_of(f"survey-001-{network}"), model, n, "bsp", "ring")
    samples = n * one.cluster.step_times(model).samples
    assert samples / one.step_seconds == pytest.approx(PUBLISHED[place], rel=0.1)


def test_a_ring_crosses_each_machine_link_once():
    whole = sums(PLAIN, 8, "ring").whole
    cost = ring_cost(8)
    assert whole.alpha == pytest.approx(cost.steps * NETWORK.alpha)
    assert whole.beta == pytest.approx(float(cost.sent) * NETWORK.beta)
    two = sums(PLAIN, 8, "two-level").whole
    assert two.alpha == pytest.approx(2 * INSIDE.alpha + 6 * NETWORK.alpha)
    assert two.beta == pytest.approx(INSIDE.beta + 2 * 3 / 4 * NETWORK.beta)


def test_servers_in_closed_form_are_those_of_their_messages():
    for machines in (2, 4, 16):
        hosts = tuple(2 * m for m in range(machines)) * 2
        for cluster in (PLAIN, cluster_of("survey-001-10gbe")):
            n = machines * cluster.workers
            hosts = tuple(cluster.workers * m for m in range(machines)) * 2
            regimes = cluster.regimes(n)
            by_message = program_times(ServerShards(machines, machines), regimes, hosts)
            for one, other in zip(by_message, sharded_times(machines, regimes), strict=True):
                assert one == pytest.approx(other)


def test_a_thread_that_copies_holds_up_servers_between_machines_and_nothing_else():
    """By hand: within a machine as ever, between machines two copies of the vector."""
    slow = replace(PLAIN, thread=2e8)
    between = 2 * 3 / 4 * NETWORK.beta
    assert between < 2 / slow.thread
    copied = sums(PLAIN, 8, "servers").whole.beta - between + 2 / slow.thread
    assert sums(slow, 8, "servers").whole.beta == pytest.approx(copied)
    for name in ARCHITECTURES:
        at = 2 if name == "servers" else 8
        assert sums(slow, at, name) == sums(PLAIN, at, name)
    assert sums(replace(PLAIN, thread=1e12), 8, "servers") == sums(PLAIN, 8, "servers")


def test_lists_go_round_a_ring_or_in_few_rounds():
    few, ring = (gathers(PLAIN, 8, around).whole for around in (False, True))
    assert ring.alpha == pytest.approx(7 * NETWORK.alpha)
    assert ring.beta == pytest.approx(7 * NETWORK.beta)
    assert few.alpha == pytest.approx(3 * NETWORK.alpha)
    # 1 of 2 lists leaves each machine, then 2 x 2, then 2 x 4
    assert few.beta == pytest.approx((1 + 4 + 8) * NETWORK.beta)
    two = neighbours(PLAIN, 8, 2).whole
    assert (two.alpha, two.beta) == pytest.approx((2 * NETWORK.alpha, 2 * NETWORK.beta))


def test_models_scale_to_4096_workers():
    cluster = replace(PLAIN, workers=4)
    for name in ARCHITECTURES:
        assert ModelOnCluster(cluster, "alexnet", 4096, "wfbp", name).step_seconds > 0.2


def test_rounds_take_what_the_model_takes_there():
    """Local SGD with H = 1 is one sum a step; a dense message of the run is one of the model."""
    small = problem("quadratic-sc", 8)
    rounds = ModelOnCluster(PLAIN, "alexnet", 8, "mg-wfbp", "ring", dense_bits=64.0 * small.d)
    timing = Timing(Constant(rounds.compute), rounds=rounds)
    method = row("bsp-sgd").build(small, 50)
    trace = run(method, small, steps=50, timing=timing)
    assert trace.seconds[0, -1] == pytest.approx(50 * rounds.step_seconds)
    assert rounds.step_seconds == SCHEDULES["mg-wfbp"].seconds(rounds.dense, rounds.carrier)
    assert timing.name == rounds.name and "AlexNet on 8 workers of plain" in timing.name
    gossip = run(row("d-psgd").build(small, 50), small, steps=50, timing=timing)
    added = rounds.exchange_seconds(64.0 * small.d, 2)
    assert gossip.seconds[0, -1] == pytest.approx(50 * (0.2 + added))
    assert rounds.round_seconds(0.0) == 0.0


def test_compressed_messages_are_coded_and_gathered():
    sign = ModelOnCluster(PLAIN, "alexnet", 8, "bsp", "ring", ScaledSign())
    sizes = [round(t.bits / 32) for t in sign.dense.tensors]
    bits = sum(min(size + 32, 32 * size) for size in sizes)
    assert sign.model_bits == bits
    coding = sum(sizes) * (1e-9 + 8 * 1e-10)
    want = 0.2 + coding + min(
        gathers(PLAIN, 8, ring).whole.alpha + gathers(PLAIN, 8, ring).whole.beta * bits
        for ring in (False, True)
    )  # fmt: skip
    assert sign.step_seconds == pytest.approx(want)
    assert sign.round_seconds(0.0) == 0 and not sign.summed_up


def test_bad_clusters_are_named(tmp_path):
    path = tmp_path / "bad.toml"
    for text, told in (
        ("", "'name' is missing"),
        ("name = ", "Invalid value"),
        (written(PLAIN) + "\n[oddity]\n", "unknown entries oddity"),
        (written(PLAIN).replace("machines = 4", "machines = 0"), "machines=0"),
        (written(PLAIN).replace("thread = inf", "thread = 0.0"), "thread=0.0"),
        (written(PLAIN).replace("[1000.0, 3e-05]", "[1000.0, 3.0]"), "points must be two or more"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=told):
            cluster_of(str(path))
    for make, told in (
        (lambda: cluster_of("survey-001"), "unknown cluster 'survey-001'; nearest: survey-001-10"),
        (lambda: cluster_of("nowhere.toml"), "cannot be read"),
        (lambda: ModelOnCluster(PLAIN, "alexnet", 7), "n=6 would do"),
        (lambda: ModelOnCluster(PLAIN, "lstm", 8), "has no times of model 'lstm'"),
        (lambda: ModelOnCluster(PLAIN, "alexnet", 8, "x"), "unknown schedule 'x'"),
        (lambda: ModelOnCluster(PLAIN, "alexnet", 8, "bsp", "x"), "unknown architecture 'x'"),
        (lambda: neighbours(PLAIN, 2, 2), "degree must be at least 0 and below n=2"),
        (
            lambda: (
                ModelOnCluster(replace(PLAIN, operators=()), "alexnet", 8, operator=LowRank(1)).sent
            ),
            "has no times of 'low rank",
        ),
    ):
        with pytest.raises(ValueError, match=told):
            make()
    assert math.isfinite(np.asarray(sums(PLAIN, 2, "servers").whole.alpha))


def test_every_operator_has_times_on_a_built_in_cluster_and_says_that_they_are_assumed():
    for name in BUILT_IN:
        cluster = cluster_of(name)
        times = {operator.name: coding_times(cluster, operator) for operator in OPERATORS.values()}
        assert min(one.encode for one in times.values()) > 0
        assert times["spectral ATOMO(s=1)"].encode > times["QSGD(s=4)"].encode
        named = {one.name.partition("(")[0] for one in OPERATORS.values()}
        prefixes = {known for known, _ in cluster.operators} - {"other"}
        assert all(any(one.startswith(known) for one in named) for known in prefixes)
    rounds = ModelOnCluster(cluster, "bert-base", 8, operator=LowRank(1))
    assert rounds.name.endswith("ring, coding times assumed")
    known = replace(PLAIN, operators=(*PLAIN.operators, ("other", CodingTimes(1.0, 2.0))))
    assert coding_times(known, TopK(0.1)) == CodingTimes(1.0, 2.0)
    assert coding_times(known, ScaledSign()).encode == 1e-9


def test_messages_in_many_buckets_have_their_length_at_once():
    """A bucket at a time it took hours for the 31 million numbers of a large embedding."""
    one = Buckets(TopK(0.1), 10)
    assert one.stated_bits(10**12, 32) == 10**11 * TopK(0.1).stated_bits(10, 32)
    for operator in (TopK(0.2), EliasQSGD(2), QSGD(4)):
        for d in (3, 10, 27, 30):
            parts = [10] * (d // 10) + [d % 10] * (d % 10 > 0)
            lone = [operator.stated_bits(size, 32) for size in parts]
            fixed = isinstance(operator.code(10, torch.float32), Packed)
            wanted = lone if fixed else [32 + 8 * math.ceil(bits / 8) for bits in lone]
            assert Buckets(operator, 10).stated_bits(d, 32) == pytest.approx(sum(wanted))
