"""Libraries that the project can do without, loaded where one of its features asks for them."""

from __future__ import annotations

import importlib
from typing import Any


def need_cvxpy(feature: str) -> Any:
    """The module cvxpy, which ``feature`` (a plural) needs.

    Raises:
        ImportError: it is not installed; says how to get it.
    """
    try:
        return importlib.import_module("cvxpy")
    except ImportError as error:
        raise ImportError(
            f"{feature} need cvxpy; `pip install rateproof[optimal]` would do"
        ) from error
