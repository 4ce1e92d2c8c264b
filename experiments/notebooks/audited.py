"""An audit as a notebook has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from experiments.figures.html import block, picture, sentence
from experiments.figures.style import BOUND, FAINT, MEASURED, styled
from experiments.notebooks.verdict_list import verdict_frame, verdicts_html
from proofs_check.audit.audit import Audit
from proofs_check.audit.moments import Sample

_RATIO = r"$\mathrm{E}\Vert C(x)-x\Vert^2\,/\,\Vert x\Vert^2$"


@final
@dataclass(frozen=True)
class Audited:
    """Result of :func:`rateproof.audit`: all that the audit found, under the audit's own names.

    Attributes:
        found: the audit; its attributes are read here too, as in ``audited.refuted``.
    """

    found: Audit

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "found":
            raise AttributeError(name)
        return getattr(self.found, name)

    def __dir__(self) -> list[str]:
        """Names to complete: those of the audit too."""
        theirs = (name for name in dir(self.found) if not name.startswith("_"))
        return sorted({*object.__dir__(self), *theirs})

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: one line a verdict, those on claims first."""
        table = verdict_frame(self.found.verdicts)
        claims = len(self.found.claims)
        table.insert(0, "about", ["claim"] * claims + ["behaviour"] * (len(table) - claims))
        return table

    @property
    def measured(self) -> pd.DataFrame:
        """Tidy data: one line a dimension and vector, with the distortion and its interval."""
        lines = [
            {
                "d": one.d,
                "vector": look.name,
                "ratio": look.ratio,
                "low": look.ratio_low,
                "high": look.ratio_high,
                "bias": look.bias,
                "bias_half_width": look.bias_width,
                "worst": worst,
            }
            for one in self.found.measures
            for look, worst in (*((look, False) for look in one.looks), (one.worst.look, True))
        ]
        names = ["d", "vector", "ratio", "low", "high", "bias", "bias_half_width", "worst"]
        return pd.DataFrame(lines, columns=names)

    def figure(self) -> Figure:
        """The distortion at every vector looked at, by dimension, and at the worst one found."""
        with styled():
            figure = Figure(figsize=(5.6, 3.6), layout="constrained")
            ax = figure.subplots()
            for one in self.found.measures:
                looks = [look for look in one.looks if np.isfinite(look.ratio)]
                ax.plot([one.d] * len(looks), [look.ratio for look in looks], "o", color=FAINT,
                        markersize=4)  # fmt: skip
                _interval(ax, one.d, one.worst.look)
            ax.plot([], [], "o", color=FAINT, label="vectors of the families")
            ax.plot([], [], "o", color=BOUND, label="the worst found, with its interval")
            ax.set_xscale("log")
            sizes = [one.d for one in self.found.measures]
            ax.set_xticks(sizes, [str(d) for d in sizes])
            ax.xaxis.set_minor_locator(NullLocator())
            tops = self.measured["high"].to_numpy(dtype=np.float64)
            ax.set_ylim(0, 1.1 * max(tops[np.isfinite(tops)], default=1.0) or 1.0)
            ax.set_xlabel("dimension d")
            ax.set_ylabel(_RATIO)
            ax.set_title(self.found.subject, color=MEASURED, wrap=True)
            figure.legend(loc="outside lower center", ncols=2)
        return figure

    def _repr_html_(self) -> str:
        found = self.found
        told = [found.headline, found.kind, f"class: {found.fit.text}" if found.fit else ""]
        parts = [sentence(text) for text in told if text]
        parts.append(verdicts_html(found.verdicts))
        if found.measures:
            parts.append(picture(self.figure, f"distortion of {found.subject} by dimension"))
        return block(f"Audit of {found.subject}", *parts)


def _interval(ax: Any, d: int, look: Sample) -> None:
    if np.isfinite((look.ratio, look.ratio_low, look.ratio_high)).all():
        below, above = max(look.ratio - look.ratio_low, 0), max(look.ratio_high - look.ratio, 0)
        ax.errorbar(d, look.ratio, yerr=[[below], [above]], fmt="o", color=BOUND, capsize=3)
