"""``python -m experiments.questions [KEY ...]``: answer questions again and keep the answers."""

from __future__ import annotations

import json
import sys

from algorithms.core.names import look_up
from experiments.questions.asked import QUESTIONS
from experiments.questions.computing import answered
from experiments.questions.kept import STORED, stored
from experiments.storage.files import write_atomically


def main(keys: list[str]) -> None:
    """Minutes of one processor for each; a line on standard error for each part.

    Raises:
        UnknownName: there is no such question.
    """
    known = {one.key: one for one in QUESTIONS}
    chosen = [look_up("question", key, known) for key in keys] or list(QUESTIONS)
    found = dict(stored()) if STORED.exists() else {}
    for question in chosen:
        found[question.key] = answered(question, lambda line: print(line, file=sys.stderr))
        ordered = {one.key: found[one.key] for one in QUESTIONS if one.key in found}
        text = json.dumps(ordered, indent=None, separators=(",", ":"), allow_nan=False)
        write_atomically(STORED, (text.replace('{"title"', '\n{"title"') + "\n").encode())
    print(f"written: {STORED.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
