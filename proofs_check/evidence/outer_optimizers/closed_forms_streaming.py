"""Closed forms: streaming DiLoCo as DiLoCo, by hand with its delay and mix, and its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.max_levels import MaxLevels
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.outer_optimizers.streaming_diloco import StreamingDiLoCo
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]

_SEED = 349
_STEP = ConstantStep(0.1)
_OUTER = BlockMomentum(0.9, 0.7, nesterov=True)

streaming_forms = ClosedForms("streaming-diloco", name="streaming_forms")
"""Closed forms of streaming DiLoCo."""


@streaming_forms.case("identity of two methods", f"noise, 5 workers, H = 4, AdamW, seed {_SEED}")
def one_fragment(build: Build = StreamingDiLoCo) -> Verdict:
    """One fragment, without delay and mix: DiLoCo, bit for bit."""
    problem, step = unequal(5, 6), ConstantStep(0.02)
    inner = adam(problem.shapes, decay=0.1)
    ours, theirs = (
        models(method, problem, 24, seed=_SEED, replicas=3)
        for method in (build(step, 4, 1, inner), LocalSGD(step, 4, inner, outer=_OUTER))
    )
    return same("DiLoCo at every step", ours, theirs, on=problem, tolerance=0.0)


@streaming_forms.case("identity of two methods", f"noise, 5 workers, H = 6, seed {_SEED}")
def fragments_in_turn(build: Build = StreamingDiLoCo) -> Verdict:
    """On diagonal Hessians every fragment is a DiLoCo of its own coordinates; that which meets when
    H | t+1 is DiLoCo's, with the outer velocity of its own meetings alone."""
    problem = unequal(5, 6)
    ours, theirs = (
        models(method, problem, 36, seed=_SEED, replicas=3)
        for method in (build(_STEP, 6, 3), LocalSGD(_STEP, 6, outer=_OUTER))
    )
    return same("the last two of six coordinates", ours[..., 4:], theirs[..., 4:], on=problem)


@streaming_forms.case("closed form", "no noise, H = 6, 2 fragments, 5 workers, 60 steps")
def streaming_by_hand(build: Build = StreamingDiLoCo) -> Iterator[Verdict]:
    """The recursion by hand in numpy: delays of 0, 1 and 4 steps, mixes of 0, 0.25, 0.5."""
    problem = unequal(5, 4, sigma2=0.0)
    a, c = problem.a.numpy(), problem.c.numpy()
    for delay, mix in ((0, 0.0), (1, 0.25), (4, 0.5)):
        x, anchor, u = np.zeros((5, 4)), np.zeros(4), np.zeros(4)
        pending: dict[int, tuple[slice, Any]] = {}
        told = [x]
        for t in range(60):
            x = x - 0.1 * (a * x - c)
            if (t + 1) % 3 == 0:
                number = ((t + 1) // 3 - 1) % 2
                here = slice(2 * number, 2 * number + 2)
                pending[t + delay] = (here, anchor[here] - x[:, here].mean(0))
            if t in pending:
                here, change = pending.pop(t)
                anchor, u, x = anchor.copy(), u.copy(), x.copy()
                u[here] = 0.9 * u[here] + change
                anchor[here] -= 0.7 * (change + 0.9 * u[here])
                x[:, here] = mix * x[:, here] + (1 - mix) * anchor[here]
            told.append(x)
        method = build(_STEP, 6, 2, delay=delay, mix=mix)
        got = torch.stack([one.state.x[0] for one in path(method, problem, 60)])
        yield same(f"delay {delay}, mix {mix:g}: all models", got, np.stack(told), on=problem)


@streaming_forms.case("messages", "H = 6, 3 fragments of 2 coordinates, four bits a number")
def fragment_bits(build: Build = StreamingDiLoCo) -> Iterator[Verdict]:
    """A worker sends a third of the coordinates every second step, in four bits each and a scale;
    fragments that do not divide H are refused."""
    problem = unequal(5, 6)
    method = build(_STEP, 6, 3, compressor=MaxLevels(7))
    trace = run(method, problem, steps=12, points=13, replicas=2)
    due = [MaxLevels(7).bits(2, torch.float64) * (t // 2) for t in range(13)]
    yield same("bits sent after every step", trace.sent_bits, due, on=problem, tolerance=0.0)
    yield same(
        "bits heard after every step", trace.received_bits, [128 * (t // 2) for t in range(13)],
        on=problem, tolerance=0.0,
    )  # fmt: skip
    refused = 0
    for wrong in (4, 5):
        try:
            build(_STEP, 6, wrong)
        except ValueError:
            refused += 1
    yield none_wrong("4 or 5 fragments of H = 6 are refused", 2 - refused, "both", on=problem)
