"""JSON of commands, held to the schemas that they state."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from experiments.outputs.schema import schema_of


@cache
def validator(command: str) -> jsonschema.Draft202012Validator:
    """The validator of a command's output; its schema is one."""
    schema = schema_of(command)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def hold(command: str, data: Any) -> None:
    """Fail where the data are not what the command's schema says."""
    error = best_match(validator(command).iter_errors(data))
    assert error is None, f"{command}: {error.json_path}: {error.message}"[:600]
