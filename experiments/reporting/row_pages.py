"""Contents of a row's page: update rule, effect, operators, theory, runs, code, literature."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from algorithms.catalogue import Row, forms_of
from algorithms.methods.base import Method
from experiments.reporting.citing import cite
from experiments.reporting.mathml import prose
from experiments.reporting.operators import operator_sections
from experiments.reporting.pictures import Picture
from experiments.reporting.subjects import definition_of, subject_section
from experiments.reporting.theorem_pages import summary
from experiments.reporting.verdict_lines import counts, effect_line, facts, lines
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.curves import RunSeries
from proofs_check.facts import OperatorFacts
from proofs_check.instruments.variant_results import KeptVariants, kept_variants
from proofs_check.verdict import CheckKind

_NESTED = 4  # functions between a recipe and the method that it composes


def row_section(
    row: Row, survey: Survey, table: pd.DataFrame, pictures: Sequence[Picture]
) -> dict[str, Any]:
    """All that the template of a row's page asks for."""
    mine = table[table["row"] == row.key]
    figures = [picture for picture in pictures if picture.row == row.key]
    beside = {f"{row.key}-tradeoff", f"{row.key}-workers"}
    known = {found.name: found for found in facts(survey, OperatorFacts)}
    operators = [operator.name for operator in row.operators]
    return {
        "key": row.key,
        "what": row.what,
        "family": row.family,
        "source": row.source,
        "surveyed": row.surveyed,
        "problems": row.problems,
        "rule": update_rule(row),
        "subject": subject_section(row),
        "operators": operator_sections(operators, known),
        "theorems": [summary(theorem) for theorem in row.theorems],
        "results": [summary(result) for result in row.results],
        "why": row.why,
        "counts": counts(mine),
        "verdicts": lines(mine),
        "effect": effect_line(mine),
        "effects": [p for p in figures if p.effect],
        "variants": _variants(row.key, mine),
        "comparisons": [p for p in figures if p.stem in beside],
        "rates": [p for p in figures if not (p.run or p.effect or p.stem in beside)],
        "runs": [p for p in figures if p.run],
        "forms": [_form(form, table, pictures) for form in forms_of(row.key)],
        "method": _method_line(row, survey),
        "bibtex": str(cite([row.key])),
    }


def update_rule(row: Row) -> dict[str, Any] | None:
    """The docstring of the row's method as HTML with MathML, and its code; None: it has no method.

    The first paragraph is the rule; no field or error is told.
    """
    kind = method_class(row.recipe.build) if row.recipe else None
    if kind is None:
        return None
    said = [prose(paragraph) for paragraph in definition_of(kind)]
    return {
        "name": kind.__name__,
        "module": kind.__module__,
        "rule": said[:1],
        "more": said[1:],
        "code": inspect.getsource(kind),
    }


def method_class(build: Callable[..., Any], nested: int = _NESTED) -> type[Method[Any]] | None:
    """The class of the method that a recipe's function composes, read off its code: a page that is
    written composes nothing. The first that is named there; None where none is.
    """
    if isinstance(build, functools.partial):
        return method_class(build.func, nested)
    if isinstance(build, type):
        return build if issubclass(build, Method) else None
    if not isinstance(build, types.FunctionType) or nested == 0:
        return None
    names = (build.__globals__.get(name) for name in build.__code__.co_names)
    named = [*names, *(cell.cell_contents for cell in build.__closure__ or ())]
    for one in named:
        if isinstance(one, type) and issubclass(one, Method):
            return one
    deeper = (method_class(one, nested - 1) for one in named if callable(one))
    return next((found for found in deeper if found), None)


def _variants(key: str, mine: pd.DataFrame) -> KeptVariants | None:
    """What is kept of the row's effect in variants, if it was measured as it is in this survey."""
    kept, effect = kept_variants().get(key), effect_line(mine)
    if kept is None or effect is None:
        return None
    shown = f"; {kept.description}, error" in effect["provenance"]
    return kept if shown and f"{kept.at_most:.4g}" == effect["bound"] else None


def variants_summary(table: pd.DataFrame) -> str:
    """In how many variants the effects of a survey hold; empty where none was measured."""
    effects = table[table["check_kind"] == CheckKind.EFFECT]
    found = [kept for key in effects["row"].unique()
             if (kept := _variants(key, effects[effects["row"] == key])) is not None]  # fmt: skip
    held, there = sum(one.held for one in found), sum(len(one.measured) for one in found)
    if not there:
        return ""
    return (
        f"{len(found)} of {len(effects)} effects were measured in variants, with another seed, "
        f"stepsizes, n and d: {held} of {there} hold ({held / there:.1%})"
    )


def _form(form: Row, table: pd.DataFrame, pictures: Sequence[Picture]) -> dict[str, Any]:
    """A form of a row: what it does otherwise, its verdicts and runs."""
    mine = table[table["row"] == form.key]
    return {
        "key": form.key,
        "name": form.form,
        "anchor": f"form-{form.form}",
        "what": form.what,
        "why": form.why,
        "counts": counts(mine),
        "verdicts": lines(mine),
        "runs": [p for p in pictures if p.row == form.key],
    }


def _method_line(row: Row, survey: Survey) -> str:
    """The row's method in its first run that has ended, and the network it talks over."""
    for cell, stored in survey.finished:
        for one in stored.result.curves:
            if cell.row == row.key and cell.kind is CellKind.RUN and isinstance(one, RunSeries):
                return f"{one.method}, on {cell.problem}"
    return ""
