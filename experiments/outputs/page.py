"""The page of what ``--json`` prints: ``python -m experiments.outputs.page`` writes
docs/json.md from the schemas that ``rateproof COMMAND --json-schema`` prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.outputs.schema import commands, schema_of
from experiments.storage.files import write_atomically

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"
"""Where the page lies."""

_HEAD = """# What --json prints

Every command that computes prints pure JSON on standard output with `--json`, and its JSON Schema (2020-12) with `--json-schema`. This page is made of those schemas by `python -m experiments.outputs.page`; the schemas are derived from the types of the results, and tests validate the output of every command.

A number that is not finite (an error that diverged, a target that was never reached) is `null`, so every number may be. Fields that are listed are always there, and no others unless the text says so. An error leaves standard output empty and writes `error: ...` to standard error, with exit code 2 for what was typed, 3 for code of one's own, 4 for a fault of the program; 1 says that something is refuted or failed, with the JSON as usual.
"""  # noqa: E501


def page() -> str:
    """The whole page, as Markdown."""
    return "\n".join([_HEAD, *(_command(name) for name in sorted(commands()))])


def _command(name: str) -> str:
    schema = schema_of(name)
    found = schema.get("$defs", {})
    lines = [f"## {name}\n"]
    if "properties" in schema:
        lines += [f"An object. {schema['description']}\n", _fields(schema)]
    else:
        lines.append(f"{_kind(schema).capitalize()}.\n")
    lines += [f"`{key}`: {one.get('description', '')}\n\n{_fields(one)}"
              for key, one in found.items() if "properties" in one]  # fmt: skip
    return "\n".join(lines)


def _fields(schema: Mapping[str, Any]) -> str:
    rows = [
        f"| `{name}` | {_kind(one)} | {one.get('description', '').replace('|', chr(92) + '|')} |"
        for name, one in schema["properties"].items()
    ]
    return "\n".join(["| field | type | what it is |", "|---|---|---|", *rows, ""])


def _kind(schema: Mapping[str, Any]) -> str:
    """The type in words, as ``list of Verdict``."""
    return " or ".join(dict.fromkeys(_kinds(schema)))


def _kinds(schema: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield f"`{schema['$ref'].rpartition('/')[2]}`"
    elif "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from _kinds(one)
    elif "const" in schema:
        yield f"`{schema['const']}`"
    elif "enum" in schema:
        yield "text"
    elif "prefixItems" in schema:
        yield f"list of {', '.join(_kind(one) for one in schema['prefixItems'])}"
    elif schema.get("type") == "array":
        yield f"list of {_kind(schema.get('items', {}))}"
    elif isinstance(schema.get("additionalProperties"), dict):
        yield f"object of {_kind(schema['additionalProperties'])} by name"
    elif isinstance(schema.get("type"), list):
        yield "number"
    else:
        yield _WORDS.get(schema.get("type", ""), "any")


_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null",
          "object": "object"}  # fmt: skip

if __name__ == "__main__":
    write_atomically(PAGE, page().encode())
