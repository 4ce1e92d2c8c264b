"""Training steps and channels that Hypothesis draws."""

from __future__ import annotations

from hypothesis import strategies as st

from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.step import SentTensor, TrainingStep

TIMES = st.floats(0.0, 4.0).map(lambda x: round(x, 3))


@st.composite
def steps(draw: st.DrawFn, most: int = 8) -> TrainingStep:
    """A step of up to ``most`` layers, each with none, one or two tensors, one at least in all."""
    layers = draw(st.integers(1, most))
    forward = tuple(draw(TIMES) for _ in range(layers))
    backward = tuple(draw(TIMES) for _ in range(layers))
    places = sorted(draw(st.lists(st.integers(0, layers - 1), min_size=1, max_size=most)))
    tensors = tuple(SentTensor(f"t{i}", p, draw(TIMES)) for i, p in enumerate(places))
    return TrainingStep(tuple(f"l{i}" for i in range(layers)), forward, backward, tensors)


@st.composite
def channels(draw: st.DrawFn, *, slowed: bool = True) -> Channel:
    """A channel with start-up; with ``slowed`` perhaps one that a computing device slows or
    keeps waiting."""
    beta = draw(st.floats(0.0, 2.0))
    busy = draw(st.one_of(st.none(), st.floats(beta, 6.0))) if slowed else None
    wait = draw(st.one_of(st.just(0.0), st.floats(0.0, 2.0))) if slowed else 0.0
    return Channel("network", draw(st.floats(0.0, 2.0)), beta, 0.0, busy, busy_wait=wait)


@st.composite
def servers_of(draw: st.DrawFn) -> Carrier:
    """Push and pull with latencies."""
    made = [
        Channel(name, draw(st.floats(0.0, 1.0)), draw(st.floats(0.0, 2.0)), draw(TIMES))
        for name in ("push", "pull")
    ]
    return Carrier(tuple(made))
