"""A measured rate as a notebook has it: the points, the verdict, and both drawn."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.figures.html import block, picture, sentence
from experiments.figures.rate import rate_figure
from experiments.figures.style import styled
from experiments.notebooks.verdict_list import verdicts_html
from experiments.reporting.drawings import rate_curves
from proofs_check.curves import RatePanel
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.study import fitted
from proofs_check.methods.sweep import Sweep
from proofs_check.verdict import Verdict

_ANY_ERROR = 0.05  # the fitted line does not depend on it


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


def rate_panel(found: Sweep, verdict: Verdict) -> RatePanel:
    """The points with their band, the fitted power law if there is one, the stated order through
    their middle."""
    fit = None
    with suppress(ValueError):  # the verdict says why there is none
        fit = fit_power(found.x, found.samples, _ANY_ERROR)
    stated = np.full_like(found.x, np.nan)
    if verdict.bound is not None:  # then there was a fit, and means are positive
        level = np.exp(np.log(found.samples.mean(axis=0)).mean())
        centre = np.exp(np.log(found.x).mean())
        stated = level * (found.x / centre) ** verdict.bound
    series = fitted(found.x, found.samples, fit, stated)
    return RatePanel(verdict.claim, found.variable, found.quantity, series)
