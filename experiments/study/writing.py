"""Output of a study: pictures, tables, words, literature, a script that makes it again, a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, final

import pandas as pd
from matplotlib.figure import Figure

from experiments.figures.columns import save_for_paper
from experiments.figures.html import picture
from experiments.figures.layout import fitted, laid_out
from experiments.figures.style import styled
from experiments.figures.tex import name_as_tex, plain_as_tex
from experiments.reporting.page import environment
from experiments.reporting.verdict_lines import MEANINGS
from experiments.storage.files import write_atomically
from experiments.study.pictures import EXPONENTS, StudyPicture, exponents, forest, pictures_of
from experiments.study.plan import StudyPlan
from experiments.study.setting import cited_words, literature, setting
from experiments.study.steps import StudyStep
from experiments.study.tables import StudyTable, latex, tables_of, verdicts
from proofs_check.cell import CellResult

_GAP = 0.25  # inches between two columns


@final
@dataclass
class StudyWriter:
    """Writer of the files of a study into its folder.

    Attributes:
        plan: of the study.
        folder: where everything goes.
        files: what was written so far.
        problems: pictures that could not be drawn, with the reason.
    """

    plan: StudyPlan
    folder: Path
    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _shown: dict[str, tuple[str, StudyPicture, str]] = field(default_factory=dict)

    def step(self, step: StudyStep, result: CellResult) -> None:
        """Draw what a step left; a picture that cannot be drawn costs nothing else."""
        for one in pictures_of(step, result, self.plan.problem):
            self._draw(step.key, one)

    def _draw(self, key: str, one: StudyPicture) -> None:
        width = 2 * self.plan.column + _GAP if one.wide else self.plan.column
        try:
            with styled():
                drawn = one.draw()
                fitted(drawn, width, titled=False)
                self.files += save_for_paper(drawn, self.folder / "figures", one.stem)
            shown = picture(partial(_laid_out, one), one.caption)
        except (ValueError, RuntimeError) as error:
            self.problems.append(f"no picture {one.stem}: {error}")
            return
        self._shown[one.stem] = key, one, shown

    def finish(self, steps: Sequence[StudyStep], done: Mapping[str, CellResult]) -> None:
        """Write tables, words, literature, data, script and page of all that is done."""
        rates = exponents(done)
        if rates:
            self._draw(EXPONENTS, forest(rates))
        tables = tuple(tables_of(self.plan, done))
        for table in tables:
            self._write(f"tables/{table.stem}.tex", latex(table))
        words = setting(self.plan, done)
        cited = literature(self.plan)
        self._write("references.bib", f"{cited}\n")
        typeset = (*map(plain_as_tex, words), cited_words(self.plan))
        self._write("setting.tex", "\n\n".join(filter(None, typeset)) + "\n")
        self._write("study.json", json.dumps(self.record(done), indent=1) + "\n")
        told = self._told(steps, done, tables, words)
        for name in ("section.tex", "reproduce.py", "index.html"):
            self._write(name, environment().get_template(f"study/{name}.j2").render(told))
        for name, content in self.plan.sources.items():
            write_atomically(self.folder / "sources" / name, content)

    def record(self, done: Mapping[str, CellResult]) -> dict[str, Any]:
        """Plan and verdicts as plain data; what is not finite is None."""
        found = [_finite(verdict.record()) for verdict in verdicts(done)]
        return {"plan": self.plan.record(), "verdicts": found}

    def _told(
        self, steps: Sequence[StudyStep], done: Mapping[str, CellResult],
        tables: Sequence[StudyTable], words: Sequence[str],
    ) -> dict[str, Any]:  # fmt: skip
        order = [*(step.key for step in steps), EXPONENTS]
        chosen = sorted(self._shown.values(), key=lambda one: order.index(one[0]))
        counted = pd.Series([one.outcome.value for one in verdicts(done)], dtype=object)
        return {
            "plan": self.plan, "setting": words, "tables": tables,
            "figures": [
                {"stem": one.stem, "caption": one.caption, "html": html, "wide": one.wide,
                 "tex": plain_as_tex(one.caption)} for _, one, html in chosen
            ],
            "counts": [(name, int((counted == name).sum())) for name in MEANINGS
                       if (counted == name).any()],
            "meanings": MEANINGS, "missing": [step.title for step in steps if step.key not in done],
            "title": ", ".join(one.row.key for one in self.plan.subjects),
            "title_tex": name_as_tex(", ".join(one.row.key for one in self.plan.subjects)),
            "subjects": self.plan.subjects, "files": sorted(self._names()),
            "bibtex": str(literature(self.plan)), "problems": self.problems,
            "arguments": self.plan.arguments(),
        }  # fmt: skip

    def _names(self) -> set[str]:
        return {path.relative_to(self.folder).as_posix() for path in self.files}

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        write_atomically(path, text.encode())
        self.files.append(path)


def _laid_out(one: StudyPicture) -> Figure:
    figure = one.draw()
    laid_out(figure)
    return figure


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not abs(value) < float("inf") else value
        for name, value in record.items()
    }
