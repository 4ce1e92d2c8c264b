"""``python -m proofs_check.problems.keep_constants``: write the constants that problems state."""

from __future__ import annotations

import json

from algorithms.problems.entries import PROBLEMS
from proofs_check.problems.kept_constants import FILE, WORKERS, stated

if __name__ == "__main__":
    made = {entry.name: stated(entry.build(WORKERS)) for entry in PROBLEMS}
    FILE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
