"""TIC and TAC: forward order on chains, and the paper's choice on graphs that branch."""

from __future__ import annotations

from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernels.pull_order import timed_order
from algorithms.schedules import tictac
from algorithms.schedules.step import step_of
from algorithms.schedules.tictac import GraphNode, forward_graph, tac_order, tic_order
from algorithms.workloads import WORKLOADS


def test_both_pull_a_chain_in_forward_order() -> None:
    step = step_of(WORKLOADS["alexnet"], 0.1)
    graph, layers = forward_graph(step), step.layers.tolist()
    for rank in (
        tic_order(graph, len(layers)),
        tac_order(graph, (1e-4 + 1e-10 * step.bits).tolist()),
    ):
        by_rank = sorted(range(len(layers)), key=lambda k: rank[k])
        in_order = [layers[k] for k in by_rank]
        # the first two layers tie in TIC: nothing is known of times
        assert sorted(in_order[:4]) == [0, 0, 1, 1]
        assert in_order[4:] == sorted(in_order[4:])


@given(
    compute=st.lists(st.integers(0, 9), min_size=2, max_size=2),
    transfer=st.lists(st.integers(1, 9), min_size=2, max_size=2),
)
@settings(deadline=None)
def test_tac_of_two_branches_is_the_shorter_order(compute: list[int], transfer: list[int]) -> None:
    """Two operations, each behind one pull, and one behind both: Johnson 1954's rule."""
    graph = (
        GraphNode(compute[0], (0,), ()), GraphNode(compute[1], (1,), ()), GraphNode(1, (), (0, 1)),
    )  # fmt: skip
    rank = tac_order(graph, transfer)

    def makespan(order: tuple[int, ...]) -> float:
        pulled = free = 0.0
        for k in order:
            pulled += transfer[k]
            free = max(free, pulled) + compute[k]
        return free

    chosen = tuple(sorted(range(2), key=lambda k: rank[k]))
    assert makespan(chosen) == min(map(makespan, permutations(range(2))))


def test_tic_prefers_what_is_needed_by_less() -> None:
    """Pull 0 is needed with all others, 1 and 2 also by an operation of their own."""
    graph = (GraphNode(1, (1, 2), ()), GraphNode(1, (0,), (0,)))
    assert tic_order(graph, 3) == (1, 0, 0)


def by_definition(graph: tuple[GraphNode, ...], transfer: list[int]) -> tuple[int, ...]:
    """Algorithm 3 as it is written: P and M+ of all pulls anew before each choice."""
    needs: list[set[int]] = []
    for node in graph:
        needs.append(set(node.pulls).union(*(needs[i] for i in node.after)))
    left, order = list(range(len(transfer))), list[int]()
    while left:
        missing = [need - set(order) for need in needs]
        freed = [
            sum(v.seconds for v, m in zip(graph, missing, strict=True) if m == {k}) for k in left
        ]
        plus = [
            min(
                (sum(transfer[j] for j in m) for m in missing if k in m and len(m) > 1),
                default=inf,
            )
            for k in left
        ]
        best = 0
        for i in range(1, len(left)):
            mine = min(freed[best], transfer[left[i]])
            other = min(freed[i], transfer[left[best]])
            if mine < other or (mine == other and plus[i] < plus[best]):
                best = i
        order.append(left.pop(best))
    return tuple(order.index(k) for k in range(len(transfer)))


def test_tac_is_the_published_algorithm_on_drawn_graphs() -> None:
    """Whole numbers, so that ties are ties."""
    random = np.random.default_rng(15)
    for _ in range(100):
        nodes, pulls = int(random.integers(1, 12)), int(random.integers(1, 10))
        uses = random.random((nodes, pulls)) < 0.25
        uses[random.integers(0, nodes, pulls), range(pulls)] = True
        graph = tuple(
            GraphNode(
                float(random.integers(0, 6)),
                tuple(np.flatnonzero(uses[i]).tolist()),
                tuple(np.flatnonzero(random.random(i) < 0.3).tolist()),
            )
            for i in range(nodes)
        )
        transfer = random.integers(1, 6, pulls).tolist()
        assert tac_order(graph, transfer) == by_definition(graph, transfer)


def test_the_compiled_order_is_the_plain_one() -> None:
    step = step_of(WORKLOADS["alexnet"], 0.1)
    graph, transfer = forward_graph(step), (1e-4 + 1e-10 * step.bits).tolist()
    compiled = tac_order(graph, transfer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tictac, "timed_order", timed_order.py_func)
        assert tac_order(graph, transfer) == compiled
