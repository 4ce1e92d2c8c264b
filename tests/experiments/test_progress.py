"""What a person reads while a survey runs, on a terminal and in a log."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from experiments.processes.progress import LiveProgress, PlainProgress, RemainingWork, duration
from proofs_check.cell import Cell, CellKind

CELLS = tuple(Cell(f"row-{k}", "quadratic", CellKind.RUN) for k in range(4))
COSTS = dict(zip(CELLS, (1.0, 1.0, 2.0, 4.0), strict=True))


def console(terminal: bool) -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, force_terminal=terminal, width=120, color_system=None), text


def test_the_time_left_weighs_cells_by_their_cost_and_counts_the_workers() -> None:
    """Runs of cost 2 took 40 s, so those of cost 6 take 120 s, on two workers 60 s."""
    costs = {
        Cell("row", f"problem-{k}", CellKind.RUN): cost for k, cost in enumerate((1.0, 2.0, 2.0, 4))
    }
    first, second, *_ = costs
    left = RemainingWork(costs, 2)
    assert left.left == ""
    left.tick(first, 1.0)
    assert left.left == "about 4 s left"
    left.tick(second, 40.0)
    assert (left.done, left.total, left.left) == (2, 4, "about 1 min 00 s left")


def test_what_one_kind_takes_says_nothing_of_another() -> None:
    """Studies are expected to take 10 s however long a run took."""
    costs = {Cell("row", f"problem-{k}", CellKind.RUN): 1.0 for k in range(2)}
    costs[Cell("row", "", CellKind.STUDY)] = 10.0
    left = RemainingWork(costs, 1)
    for cell in list(costs)[:2]:
        left.tick(cell, 50.0)
    assert left.left == "about 10 s left"


def test_compiling_in_a_rows_first_cell_is_expected_of_other_rows_once() -> None:
    """A first cell took 9 s too long: so will the other row's first, and none of the rest."""
    costs = {
        Cell(row, f"problem-{k}", CellKind.RUN): 1.0
        for row in ("first", "second")
        for k in range(5)
    }
    left = RemainingWork(costs, 1)
    left.tick(next(iter(costs)), 10.0)
    assert left.left == "about 18 s left"


def test_a_terminal_shows_a_bar_the_time_left_and_each_worker() -> None:
    shown, text = console(True)
    with LiveProgress(shown, COSTS, 2) as live:
        live.started(0, CELLS[0])
        live.started(1, CELLS[1])
        live.ended(0, CELLS[0], 10.0, "")
        text.truncate(0)
        live.heartbeat()
        frame = text.getvalue()
    assert "1 of 4 cells" in frame and "about 17 s left" in frame and "\u2501" in frame
    assert "row-1  quadratic" in frame and "run, 0 s" in frame
    assert "row-0" not in frame


def test_an_error_stays_on_the_screen_as_it_was_said() -> None:
    shown, text = console(True)
    with LiveProgress(shown, COSTS, 1) as live:
        live.started(0, CELLS[3])
        live.ended(0, CELLS[3], 1.0, "ValueError: got [red]")
    assert "error: row-3 on quadratic: run: ValueError: got [red]" in text.getvalue()


def test_a_log_has_one_line_for_each_cell() -> None:
    shown, text = console(False)
    with PlainProgress(shown, COSTS, 1) as plain:
        for cell, error in zip(CELLS, ("", "lost", "", ""), strict=True):
            plain.started(0, cell)
            plain.ended(0, cell, 2.0, error)
    lines = text.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[0] == "[1/4] row-0 on quadratic: run (2.0 s), about 10 s left"
    assert lines[1] == "[2/4] error: row-1 on quadratic: run: lost, about 8 s left"
    assert lines[3].endswith("all done")


@pytest.mark.parametrize(
    ("seconds", "words"), [(42.4, "42 s"), (200.0, "3 min 20 s"), (3900.0, "1 h 05 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
