"""A measured rate as a notebook has it: the points, the verdict, and both drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.figures.html import block, picture, sentence
from experiments.figures.rate import rate_figure
from experiments.figures.style import styled
from experiments.notebooks.verdict_list import verdicts_html
from experiments.reporting.drawings import rate_curves
from proofs_check.methods.sweep import Sweep, rate_panel
from proofs_check.verdict import Verdict


class Rated(NamedTuple):
    """Result of :func:`rateproof.rate`, ``points, verdict = ...`` or whole.

    Attributes:
        points: what was measured along the variable.
        verdict: the fitted exponent beside the stated one.
    """

    points: Sweep
    verdict: Verdict

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: the variable, its value, replica, error."""
        replicas, values = self.points.samples.shape
        return pd.DataFrame(
            {
                "variable": self.points.variable,
                self.points.variable: np.repeat(self.points.x, replicas),
                "replica": np.tile(np.arange(replicas), values),
                "error": self.points.samples.T.ravel(),
            }
        )

    def figure(self) -> Figure:
        """The points with their band, the fitted power law, the stated order."""
        with styled():
            return rate_figure(rate_curves(rate_panel(self.points, self.verdict)))

    def _repr_html_(self) -> str:
        parts = (
            verdicts_html((self.verdict,)),
            sentence(f"{self.points.quantity}; {self.points.description}"),
            picture(self.figure, self.verdict.claim),
        )
        return block(f"{self.verdict.subject}: rate in {self.points.variable}", *parts)
