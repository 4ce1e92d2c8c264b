"""Every theorem at the edges of what its constants can be: a number, a name, or a typed refusal."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, final, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.arrays import Floats
from theory.constants import Constants, Inapplicable, MissingConstants
from theory.ranges import ORDERED, RANGES, Range
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.conditions import Condition
from theory.theorems.cr_psgd import cr_psgd
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm
from theory.theorems.kinds import ConstantStepTheorem

ALL = THEOREMS + PROVED_ONLY
HINTS = get_type_hints(Constants)
WHOLE = {f.name for f in fields(Constants) if HINTS[f.name] == (int | None)}
LOGICAL = {f.name for f in fields(Constants) if HINTS[f.name] == (bool | None)}
TIMES = np.array([0.0, 1.0, 2.0, 100.0, 1e6])
HORIZONS = st.sampled_from([1, 2, 3, 10, 1000, 10**9])


def edges(range_: Range) -> list[float]:
    """Both ends, numbers just inside and just outside of them, and some between."""
    low, high = range_.low, range_.high
    far = high if math.isfinite(high) else 1e3
    inside = [low + (far - low) * part for part in (1e-12, 0.1, 0.5, 0.9, 1 - 1e-12)]
    return [low, low - 1e-6, *inside, *([high, high + 1e-6] if math.isfinite(high) else [1e12])]


def drawn(name: str) -> st.SearchStrategy[Any]:
    """Values of one constant; logical ones too."""
    if name in LOGICAL:
        return st.booleans()
    if name in WHOLE:
        return st.sampled_from([0, 1, 2, 3, 7, 64, 10**6])
    odd = [math.nan, math.inf, 1e-300, 1e300]
    return st.sampled_from(edges(RANGES[name])) | st.floats(1e-3, 1e3) | st.sampled_from(odd)


@st.composite
def settings_of(draw: st.DrawFn, theorem: Theorem) -> Constants:
    """The example with some constants redrawn, and often a pair at its edge: pl = L, mu = L."""
    names = draw(st.sets(st.sampled_from(theorem.needs), max_size=3))
    values = {name: draw(drawn(name)) for name in sorted(names)}
    c = theorem.example.state(None, **values)
    for low, high in ORDERED:
        if {low, high} <= set(theorem.needs) and draw(st.booleans()):
            c = c.state(None, **{low: getattr(c, high) * draw(st.sampled_from([1.0, 1.001, 0.5]))})
    return c


def others(step: Stepsize) -> tuple[Stepsize, ...]:
    """The stepsize, and of its kind a tiny and a huge one."""
    if isinstance(step, InverseTimeStep):
        return step, InverseTimeStep(step.scale, 1e-3), InverseTimeStep(step.scale, 1e9)
    if isinstance(step, InverseRootStep):
        return step, InverseRootStep(1e-9), InverseRootStep(1e9)
    return step, ConstantStep(1e-9), ConstantStep(1e9)


def told(theorem: Theorem, c: Constants, sentence: str) -> None:
    """The sentence names a constant or the stepsize; that there is no number only far out."""
    if "leave no number" in sentence:
        stated = [float(getattr(c, name)) for name in theorem.needs]
        assert any(v and not 1e-11 < abs(v) < 1e11 for v in stated), sentence
    else:
        assert any(name in sentence for name in (*theorem.needs, "gamma", "shift", "weights"))


def attacked(theorem: Theorem, c: Constants, horizon: int) -> str:
    """What the theorem says of a setting: a number, what is violated, or a refusal."""
    try:
        prescribed = theorem.stepsize(c, horizon)
    except MissingConstants as error:
        told(theorem, c, str(error))
        prescribed = theorem.stepsize(theorem.example, horizon)
    said = "refused"
    for step in others(prescribed):
        sentences = theorem.violations(c, step, horizon)
        for sentence in sentences:
            told(theorem, c, sentence)
        if not sentences:
            said = evaluated(theorem, c, step)
    return said


def evaluated(theorem: Theorem, c: Constants, step: Stepsize) -> str:
    """A bound where nothing is violated: finite after the first step, no less than 0 ever."""
    try:
        curve = theorem.bound(c, step, TIMES)
    except Inapplicable as error:
        told(theorem, c, str(error))
        return "refused"
    assert curve.dtype == np.float64 and curve.shape == TIMES.shape
    assert np.isfinite(curve[1:]).all() and not np.isnan(curve[0]) and (curve >= 0).all()
    return "number"


@pytest.mark.parametrize("theorem", ALL, ids=lambda t: t.name)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_at_every_edge_there_is_a_number_a_name_or_a_refusal(theorem: Theorem, data: Any) -> None:
    attacked(theorem, data.draw(settings_of(theorem)), data.draw(HORIZONS))


def test_every_number_that_theorems_speak_of_has_a_range() -> None:
    assert set(RANGES) == {f.name for f in fields(Constants)} - LOGICAL - {"statements"}
    assert all(theorem.applies(c := theorem.example, theorem.stepsize(c, 1), 1) for theorem in ALL)


def test_ranges_hold_their_closed_ends_only() -> None:
    half = Range(0, 1)
    assert half.holds(0) and not half.holds(1) and not half.holds(math.nan)
    assert not Range(0).holds(math.inf) and str(half) == "[0, 1)"


def test_a_polyak_constant_above_the_smoothness_is_named_with_it() -> None:
    said = "pl must be at most L, got pl=2 and L=1"
    steep = bsp_pl.example.state(None, L=1.0, pl=2.0)
    assert bsp_pl.violations(steep, ConstantStep(0.1), 10) == (said,)
    with pytest.raises(Inapplicable, match=said):
        bsp_pl.stepsize(steep, 10)
    even = cr_psgd.example.state(None, L=1.0, pl=1.0, growth=1.1)
    step = cr_psgd.stepsize(even, 10)
    assert cr_psgd.violations(even, step, 10) == ()
    n, sigma2, kept = even.need("n"), even.need("sigma2"), 1.1**-10
    # one step forgets the start and all noise but its own: gamma^2 L sigma2 / (2 B), B = n rho^t/2
    assert cr_psgd.bound(even, step, np.array([10.0]))[0] == pytest.approx(1.1 * kept * sigma2 / n)


def test_whole_momentum_is_refused_by_name() -> None:
    whole = dist_ef_sgdm.example.state(None, momentum=1.0)
    with pytest.raises(Inapplicable, match=r"momentum must lie in \[0, 1\), got momentum=1"):
        dist_ef_sgdm.stepsize(whole, 10)


@final
@dataclass(frozen=True)
class Holed(ConstantStepTheorem):
    """Mini-batch SGD whose condition, stepsize or bound has a hole where sigma2 is 5."""

    where: str

    name, title, source = "holed", bsp_nonconvex.title, bsp_nonconvex.source
    confidence, statement = bsp_nonconvex.confidence, "holed"
    needs, metric, order = bsp_nonconvex.needs, bsp_nonconvex.metric, bsp_nonconvex.order
    tight, example = False, bsp_nonconvex.example

    def hole(self, c: Constants, where: str) -> float:
        return 1 / (c.need("sigma2") - 5) if where == self.where else 0.0

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        return ((self.hole(c, "conditions") < 1, "sigma2"),)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(0.1 + self.hole(c, "stepsize"))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return np.full(times.shape, -1.0 if self.where == "sign" else 1.0 + self.hole(c, "bound"))


@pytest.mark.parametrize("where", ["conditions", "stepsize", "bound", "sign"])
def test_the_attack_finds_holes(where: str) -> None:
    with pytest.raises(AssertionError):
        attacked(Holed(where), bsp_nonconvex.example, 10)
    assert attacked(Holed("nowhere"), bsp_nonconvex.example, 10) == "number"
