"""A study from its arguments to its folder: planned, told, conducted, written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from experiments.study.folder import conducted
from experiments.study.plan import StudyPlan
from experiments.study.steps import steps_of
from proofs_check.cell import CellResult
from proofs_check.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

    from experiments.study.writing import StudyWriter

PAGE = "index.html"
"""The page of a study, in its folder."""


@final
@dataclass(frozen=True)
class FinishedStudy:
    """Result of a study.

    Attributes:
        plan: its arguments, all decided.
        results: what its steps gave, by their keys.
        folder: where everything lies.
        files: what was written.
        problems: pictures that could not be drawn, with the reason.
    """

    plan: StudyPlan
    results: dict[str, CellResult]
    folder: Path
    files: tuple[Path, ...]
    problems: tuple[str, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts, in the order of the steps."""
        from experiments.study.tables import verdicts

        return verdicts(self.results)

    @property
    def frame(self) -> pd.DataFrame:
        """The verdicts as tidy data."""
        import pandas as pd

        return pd.DataFrame([one.record() for one in self.verdicts])

    def record(self) -> dict[str, Any]:
        """Plan, verdicts and files as plain data."""
        written = _writer(self.plan, self.folder).record(self.results)
        return written | {"files": [str(path) for path in self.files]}

    def _repr_html_(self) -> str:
        from experiments.figures.html import block, frame_html, sentence
        from experiments.notebooks.verdict_list import verdicts_html
        from experiments.study.tables import tables_of

        parts = [
            part
            for table in tables_of(self.plan, self.results)
            for part in (sentence(table.caption), frame_html(table.frame))
            if table.stem != "verdicts"
        ]
        return block(
            f"Study of {', '.join(self.plan.rows)} on {self.plan.problem}", *parts,
            verdicts_html(self.verdicts), sentence(f"All of it: {self.folder / PAGE}"),
        )  # fmt: skip


def studied(plan: StudyPlan, folder: Path, tell: Callable[[str], object]) -> FinishedStudy:
    """Conduct a study in a folder; ``tell`` hears what is done, first of all and as it goes.

    Raises:
        ValueError: the folder has other things than a study in it, or the budget of the
            comparison cannot be told.
        KeyboardInterrupt: Ctrl-C; what was finished is kept, and the page tells of it.
        UserCodeError: code of one's own raised.
    """
    if (
        folder.is_dir()
        and any(folder.iterdir())
        and not any((folder / name).exists() for name in ("study.json", "results"))
    ):
        raise ValueError(
            f"out must be a new or empty folder, or one with a study in it, got out={folder} with "
            "other files; another --out would do"
        )
    steps = steps_of(plan)
    writer = cache(lambda: _writer(plan, folder))
    done: dict[str, CellResult] = {}

    def finished(step: Any, result: CellResult) -> None:
        done[step.key] = result
        writer().step(step, result)

    try:
        conducted(plan, steps, folder, tell, finished)
    finally:
        if done:
            ordered = {step.key: done[step.key] for step in steps if step.key in done}
            writer().finish(steps, ordered)
    for problem in writer().problems:
        tell(problem)
    return FinishedStudy(plan, ordered, folder, tuple(writer().files), tuple(writer().problems))


def _writer(plan: StudyPlan, folder: Path) -> StudyWriter:
    """What draws and writes is a second of imports, which comes after the first result is told."""
    from experiments.study.writing import StudyWriter

    return StudyWriter(plan, folder)
