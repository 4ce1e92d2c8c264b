"""``python -m experiments.worst_cases``: compute all worst cases again and keep them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser

from experiments.storage.files import write_atomically
from experiments.worst_cases.computing import PARTS, computed
from experiments.worst_cases.kept import STORED, stored
from proofs_check.refute import certified


def main() -> None:
    """Minutes of one processor; a line on standard error for each number."""
    parser = ArgumentParser(prog="python -m experiments.worst_cases", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; others stay")
    parts = parser.parse_args().part or PARTS
    found, certificates = computed(lambda line: print(line, file=sys.stderr, flush=True), parts)
    if "constants" in parts:
        write_atomically(certified.STORED, certified.text_of(certificates).encode())
    kept = {part: found[part] if part in found else stored()[part] for part in PARTS}
    write_atomically(STORED, (json.dumps(kept, indent=1, allow_nan=False) + "\n").encode())
    print(f"written: {STORED.name}")


if __name__ == "__main__":
    main()
