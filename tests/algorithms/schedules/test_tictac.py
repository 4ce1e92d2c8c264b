"""TIC and TAC: forward order on chains, and the paper's choice on graphs that branch."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

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
