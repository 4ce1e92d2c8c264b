"""Collectives against published step counts, another program's trees and flows, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from algorithms.collectives.base import counted, executed, messages
from algorithms.collectives.binary_blocks import BinaryBlocks
from algorithms.collectives.double_tree import DoubleTree, tree_edges
from algorithms.collectives.grids import BCubeAllReduce, MeshAllReduce, TorusAllReduce
from algorithms.collectives.hierarchical import BlueConnect, Hierarchical
from algorithms.collectives.recursive import RecursiveDoubling
from algorithms.collectives.reduce_broadcast import ReduceBroadcast
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.servers import ServerShards, ServerTree
from algorithms.collectives.spanning_trees import DGX1, SpanningTrees, circulant
from algorithms.collectives.sparse import SparseAllGather, SplitGather
from algorithms.collectives.sparse_lists import SparseList, packed, run_lists, unpacked
from theory.seconds.sparse_times import merged_doubling_bounds, split_gather_bounds


def test_published_steps_of_1024_workers():
    """Jia et al. 2018: 186 steps in groups of 16 for 2046; a torus of 32 x 32 has 124."""
    assert [c.cost().steps for c in (
        RingAllReduce(1024), Hierarchical(1024, 16), TorusAllReduce(32, 32), BlueConnect((32, 32)),
    )] == [2046, 186, 124, 124]  # fmt: skip
    assert counted(Hierarchical(1024, 16).rounds(1024), 1024).steps == 186
    assert counted(TorusAllReduce(32, 32).rounds(1024), 1024).steps == 124


def test_traffic_of_parameter_servers():
    """Survey 001: 2D a worker, 2nD the server, 2nD/S each of S servers."""
    one, four = (counted(ServerShards(8, s).rounds(40), 8 + s) for s in (1, 4))
    assert set((one.sent + one.received)[:8]) == {80}
    assert (one.sent + one.received)[8] == 2 * 8 * 40
    assert set((four.sent + four.received)[8:]) == {2 * 8 * 40 // 4}
    assert ServerTree(8, 2).nodes == 15 and ServerTree(1, 2).nodes == 2


def test_a_round_reads_before_it_writes_and_adds_all_that_arrives():
    held = torch.arange(6, dtype=torch.int64).reshape(3, 2)
    swap = messages([0, 1], [1, 0], 0, 2, False)
    assert executed([swap], held).tolist() == [[2, 3], [0, 1], [4, 5]]
    both = messages([0, 1], 2, [0, 1], [1, 2], True)
    assert executed([both, messages([0, 1], 2, 0, 1, True)], held)[2].tolist() == [4 + 0 + 2, 5 + 3]
    seen = counted([messages([0, 1, 2], [2, 2, 2], [0, 0, 1], [1, 2, 1], True)], 3)
    assert (seen.rounds, seen.steps, seen.messages, seen.path) == (1, 2, 2, 3), "one was empty"


def test_floats_are_summed_to_rounding():
    x = torch.from_numpy(np.random.default_rng(1).standard_normal((7, 10)))
    for one in (BinaryBlocks(7), DoubleTree(7, 3), Hierarchical(7, 7)):
        ends = executed(one.rounds(10), x)
        assert torch.allclose(ends, x.sum(0).expand(7, 10), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 8, 21, 64])
def test_no_worker_is_inner_in_both_trees(n):
    edges = tree_edges(n)
    inner = [{parent for tree, _, parent in edges if tree == one} for one in (0, 1)]
    assert not inner[0] & inner[1]
    for one in (0, 1):
        tree = nx.Graph((child, parent) for number, child, parent in edges if number == one)
        assert nx.is_tree(tree) and len(tree) == n and max(dict(tree.degree).values()) <= 3


@pytest.mark.parametrize(("n", "links", "count"), [(8, DGX1, 6), (9, circulant(9), 4)])
def test_trees_are_as_many_as_the_least_cut_and_share_no_link(n, links, count):
    """networkx finds the cut; Blink packs six trees in a DGX-1."""
    graph = nx.DiGraph()
    for a, b in (*links, *((b, a) for a, b in links)):
        seen = graph.get_edge_data(a, b, {"capacity": 0})["capacity"]
        graph.add_edge(a, b, capacity=seen + 1)
    assert min(nx.maximum_flow_value(graph, 0, v) for v in range(1, n)) == count
    trees = SpanningTrees(n, links).trees
    assert len(trees) == count
    for tree in trees:
        assert nx.is_tree(nx.Graph((v, tree[v]) for v in range(1, n)))
        for v in range(1, n):
            graph[tree[v]][v]["capacity"] -= 1
    assert min(c for _, _, c in graph.edges(data="capacity")) >= 0


@pytest.mark.parametrize(("n", "kept", "d"), [(8, 5, 400), (16, 3, 60)])
def test_merged_lists_are_between_all_the_same_and_none(n, kept, d):
    """SparCML's two ends; at the longer one lists become whole vectors on the way."""
    starts = ([0] * n, [i * kept for i in range(n)])
    paths = []
    for ends in starts:
        lists = [SparseList(np.arange(low, low + kept), np.ones(kept)) for low in ends]
        done = run_lists(RecursiveDoubling(n).rounds(d), lists)
        assert done.rounds == n.bit_length() - 1
        paths.append(done.path)
    assert tuple(paths) == merged_doubling_bounds(n, kept, d)


def test_lists_cancel_replace_and_are_cut_by_hand():
    one, other = (
        SparseList.from_vector(np.array([3, 0, -4, 0, 1])),
        SparseList.from_vector(np.array([0, 2, 4, 0, 1])),
    )
    both = one.plus(other)
    assert both.dense(5).tolist() == [3, 2, 0, 0, 2]
    assert both.largest(2).dense(5).tolist() == [3, 2, 0, 0, 0], "of equals the first"
    assert one.replaced(1, 4, other.within(1, 4)).dense(5).tolist() == [3, 2, 4, 0, 1]
    for start, stop in ((0, 5), (1, 4), (2, 3)):
        part = both.within(start, stop)
        assert unpacked(packed(part, start, stop), start, stop).dense(5).tolist() == [
            x if start <= i < stop else 0 for i, x in enumerate([3, 2, 0, 0, 2])
        ]
    assert packed(one, 0, 5).size == 5, "three entries are longer than the slice"
    with pytest.raises(ValueError, match="keep must be at least 1 entry, got keep=0"):
        run_lists((), (one,), keep=0)


def test_split_lists_have_closed_forms_for_n_that_divides_them():
    assert split_gather_bounds(4, 8) == (24, 60) and split_gather_bounds(1, 3) == (0, 0)
    with pytest.raises(ValueError, match="kept must be a multiple of n=4 workers, got kept=6"):
        split_gather_bounds(4, 6)
    with pytest.raises(ValueError, match="n must be at least 1 worker, got n=0"):
        split_gather_bounds(0, 0)


def test_an_all_gather_of_lists_is_counted_by_hand():
    seen = counted(SparseAllGather(6).rounds(60), 6)
    assert (seen.rounds, seen.steps, seen.path) == (3, 3, 50)


def test_levels_of_unequal_switches_make_any_number_of_workers():
    """As equal as divisors allow; 12 = 2 x 2 x 3 sends 2 * 3 * (1 + 1 + 2) messages."""
    three = BCubeAllReduce.with_levels(2, 3)
    made = {n: three.with_workers(n).ports for n in (1, 7, 12, 27, 64)}
    assert made == {1: (1, 1, 1), 7: (1, 1, 7), 12: (2, 2, 3), 27: (3, 3, 3), 64: (4, 4, 4)}
    twelve = three.with_workers(12)
    seen = counted(twelve.rounds(72), 12)
    assert (seen.steps, seen.path, seen.rounds) == (24, 132, 12), "6 stages of max(b) - 1 rounds"
    assert (twelve.name, twelve.port_cost()) == ("BCube(2 x 2 x 3)", None)


def test_a_single_root_is_a_bottleneck():
    """Survey 000, Section 4.1.2: all n - 1 vectors enter and leave it; a tree has log2 n."""
    seen = counted(ReduceBroadcast(8).rounds(5), 8)
    assert (seen.rounds, seen.steps, seen.path) == (2, 14, 70)
    assert seen.received[0] == seen.sent[0] == 35 and set(seen.sent[1:]) == {5}


def test_sizes_without_a_form_are_refused_with_one_that_has():
    with pytest.raises(ValueError, match=r"ports must be at least 1 a level, got ports=\(3, 0\)"):
        BCubeAllReduce((3, 0))
    with pytest.raises(ValueError, match="group must divide n=10 workers, got group=4; 2 would do"):
        Hierarchical(10, 4)
    for made in (RingAllReduce, BinaryBlocks, SparseAllGather, SplitGather, RecursiveDoubling):
        with pytest.raises(ValueError, match="n must be at least 1, got n=0"):
            made(0)
    with pytest.raises(ValueError, match="links must join workers 0, "):
        SpanningTrees(3, ((0, 1),))
    with pytest.raises(ValueError, match="rows and cols must be at least 1, got rows=0"):
        MeshAllReduce(0, 3)
