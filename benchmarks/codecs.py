"""Encoding and decoding of every operator, in copies of the tensor.

    python -m benchmarks.codecs [--json] [NAME ...]

[32 replicas, 64 workers, d = 1000], float32, one thread. A copy reads and writes the tensor once;
``passes`` counts what an operator's definition must do over the d coordinates: read them for a
statistic, draw a number for each, select, write what is sent, read it, write the result. The figure
to watch is ``over``: time over (copy x passes); at most 3 is wanted. Times are the thread's
processor time, so that other work on the machine is left out; what is compared is measured in turn
in one run. Packing to bytes is timed apart: the simulation charges lengths without it. The process
keeps what it frees, as it does in a run.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import torch

from algorithms.catalogue import ROWS
from algorithms.compressors.base import Compressor, code_of
from algorithms.core.key import Key
from algorithms.engine.allocation import keep_freed
from algorithms.engine.run import one_thread
from benchmarks.alternating import Rounds
from proofs_check.instruments.exact import is_random
from theory.claims import NoConstant

REPLICAS, WORKERS, D = 32, 64, 1000


@dataclass(frozen=True)
class Line:
    """One operator: times in copies; ``over`` is time / passes.

    Attributes:
        packing: time to pack.
    """

    operator: str
    copies: float
    passes: int
    over: float
    packing: float


def passes(operator: Compressor) -> int:
    """Passes over the d coordinates that the definition needs.

    Two to write the message and to read it back into a row; one to take a statistic or to choose;
    one to draw a random number for each coordinate (ten rounds of a block cipher for four).
    Selections that sort count log2(d) / 2 passes, as comparing does.
    """
    probe = torch.linspace(-1, 2, D, dtype=torch.float64)
    drawn = 1 if is_random(operator, probe) else 0
    claims = operator.claims(D)
    statistic = 0 if operator.name == "identity" else 1
    sorts = getattr(operator, "k", None) is not None and not isinstance(claims[0], NoConstant)
    return 2 + drawn + statistic + (round(math.log2(D) / 2) if sorts else 0)


def measure(operator: Compressor) -> Line:
    """Encode and decode against a bare copy."""
    key = Key.seed(0)
    x = key.draws(torch.arange(REPLICAS), torch.arange(WORKERS)).normal(D, torch.float32)
    draws = key.fold("compress").draws(torch.arange(REPLICAS), torch.arange(WORKERS))
    target = torch.empty_like(x)
    code = code_of(operator, D, x.dtype)
    symbols = operator.encode(x, draws)

    def through() -> None:
        operator.decode(operator.encode(x, draws), D, x.dtype, draws)

    def packed() -> None:
        code.unpack(code.pack(symbols), code.lengths(symbols))

    rounds = Rounds(
        {
            "copy": partial(_spent, lambda: target.copy_(x)),
            "through": partial(_spent, through),
            "packed": partial(_spent, packed),
        },
        turn=0.05,
        rounds=5,
    )
    copies = rounds.ratio("through", "copy").median
    packing = rounds.ratio("packed", "copy").median
    return Line(operator.name, copies, passes(operator), copies / passes(operator), packing)


def _spent(work: Callable[[], object], count: int) -> float:
    """Processor seconds of this thread for ``count`` times the same work."""
    start = time.thread_time()
    for _ in range(count):
        work()
    return time.thread_time() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("names", nargs="*", help="operators; all by default")
    arguments = parser.parse_args()
    operators = {o.name: o for row in ROWS for o in row.operators}
    unknown = set(arguments.names) - set(operators)
    if unknown:
        sys.exit(f"unknown operators {sorted(unknown)}; known are {', '.join(operators)}")
    keep_freed()
    with one_thread():
        lines = [measure(operators[name]) for name in arguments.names or operators]
    if arguments.json:
        print(json.dumps([asdict(line) for line in lines]))
        return
    print(f"{'operator':44} {'copies':>8} {'passes':>7} {'over':>6} {'packing':>8}")
    for x in lines:
        print(f"{x.operator:44} {x.copies:>8.1f} {x.passes:>7} {x.over:>6.2f} {x.packing:>8.1f}")


if __name__ == "__main__":
    main()
