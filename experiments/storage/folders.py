"""Folders of a survey: its report, and beside it the results that the report is made of.

Apart from the store, whose types of results take seconds to import.
"""

from __future__ import annotations

from pathlib import Path

USUAL = Path("report")
"""Folder of a survey where none is named."""


def cells_folder(report: Path) -> Path:
    """Folder of the results that a report is made of, beside the report's, as no page links it."""
    whole = report.resolve()
    return whole.parent / f"{whole.name or 'report'}-cells"


def require_survey(report: Path) -> None:
    """Refuse a folder of a survey that is not there; the usual one need not be.

    Raises:
        ValueError: it is not.
    """
    if report != USUAL and not report.is_dir() and not cells_folder(report).is_dir():
        raise ValueError(
            f"report must be the folder of a survey, got report={report}, which is not there; "
            f"`rateproof survey --out {report}` makes one"
        )
