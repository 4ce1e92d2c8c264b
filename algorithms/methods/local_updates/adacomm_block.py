"""Blocks of steps of AdaComm, whose periods follow its own clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.identity import Identity
from algorithms.kernels.local_steps import WORKERS_ALONE
from algorithms.kernels.mean import mean_rows
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.rounds import SILENT, ChargedExchange, RoundsBlock

if TYPE_CHECKING:
    from algorithms.methods.local_updates.adacomm import AdaComm

_ROW_BYTES = 1 << 12  # of workers that take their steps together: long rows one by one


@final
class AdaCommBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.local_updates.adacomm.AdaCommState`.

    Workers descend by themselves up to the first meeting of any replica; where a period is due, the
    problem's ``value`` is asked of all replicas, as the method's own step does.
    """

    bits_vary = down_bits_vary = True
    divisible = False

    def __init__(self, place: Place, t: int, gradient: RowPart, method: AdaComm) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.method, self.down_rows = method, self.n
        self.context: Any = place
        self.exchanges = ChargedExchange(True, None), ChargedExchange(False, None)
        self.dense: int = Identity().bits(self.d, self.dtype)
        self.link = method.meeting_seconds(self.d, self.dtype)
        nothing, flags = filled_in(self.dtype, None, "move")[:2], np.zeros(7, np.bool_)
        self.parts = *self.gradients, *nothing, flags
        self.together = self.rows_in(_ROW_BYTES)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        x, period, since, _, clocks, _ = arrays
        velocity = np.empty((len(x), self.n, 0, self.d), self.kind)
        alone, words = WORKERS_ALONE.for_dtype(self.dtype), self.words(steps, "gradient")
        steps.bits[:] = steps.down_bits[:] = SILENT
        took, start = self._seconds(steps), 0
        while start < steps.count:
            stop = min(steps.count, start + max(1, int((period - since).min())))
            if not alone(
                *self.parts, x, velocity, steps.gammas, words, steps.replicas, self.together,
                start, stop, 0, self.n,
            ):  # fmt: skip
                return start
            for seconds in took[start:stop]:
                clocks += seconds
            since += stop - start
            meets = since >= period
            if meets.any():
                steps.bits[stop - 1, meets] = steps.down_bits[stop - 1, meets] = self.dense
                self._met(arrays, meets)
            start = stop
        return steps.count

    def _seconds(self, steps: Steps) -> NDArray[np.float64]:
        """How long every worker's gradient takes ``[T, R, n]`` [s]."""
        times, clocks = self.method.timing.times, self.method.clocks(self.context)
        seconds = times.seconds_of_steps(clocks, "seconds", self.times(steps))
        return seconds.reshape(steps.count, -1, self.n).numpy()

    def _met(self, arrays: Arrays, meets: NDArray[np.bool_]) -> None:
        """The replicas ``meets`` average, and those that are due set their period."""
        x, period, since, first_loss, clocks, due = arrays
        mean = mean_rows(torch.from_numpy(x), keepdim=True)
        latest = clocks.max(-1) + self.link
        since[meets] = 0
        np.copyto(x, mean.numpy(), where=meets[:, None, None])
        np.copyto(clocks, latest[:, None], where=meets[:, None])
        late = meets & (latest >= due)
        if late.any():
            loss, now = (torch.from_numpy(a).reshape(self.lead) for a in (first_loss, period))
            points = mean.reshape(*self.lead, 1, self.d)
            found = self.method.next_period(points, loss, now, self.problem)
            period[late] = found.reshape(-1).numpy()[late]
            due[late] = latest[late] + self.method.interval

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        watch.work()
        if (steps.bits[place] != SILENT).any():
            self.exchange(watch, self.exchanges, steps, place)
