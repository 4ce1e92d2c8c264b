"""What stands beside a run's curves: replicas, the cost of a step, a bound that is far away."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from experiments.figures.panels import three_panels
from experiments.figures.regions import regions_figure
from experiments.figures.run_panels import bound_above, cost_of_a_step, distributed
from experiments.figures.slack import slack_figure
from experiments.figures.style import styled
from experiments.worst_cases.slack import ENDS, slack, slack_plot
from tests.experiments.test_figure_kinds import ERROR, STEPS, region_map, run_curves

MANY = np.arange(1.0, 1001.0)


def test_steps_that_cost_the_same_have_a_cost_and_others_none() -> None:
    """A first step that is dearer is not seen on an axis of three decades; a tenth of them is."""
    assert cost_of_a_step([MANY], [3 * MANY]) == pytest.approx(3.0)
    assert cost_of_a_step([MANY], [3 * MANY + 0.5]) == pytest.approx(3.0, rel=1e-3)
    assert cost_of_a_step([MANY], [3 * MANY + 3.0]) is None
    assert cost_of_a_step([MANY, MANY], [3 * MANY, 6 * MANY]) is None
    assert cost_of_a_step([MANY], [np.maximum(MANY - 400, 0)]) is None


def test_a_run_of_equal_steps_is_drawn_once_and_says_what_a_step_costs() -> None:
    with styled():
        figure = three_panels(run_curves(bits=1e6 * STEPS, seconds=0.5 * STEPS))
    (ax,) = figure.axes
    assert ax.get_xlabel() == "steps $t$\n(a step: 1 Mbit, 0.5 s)"


def test_an_axis_along_the_steps_is_left_out_by_itself() -> None:
    """Of three panels, and of three where one holds a single record."""
    with styled():
        clock = three_panels(run_curves(seconds=0.5 * STEPS))
        bits = three_panels(run_curves(bits=1e6 * STEPS))
        late = three_panels(run_curves(seconds=np.where(STEPS == STEPS.max(), 3.0, 0.0)))
    labels = [[ax.get_xlabel() for ax in figure.axes] for figure in (clock, bits, late)]
    sent = "sent and received per worker [Mbit]"
    assert labels == [
        ["steps $t$\n(a step: 0.5 s)", sent],
        ["steps $t$\n(a step: 1 Mbit)", "time [s]"],
        ["steps $t$", sent],
    ]


def test_replicas_at_the_end_are_points_beside_the_curves() -> None:
    ends = np.array([0.8, 0.9, 1.0, 1.1, 1.2])
    with styled():
        figure = three_panels(run_curves(ends=ends))
    assert len(figure.axes) == 4 and "5 replicas" in figure.axes[-1].get_xlabel()
    points = [line for line in figure.axes[-1].lines if line.get_marker() == "o"]
    assert sorted(points[0].get_ydata()) == ends.tolist()
    assert figure.axes[-1].get_ylim() == figure.axes[0].get_ylim(), "on the axis of the curves"


@pytest.mark.parametrize(
    "ends", [None, np.array([1.0, 2.0, 3.0]), np.ones(9), np.array([1.0, 2.0, 3.0, -1.0, np.inf])]
)
def test_too_few_replicas_or_equal_ones_have_no_distribution(ends: np.ndarray | None) -> None:
    assert not len(distributed(ends, log=True))


def test_a_bound_far_above_is_told_and_the_run_is_seen() -> None:
    bound = np.array([np.nan, 4e5, 2e5, 1e5])
    assert "10⁴ times" in bound_above(bound, [ERROR])
    assert bound_above(99.0 * ERROR, [ERROR]) == "", "within a factor of 100 it is drawn"
    with styled():
        figure = three_panels(run_curves(bound=bound, bound_order="O(1)"))
    low, high = figure.axes[0].get_ylim()
    assert low < 1 and high < 1e3
    assert "1e+05" in figure.axes[0].get_title(loc="left")


def test_a_map_of_regions_names_choice_and_lead_in_each_cell() -> None:
    with styled():
        figure = regions_figure(region_map(2.5))
    cells = [text.get_text() for text in figure.axes[0].texts]
    assert cells == ["B 3", "A", "A 2.5", "A 1.2"], "the largest y is on top"
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["A  a row", "B  another"], "the commonest first"


def test_slack_is_of_the_tightest_and_the_loosest() -> None:
    every = slack()
    assert len(every) >= 2 * ENDS
    plot = slack_plot()
    assert plot.lines == (*every[:ENDS], *every[-ENDS:])
    assert all(a.share >= b.share for a, b in pairwise(every))
    assert every[0].share == pytest.approx(1.0, abs=1e-6), "a bound that is met is among them"
    assert max(line.share for line in every) < 1 + 1e-6, "no theorem of ours is broken"
    with styled():
        (ax,) = slack_figure(plot).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == [one.name for one in plot.lines]
