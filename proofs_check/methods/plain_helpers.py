"""What every helper of a method gives and costs, by other means: keys by hashlib, rows one by one.

A row of a message is written and read by its operator alone, under the key that its purpose and
step name; the bill is the operator's stated length, its seconds those of a plain clock.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.methods import helper_probe as calls
from proofs_check.methods.helper_probe import HelperCall, heard_from
from proofs_check.methods.plain_clock import PlainClock
from theory.arrays import Floats

PURPOSES = {
    calls.OWN: "gradient", calls.FRESH: "gradient", calls.CHOSEN: "gradient",
    calls.SOME: "compress", calls.ALL: "second", calls.MIXED: "plain mix", calls.LINKED: "mix",
    calls.HEARD: "receive", calls.RAISED: "compress", calls.COUNTED: "compress",
    calls.TOLD: "plain", calls.SHORT: "publish", calls.GIVEN: "plain answer",
    calls.PACKED: "answer", calls.SPREAD: "plain broadcast",
}  # fmt: skip
"""What each helper draws for, as its docstring has it."""

_PLAIN = frozenset({calls.MIXED, calls.TOLD, calls.GIVEN, calls.SPREAD})  # uncompressed
_OF_GRADIENTS = frozenset({calls.OWN, calls.FRESH, calls.CHOSEN})
_BY_WORKERS = frozenset({calls.FRESH, calls.CHOSEN, calls.RAISED, calls.COUNTED})


def key_by_hand(seed: int, *folds: tuple[str | int, ...]) -> Key:
    """The key of a seed, folded with the words of each fold in turn, by hashlib's blake2b."""
    words = 0, 0
    for folded in (("seed", seed), *folds):
        digest = hashlib.blake2b(repr((words, folded)).encode(), digest_size=8).digest()
        words = int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little")
    return Key(words)


@final
class PlainHelpers:
    """Rows, charges and seconds of calls ``told`` in replicas 0, 1, ..., of a run with ``seed``.

    Attributes:
        bills: bits sent and received, messages sent, received and uploaded ``[5, R, n]`` by step.
        hours: seconds when the last worker is done ``[R]`` by step.
    """

    def __init__(
        self, problem: Problem, operator: Compressor, weights: Floats, timing: Timing,
        told: Sequence[HelperCall], seed: int,
    ) -> None:  # fmt: skip
        self.problem, self.n, self.seed = problem, problem.n, seed
        self.operator, self.weights, self.told = operator, weights, told
        self.replicas = torch.arange(len(told[0].x))
        shape = (5, len(self.replicas), self.n)
        self.bills = defaultdict[int, Floats](lambda: np.zeros(shape))
        self.hours = dict[int, Floats]()
        key = key_by_hand(seed)
        self.clock = PlainClock(timing, self.n, key, self.replicas, None)

    def rows(self) -> list[Tensor]:
        """What each call gives, in the order of the calls; charges and seconds on the way."""
        found = list[Tensor]()
        for call in self.told:
            found.append(self._given(call))
            self.hours[call.t] = self.clock.seconds.numpy().copy()
        return found

    def _given(self, call: HelperCall) -> Tensor:
        nobody = call.workers == self.n
        if call.name in _OF_GRADIENTS:
            if call.name == calls.OWN:
                self.clock.work()
            rows = self._each(call, call.workers.clamp_max(self.n - 1))
            # a column of nobody in all replicas is left out, one of some is not read
            return torch.where(nobody.all(0)[:, None], 0.0, rows)
        operator = Identity() if call.name in _PLAIN else self.operator
        server = call.name in (calls.TOLD, calls.SHORT, calls.GIVEN, calls.PACKED, calls.SPREAD)
        x = call.x.expand(*call.workers.shape, call.x.shape[-1])
        whose = torch.full_like(call.workers, self.n) if server else call.workers
        if call.name == calls.SOME:
            whose = torch.arange(self.n).expand_as(whose)
        rows = self._each(call._replace(x=x, workers=whose), whose, operator)
        return self._delivered(call, rows, self._lengths(operator, rows), nobody)

    def _each(self, call: HelperCall, whose: Tensor, operator: Compressor | None = None) -> Tensor:
        """Gradients, or messages as read, of one worker of one replica after another."""
        key = key_by_hand(self.seed, (PURPOSES[call.name], call.t))
        found = torch.zeros(*call.workers.shape, self.problem.d, dtype=self.problem.dtype)
        for r, k in np.ndindex(*call.workers.shape):
            draws = key.draws(self.replicas[r : r + 1], whose[r : r + 1, k : k + 1])
            x = call.x[r : r + 1, k : k + 1]
            one = self.problem.gradient(x.clone(), draws) if operator is None else (
                operator.compress(x, draws)
            )  # fmt: skip
            found[r, k] = one[0, 0]
        return found

    def _lengths(self, operator: Compressor, rows: Tensor) -> Tensor:
        """Stated bits ``[R, k]`` of messages that are read as ``rows``."""
        stated = operator.stated_lengths(rows, 8 * rows.element_size())
        assert torch.equal(stated.least, stated.most)
        return stated.least.long()

    def _delivered(self, call: HelperCall, rows: Tensor, bits: Tensor, nobody: Tensor) -> Tensor:
        """What those read to whom it goes; charged to those who send and hear, on their clocks."""
        bits, one = torch.where(nobody, 0, bits), (~nobody).long()
        if call.name in (calls.TOLD, calls.SHORT):
            bits = self._lengths(Identity() if call.name in _PLAIN else self.operator, rows)
            self._charge(call.t, received=(bits, torch.ones_like(bits)))
            self.clock.down(bits, 1)
            return rows
        rows = torch.where(nobody[..., None], 0.0, rows)
        if call.name in (calls.GIVEN, calls.PACKED, calls.SPREAD):
            heard = self._by_worker(call, bits), self._by_worker(call, one)
            self._charge(call.t, received=heard)
            self.clock.down(*heard)
        elif call.name in (calls.MIXED, calls.LINKED):
            hears = (self.weights != 0) & ~np.eye(self.n, dtype=bool)
            self._along(call.t, bits, torch.from_numpy(hears).expand(len(bits), -1, -1).long())
            due = torch.from_numpy(np.einsum("ij,rjd->rid", self.weights, rows.numpy()))
            return due if call.name in _PLAIN else torch.cat((rows, due), -2)
        elif call.name == calls.HEARD:
            return self._received(call, rows, bits)
        else:
            self._up(call, bits, one)
        return rows if call.name != calls.SOME else torch.cat((rows, rows.mean(1, True)), -2)

    def _up(self, call: HelperCall, bits: Tensor, one: Tensor) -> None:
        """Messages to the server, of all or of chosen workers, by count one column at a time."""
        columns = range(bits.shape[-1]) if call.name == calls.COUNTED else [slice(None)]
        for column in columns:
            at = [column] if isinstance(column, int) else column
            part = call._replace(workers=call.workers[:, at])
            sent = self._by_worker(part, bits[:, at]), self._by_worker(part, one[:, at])
            self._charge(call.t, sent=sent, up=sent[1])
            subset = sent[1].bool() if call.name in _BY_WORKERS else None
            self.clock.up(*sent, subset)

    def _received(self, call: HelperCall, rows: Tensor, bits: Tensor) -> Tensor:
        sources, arrives = heard_from(self.replicas, self.n, call.t)
        found = torch.zeros(*sources.shape, rows.shape[-1], dtype=rows.dtype)
        waits = torch.zeros(len(rows), self.n, self.n, dtype=torch.int64)
        for r, i, s in np.ndindex(*sources.shape):
            j, came = int(sources[r, i, s]), bool(arrives[r, i, s])
            if j == i:
                found[r, i, s] = rows[r, i]
                continue
            waits[r, i, j] = 1
            bill = self.bills[call.t][:, r]
            bill[[0, 2], j] += int(bits[r, j]), 1
            if came:
                found[r, i, s] = rows[r, j]
                bill[[1, 3], i] += int(bits[r, j]), 1
        self.clock.exchange(bits, waits)
        return found.flatten(-3, -2)

    def _along(self, t: int, bits: Tensor, hears: Tensor) -> None:
        """Messages along edges, one of each worker to all who hear it."""
        for r, i, j in np.ndindex(*hears.shape):
            if hears[r, i, j]:
                bill = self.bills[t][:, r]
                bill[[0, 2], j] += int(bits[r, j]), 1
                bill[[1, 3], i] += int(bits[r, j]), 1
        self.clock.exchange(bits, hears)

    def _by_worker(self, call: HelperCall, amounts: Tensor) -> Tensor:
        """Amounts ``[R, k]`` of a call's workers as amounts ``[R, n]`` of all."""
        found = torch.zeros(len(amounts), self.n, dtype=torch.int64)
        for r, k in np.ndindex(*amounts.shape):
            if call.workers[r, k] < self.n:
                found[r, call.workers[r, k]] += amounts[r, k]
        return found

    def _charge(
        self, t: int, sent: tuple[Tensor, Tensor] | None = None,
        received: tuple[Tensor, Tensor] | None = None, up: Tensor | None = None,
    ) -> None:  # fmt: skip
        for place, one in enumerate((sent, received)):
            if one is not None:
                self.bills[t][place] += one[0].numpy()
                self.bills[t][2 + place] += one[1].numpy()
        if up is not None:
            self.bills[t][4] += up.numpy()
