"""Rows that are no methods: what stands for them, and what is stated of it."""

from __future__ import annotations

import inspect
from itertools import groupby
from typing import Any

from algorithms.catalogue import Row
from algorithms.collectives.base import Collective
from algorithms.workloads.base import PASSES, Workload
from theory.claims import Confidence
from theory.seconds.intensity import c2c_ratio, model_intensity, ring_factor
from theory.seconds.protocols import ProtocolLink

_WORKERS = 32  # of the C2C ratios that are shown


def subject_section(row: Row) -> dict[str, Any] | None:
    """Kind, parts with their definitions and statements, for the row's page; None for a method.

    Parts of one kind that follow each other share a definition; ``numbers`` are a table of what
    tells parts apart, heads first.
    """
    if row.subject is None:
        return None
    told = [(part.name, definition(part)) for part in row.subject.parts]
    numbers = [line for part in row.subject.parts if (line := part_numbers(part))]
    return {
        "kind": row.subject.kind,
        "states": row.subject.states,
        "parts": [
            {"name": "; ".join(name for name, _ in group), "definition": text}
            for text, group in ((text, list(g)) for text, g in groupby(told, lambda one: one[1]))
        ],
        "numbers": {"heads": list(numbers[0]), "lines": [list(x.values()) for x in numbers]}
        if numbers
        else None,
    }


def part_numbers(part: object) -> dict[str, str]:
    """Numbers of a part, by the head of a column; nothing where there is no more to say."""
    match part:
        case Workload():
            intensity = model_intensity(part.step_flops, part.parameters)
            return {
                "model": part.title,
                "a sample": part.sample,
                "tensors": f"{len(part.tensors)}",
                "parameters": f"{part.parameters:,}",
                "GFLOPs a sample": f"{part.step_flops / 1e9:.4g}",
                "I, multiply-adds once": f"{PASSES * part.macs / part.parameters:.4g}",
                "twice": f"{intensity:.4g}",
                f"C2C, ring of {_WORKERS}": (
                    f"{c2c_ratio(intensity, 1, ring_factor(_WORKERS)):.3g}"
                ),
            }
        case ProtocolLink():
            known = "survey 001" if part.confidence is Confidence.CERTAIN else "from memory"
            return {
                "link": part.name,
                "measured messages": "; ".join(
                    f"{bits / 8:.0f} bytes in {seconds * 1e6:.4g} us"
                    for bits, seconds in part.points
                ),
                "points": known,
            }
        case Collective():
            cost = part.cost() or part.port_cost()
            if cost is None:
                return {}
            return {
                "program": part.name,
                "messages one after another": f"{cost.steps}",
                "vectors sent": f"{cost.sent}",
                "vectors added": f"{cost.added}",
                "ports": "one" if part.cost() else "one to each neighbour",
            }
    return {}


def definition(part: object) -> list[str]:
    """Paragraphs of the docstring of a part's class, without its fields, errors and quotes."""
    return [paragraph.replace("``", "") for paragraph in definition_of(type(part))]


def definition_of(kind: type[Any]) -> list[str]:
    """Paragraphs of the docstring of a class, without its fields and errors."""
    text = inspect.getdoc(kind) or ""
    paragraphs = (p for p in text.split("\n\n") if not p.startswith(("Raises:", "Attributes:")))
    return [" ".join(paragraph.split()) for paragraph in paragraphs]
