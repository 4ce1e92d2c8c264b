"""The results that a survey has written to its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def read_results(report: Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    """One record of ``columns`` a verdict; empty where the folder ``report`` has no survey.

    Raises:
        ValueError: its table cannot be read.
    """
    path = report / "results.parquet"
    if not path.is_file():
        return []
    import pandas as pd

    try:
        table = pd.read_parquet(path, columns=list(columns))
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} is no results table ({error}); `make survey` writes it anew"
        ) from error
    return [{str(key): value for key, value in line.items()} for line in table.to_dict("records")]
