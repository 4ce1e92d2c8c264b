"""JSON Schemas of what commands print, derived from types of results (pydantic)."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from typing import Any, final, get_type_hints

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from theory.members import declared

DIALECT = GenerateJsonSchema.schema_dialect
"""JSON Schema 2020-12."""

_LINE = re.compile(r"^    (?:\s{4})?(\w+): (.+(?:\n\s{8,}.+)*)$", re.MULTILINE)


class OutputSchema(GenerateJsonSchema):
    """Schemas of JSON as commands write it: a number that is not finite is null."""

    def float_schema(self, schema: Any) -> JsonSchemaValue:
        """A number, or null where it is not finite."""
        return {"type": ["number", "null"]}


@final
@dataclass(frozen=True)
class PrintedAs:
    """A mark of an annotation ``Annotated[Any, PrintedAs(kind)]``: it is printed as that type.

    Attributes:
        kind: the type, made while the program runs.
    """

    kind: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """The schema of the kind in place of that of the annotation."""
        return handler.generate_schema(self.kind)


def fields_of(result: type, **instead: Any) -> Any:
    """A type with the fields of ``result`` (a dataclass or named tuple), as ``asdict`` and
    ``_asdict`` print them; ``instead`` has types of fields that are printed otherwise or beside.
    """
    names = [one.name for one in fields(result)] if is_dataclass(result) else result._fields  # type: ignore[attr-defined]
    hints = get_type_hints(result)
    made = make_dataclass(result.__name__, [*({n: hints[n] for n in names} | instead).items()])
    made.__doc__ = result.__doc__
    return made


def commands() -> dict[str, Any]:
    """By command, the type of what it prints."""
    return dict(declared("experiments.outputs", "OUTPUTS"))


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of a command's ``--json``.

    Raises:
        KeyError: no type is declared for the command.
    """
    made = TypeAdapter(commands()[command]).json_schema(schema_generator=OutputSchema)
    head = {"$schema": DIALECT, "title": f"rateproof {command} --json"}
    told = {key: one for key, one in _told(made).items() if key != "title"}
    return head | told


def _told(schema: Any) -> Any:
    """The schema with no other fields than those named, each with its line of ``Attributes:``."""
    if isinstance(schema, list):
        return [_told(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {key: _told(one) for key, one in schema.items()}
    if isinstance(found.get("properties"), dict) and found.get("type") == "object":
        text = found.pop("description", "")
        lines = {name: re.sub(r"\s+", " ", line) for name, line in _LINE.findall(text)}
        for name, one in found["properties"].items():
            one.pop("title", None)
            told = lines.get(name) or lines.get(f"{name}_")  # a word of Python's own
            if told:
                one["description"] = told
        found["description"] = text
        found.setdefault("additionalProperties", False)
    if isinstance(found.get("description"), str):
        found["description"] = re.sub(r"\s+", " ", found["description"].split("\n\n")[0])
    return found
