"""``rateproof figure karimireddy2019-counterexamples``: where signs alone do not converge."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.engine.run import one_thread
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.absolute import Absolute
from experiments.figures.lines import over_runs
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean
from proofs_check.instruments.adversary import counterexample
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_STEP = ConstantStep(0.01)
_OPERATORS: dict[str, tuple[Compressor, bool]] = {
    "SGD": (Identity(), False), "signSGD": (Sign(), False), "EF-signSGD": (ScaledSign(), True),
}  # fmt: skip
_DRIFT, _STEPS, _REPLICAS = 100, 400, 400
_CLIFF = 1e3  # far off, so that |4 x + ...| and |-x + ...| are linear where runs go


def measure(_: Request) -> Reproduction:
    """Counterexamples 1 to 3 by three methods."""
    first = {name: _path(name, _slopes(), None, _DRIFT, _REPLICAS) for name in _OPERATORS}
    second = {name: _path(name, counterexample(), _START, _STEPS, 1) for name in _OPERATORS}
    third = {name: _path(name, _two_samples(), _START, _STEPS, 32) for name in _OPERATORS}
    mean = {name: MeasuredMean.from_samples(x[:, -1, 0]) for name, x in first.items()}
    up: dict[str, Any] = {"confidence": Confidence.DERIVED}
    line = "x_1 + x_2"
    worth = counterexample().value(torch.from_numpy(second["EF-signSGD"][0, -100:]))
    stuck = counterexample().value(torch.from_numpy(second["signSGD"][0, -100:]))
    numbers = (
        near("CE 1, signSGD: mean x after 100 steps, + gamma T/2", 0.5, mean["signSGD"],
             absolute=0.05, unit="x", **up, source="drift of signs -1 and +1, 1/4 and 3/4"),
        near("CE 1, SGD: mean x after 100 steps, - gamma T/4", -0.25, mean["SGD"], absolute=0.1,
             unit="x", **up),
        at_most("CE 1, EF-signSGD: mean x, towards the minimum", 0.0, mean["EF-signSGD"],
                unit="x", **up),
        near(f"CE 2, signSGD: {line} stays 2", 2.0, float(second["signSGD"][0, -1].sum()),
             absolute=1e-2, unit="x", **up),
        near("CE 2, signSGD: f of the last 100 steps", 1.0, float(stuck.mean()), absolute=0.02,
             unit="f", **up, source="another implementation"),
        at_most("CE 2, EF-signSGD: mean f of the last 100 steps", 0.045, float(worth.mean()),
                unit="f", **up),
        near(f"CE 3, signSGD: {line} stays 2, two samples at random", 2.0,
             float(third["signSGD"][:, -1].sum(-1).mean()), absolute=1e-2, unit="x", **up),
        at_most(f"CE 3, EF-signSGD: |{line}| at the end", 0.1,
                MeasuredMean.from_samples(np.abs(third["EF-signSGD"][:, -1].sum(-1))),
                unit="x", **up),
    )  # fmt: skip
    steps = np.arange(_STEPS + 1.0)
    view, band = ("linear", "linear"), "10 to 90% of runs"
    panels = (
        CurvePanel("1: g = 4 or -1", "steps", "mean $x_t$", tuple(
            over_runs(k, np.arange(_DRIFT + 1.0), x[:, :, 0]) for k, x in first.items()),
            scales=view, band=band),
        *(CurvePanel(title, "steps", "$x_1 + x_2$", tuple(
            over_runs(k, steps, x.sum(-1)) for k, x in found.items()), scales=view, band=band)
          for title, found in (("2: $\\epsilon|x_1+x_2|+|x_1-x_2|$", second),
                               ("3: one of two samples", third))),
    )  # fmt: skip
    note = (
        "counterexample 1 without its box [-1, 1]: runs end before they leave it; 3 with absolute "
        "in place of squared errors, whose signs are as those of the theorem's sum of losses"
    )
    return Reproduction(numbers, panels, (note,))


_START = torch.tensor([1.0, 1.001], dtype=torch.float64)


def _slopes() -> Absolute:
    """x/4 as the mean of 4 x and three times -x, one of which is drawn."""
    a = torch.tensor([[[4.0], [-1.0], [-1.0], [-1.0]]], dtype=torch.float64)
    return Absolute("first", a, torch.full((1, 4), -_CLIFF, dtype=torch.float64), batch=1)


def _two_samples() -> Absolute:
    """|<a_s, x>| with a_s = +-(1, -1) + (1, 1)/2, one of which is drawn."""
    a = torch.tensor([[[1.5, -0.5], [-0.5, 1.5]]], dtype=torch.float64)
    return Absolute("third", a, torch.zeros(1, 2, dtype=torch.float64), batch=1)


def _path(name: str, problem: Absolute, x0: Tensor | None, steps: int, replicas: int) -> Floats:
    """Models ``[R, steps + 1, d]``."""
    operator, feedback = _OPERATORS[name]
    method = BSP(_STEP, operator, ErrorFeedback()) if feedback else BSP(_STEP, operator)
    first = next(iter(path(method, problem, 0, replicas=replicas)))
    state = (
        first.state if x0 is None else first.state._replace(x=x0.expand_as(first.state.x).clone())
    )
    with one_thread():
        found = [
            method.models(moment.state)[..., 0, :].clone()
            for moment in path(method, problem, steps, replicas=replicas, state=state)
        ]
    return torch.stack(found, 1).numpy()


FIGURE = PublishedFigure(
    "karimireddy2019-counterexamples",
    "Signs without error feedback fail on three small problems",
    Source("Karimireddy, Rebjock, Stich, Jaggi", 2019, "1901.09847", "Counterexamples 1 to 3"),
    "signSGD climbs on the first and keeps x_1 + x_2 on the others, where EF-signSGD comes near "
    "the minimum",
    measure,
)
