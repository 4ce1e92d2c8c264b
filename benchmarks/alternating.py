"""Programs that take turns: what is compared is measured in the same minutes.

On a machine that does other work too, levels move by a factor; ratios of programs that alternate
move far less. The median of the rounds' ratios is told, with the least and the largest.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import NamedTuple

Program = Callable[[int], float]
"""From a number of steps to the seconds that they took."""


class Spread(NamedTuple):
    """Median, least and largest of what the rounds gave."""

    median: float
    least: float
    most: float

    @staticmethod
    def from_values(values: list[float]) -> Spread:
        """The three of some values."""
        return Spread(statistics.median(values), min(values), max(values))


class Rounds:
    """Seconds of a step of each program, round by round.

    Attributes:
        steps: how many steps each takes in a round.
        times: seconds of a step [s], a list for each program.
    """

    def __init__(
        self,
        programs: Mapping[str, Program],
        turn: float,
        rounds: int,
        steps: int | Mapping[str, int] = 0,
    ) -> None:
        """So many ``steps`` in each turn, of all or by program; 0: as many as take ``turn``
        seconds."""
        self.steps = (
            dict(steps)
            if isinstance(steps, Mapping)
            else {name: steps or steps_in(program, turn) for name, program in programs.items()}
        )
        self.times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(rounds):
            for name, program in programs.items():
                count = self.steps[name]
                self.times[name].append(program(count) / count)

    def speed(self, name: str, done: float = 1.0) -> Spread:
        """``done`` by the seconds of a step, such as worker-steps a second."""
        return Spread.from_values([done / time for time in self.times[name]])

    def ratio(self, slow: str, fast: str, scale: float = 1.0) -> Spread:
        """``scale`` times the time of ``slow`` over that of ``fast``, round by round."""
        pairs = zip(self.times[slow], self.times[fast], strict=True)
        return Spread.from_values([scale * one / other for one, other in pairs])


def steps_in(program: Program, turn: float) -> int:
    """Steps that take about ``turn`` seconds; what is compiled or read first is left out."""
    program(1)
    steps = 1
    while (took := program(steps)) < turn / 4:
        steps = int(steps * min(8.0, max(2.0, turn / 2 / max(took, 1e-6)))) + 1
    return max(1, round(steps * turn / took))
