"""``python -m experiments.worst_cases``: compute all worst cases again and keep them."""

from __future__ import annotations

import json
import sys

from experiments.storage.files import write_atomically
from experiments.worst_cases.computing import computed
from experiments.worst_cases.kept import STORED


def main() -> None:
    """Minutes of one processor; a line on standard error for each number."""
    found = computed(lambda line: print(line, file=sys.stderr, flush=True))
    write_atomically(STORED, (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
    print(f"written: {STORED.name}")


if __name__ == "__main__":
    main()
