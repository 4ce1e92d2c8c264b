"""Where a step asks for a tensor's value: on a GPU the host would wait there.

With checks at every step few rows are without, since every gradient is looked at before it is used
(``finite_rows``); on a GPU checks are late. What is known is listed by file and function; whatever
else appears fails, and so does what has gone.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from algorithms.catalogue import FORMS, METHODS, problem
from algorithms.kernels import extremes
from algorithms.key import Key
from algorithms.late_checks import late_checks
from algorithms.methods.base import World
from algorithms.network.simulated import Simulated

HOUSE = Path(__file__).parents[2]
READS = {"aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero", "aten::masked_select"}

KNOWN = {
    "algorithms/codes/entropy.py:_cut",
    "algorithms/codes/lists.py:_words",
    "algorithms/codes/zero_runs.py:_squeezed",
    "algorithms/compressors/natural_compression.py:_require_range",
    "algorithms/compressors/packet_loss.py:encode",
    "algorithms/kernels/extremes.py:all_finite",
    "algorithms/compressors/spectral_atomo.py:encode",
    "algorithms/kernels/entries.py:blank",
    "algorithms/kernels/lists.py:lengths",
    "algorithms/late_checks.py:finite_rows",
    "algorithms/methods/admm/admm_graph.py:step",
    "algorithms/methods/admm/admm_linearised.py:step",
    "algorithms/methods/admm/admm_star.py:_solved",
    "algorithms/methods/base.py:gradient_of",
    "algorithms/methods/gossip_compressed/quantimed.py:_messages",
    "algorithms/methods/gossip_compressed/quantimed.py:gradient",
    "algorithms/methods/gossip_dual/dual_accelerated.py:step",
    "algorithms/methods/local_updates/adacomm.py:step",
    "algorithms/methods/local_updates/qsparse_async.py:step",
    "algorithms/methods/synchronous/parameter_server.py:_finite",
    "algorithms/network/base.py:_held",
    "algorithms/network/receive_pattern.py:of",
    "algorithms/network/receive_pattern.py:only_arrived",
    "algorithms/network/simulated.py:_common",
    "algorithms/topologies/random_out_neighbour.py:at",
}

CHECKS = {
    "algorithms/kernels/extremes.py:all_finite",
    "algorithms/late_checks.py:finite_rows",
}
"""Of these, what late checks leave out."""


class HostReads(TorchDispatchMode):
    """Notes the function of ``algorithms/`` that reads a value."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def __torch_dispatch__(
        self,
        function: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if function.overloadpacket._qualified_op_name in READS:
            frame = sys._getframe(1)
            while frame.f_back and not ours(Path(frame.f_code.co_filename)):
                frame = frame.f_back
            file = Path(frame.f_code.co_filename).relative_to(HOUSE)
            self.found.add(f"{file}:{frame.f_code.co_name}")
        return function(*args, **(kwargs or {}))


def ours(file: Path) -> bool:
    """Whether it is of the project; an environment may lie in its folder."""
    return any(file.is_relative_to(HOUSE / room) for room in ("algorithms", "tests"))


def reads(work: Callable[[], object]) -> set[str]:
    with HostReads() as seen:
        work()
    return seen.found


@pytest.fixture(scope="module")
def sites() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Rows by the places where their second step reads a value, and so with late checks;
    all rows under ``""``."""
    found, late = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(extremes, "by_torch", lambda x: True)  # as on a GPU
    for one in (*METHODS, *FORMS.values()):
        built = problem(one.problems[0], 4)
        method = one.build(built, 10)
        world = World(built, Simulated(4), Key.seed(0), torch.arange(2))
        state = method.step(method.init(built.start(), world), 0, world)
        for site in reads(lambda m=method, s=state, w=world: m.step(s, 1, w)):
            found[site].add(one.key)
        with late_checks():
            for site in reads(lambda m=method, s=state, w=world: m.step(s, 1, w)):
                late[site].add(one.key)
        late[""].add(one.key)
    monkeypatch.undo()
    return found, late


Sites = tuple[dict[str, set[str]], dict[str, set[str]]]


def test_steps_read_values_where_it_is_known(sites: Sites) -> None:
    found, _ = sites
    assert {site: sorted(rows) for site, rows in found.items() if site not in KNOWN} == {}
    assert KNOWN - set(found) == set(), "these read nothing any more; take them out"


def test_with_late_checks_most_steps_read_nothing(sites: Sites) -> None:
    found, late = sites
    every = late[""]
    others = {site: rows for site, rows in late.items() if site}
    assert set(others) <= KNOWN - CHECKS
    reading = set().union(*others.values())
    assert {"bsp-sgd", "qsgd", "top-k", "ef-signsgd", "d-psgd", "local-sgd"} <= every - reading
    assert len(every - reading) >= 85 > len(every) / 2
    assert len(every - set().union(*(found[site] for site in found))) < 5  # at every step


def test_a_planted_read_is_seen() -> None:
    x = torch.ones(3)
    assert reads(lambda: x.sum().item()) == {"tests/algorithms/test_host_reads.py:<lambda>"}
    assert reads(lambda: bool(x.all()) or x.nonzero())
    assert reads(lambda: x.sum() + x) == set()
