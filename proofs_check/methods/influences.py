"""Table II of survey 002 with numbers: what architecture and synchronisation do to each other.

All combinations run on one heterogeneous, noisy quadratic until every worker has computed as many
gradients, with one stepsize. "Consistency" is how far apart the models lie that gradients are
computed on; "frequency" how many messages a worker sends per gradient; "congestion" how many
messages reach the busiest node at once, and how many cross it per gradient of each worker;
"convergence" the error reached, and the modelled seconds it took, against PS with BSP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.network.ledger import Account
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.stale import SSP
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from algorithms.topologies.ring import Ring
from proofs_check.cell import CellResult
from proofs_check.curves import SchemeNumbers
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import ConstantStep
from theory.survey.influences import INFLUENCES, SurveyInfluence

_N, _D, _GRADIENTS, _REPLICAS, _SEED = 16, 20, 400, 16, 83
_PERIOD, _STALENESS = 8, 3
_STEP = ConstantStep(0.02)


@final
@dataclass(frozen=True)
class _Run:
    """A method, the rows its gradients are taken at, and the most steps it is given."""

    method: Method[Any]
    views: Callable[[Any], Tensor]
    steps: int


def _server(barrier: Barrier, ticks: int) -> _Run:
    times = STANDARD.round_trip(64 * _D, 64 * _D)
    method = ParameterServer(_STEP, ticks, times, barrier, Weighting.ALL, replicas=_REPLICAS)
    return _Run(method, lambda state: state.view[..., :_N, :], ticks)


_LOCAL = _Run(LocalSGD(_STEP, _PERIOD), lambda state: state.x, _GRADIENTS)
_BSP = _Run(BSP(_STEP), lambda state: state.x, _GRADIENTS)
_RUNS: dict[tuple[str, str], Callable[[], _Run]] = {
    ("PS", "BSP"): lambda: _BSP,
    ("PS", "SSP"): lambda: _server(SSP(_STALENESS), _GRADIENTS * _N),
    ("PS", "ASP"): lambda: _server(Asynchronous(), _GRADIENTS * _N),
    ("PS", "Local SGD"): lambda: _LOCAL,
    ("All-Reduce", "BSP"): lambda: _BSP,
    ("All-Reduce", "Local SGD"): lambda: _LOCAL,
    ("Gossip", "BSP"): lambda: _Run(DPSGD(_STEP, Ring(_N)), lambda state: state.x, _GRADIENTS),
}


def _problem() -> Quadratic:
    """Curvatures 0.5 to 1.5 and minimisers that differ between workers, noise of variance 1."""
    generator = torch.Generator().manual_seed(_SEED)
    a = 0.5 + torch.rand((_N, _D), generator=generator, dtype=torch.float64)
    b = torch.randn((_N, _D), generator=generator, dtype=torch.float64)
    x0 = torch.ones(_D, dtype=torch.float64)
    return Quadratic.from_arrays(a, b, sigma2=1.0, x0=x0)


def measure(architecture: str, synchronisation: str) -> SchemeNumbers:
    """Run one combination.

    Raises:
        KeyError: no method of the catalogue combines them yet.
    """
    run = _RUNS[architecture, synchronisation]()
    problem = _problem()
    key, ids = Key.seed(_SEED), torch.arange(_REPLICAS)
    network = Simulated(_N)
    network.stopwatch = Stopwatch(STANDARD, _N, key, ids, run.method.link_speeds)
    context = RunContext(problem, network, key, ids)
    spreads, bursts, seconds = [], [], torch.zeros(_REPLICAS)
    state, seen = run.method.init(problem.start(), context), network.account((_REPLICAS,))
    for t in _until(run):
        state = run.method.step(state, t, context)
        bills = network.account((_REPLICAS,))
        bursts.append(_burst(architecture, seen, bills))
        seen = bills
        rows = run.views(state)
        spreads.append(float((rows - rows.mean(-2, keepdim=True)).square().sum(-1).mean()))
        own = run.method.seconds(state, t + 1)
        seconds = network.stopwatch.seconds if own is None else own
    mean = run.method.models(state).mean(-2)
    error = float(problem.value(mean).mean()) - float(problem.f_star or 0.0)
    sent = float(seen.sent_messages.double().mean()) / _GRADIENTS
    incoming = float(seen.received_messages.double().mean()) / _GRADIENTS
    edges = int(Ring(_N).neighbours(0).out_degree[0]) if architecture == "Gossip" else 1
    return SchemeNumbers(
        architecture, synchronisation, float(np.sqrt(np.mean(spreads))), sent / edges,
        float(np.nanmean(bursts)),
        _crossing(architecture, sent, incoming), error, float(seconds.mean()),
    )  # fmt: skip


def _until(run: _Run) -> Iterator[int]:
    """Steps until each worker has computed its gradients."""
    if not isinstance(run.method, ParameterServer):
        yield from range(run.steps)
        return
    counts = (run.method.schedule(_N).arrivals < _N).sum(-1).double().mean(-1)
    for t in range(run.steps):
        if float(counts[:t].sum()) >= _GRADIENTS * _N:
            return
        yield t


def _burst(architecture: str, before: Account, after: Account) -> float:
    """Messages that reach the busiest node in a step, by the ledger; NaN for a silent one.

    The server hears all that is sent; in gossip a worker hears its neighbours. A ring all-reduce is
    no run of ours: there each node hears one part at a time.
    """
    if architecture == "All-Reduce":
        return 1.0
    if architecture == "PS":
        new = (after.sent_messages - before.sent_messages).double().sum(-1)
    else:
        new = (after.received_messages - before.received_messages).double().amax(-1)
    return float(new[new > 0].mean())


def _crossing(architecture: str, sent: float, incoming: float) -> float:
    """Messages' worth that crosses the busiest node per gradient; all-reduce by its formula."""
    if architecture == "PS":
        return _N * (sent + incoming)
    return sent * 4 * (_N - 1) / _N if architecture == "All-Reduce" else sent + incoming


def influences() -> CellResult:
    """Every cell of Table II beside its measurement, and the numbers of every combination."""
    found = {key: measure(*key) for key in _RUNS}
    lines = [line for line in INFLUENCES if (line.architecture, line.synchronisation) in found]
    verdicts = tuple(
        verdict
        for line in lines
        for verdict in _verdicts(line, found[line.architecture, line.synchronisation], found)
    )
    return CellResult(verdicts, tuple(found.values()))


def _verdicts(
    line: SurveyInfluence, mine: SchemeNumbers, found: dict[tuple[str, str], SchemeNumbers]
) -> Iterator[Verdict]:
    base = found["PS", "BSP"]
    where = f"{line.architecture}, {line.synchronisation}"
    description = f"n={_N}, {_GRADIENTS} gradients a worker, {_REPLICAS} replicas, seed {_SEED}"
    cells = (
        ("model consistency", line.consistency, mine.spread, "rms distance between models"),
        ("communication frequency", line.frequency, mine.frequency, "messages per gradient"),
        ("communication congestion", line.congestion, mine.burst, "messages at once at a node"),
        ("convergence", line.convergence, mine.error / base.error, "error against PS with BSP"),
    )
    ring = line.architecture == "All-Reduce"  # its rounds are no messages to a server
    seconds = "" if ring else f", {mine.seconds:.3g} s in all"
    for column, word, value, what in cells:
        yield Verdict(
            subject="", claim=f"{where}: {column} is {word!r}", check="Table II",
            kind=CheckKind.INFLUENCE, outcome=Outcome.COMPARED, statistic=value,
            evidence=f"{what} {value:.4g}; {mine.crossing:.3g} messages' worth cross the busiest "
            f"node per gradient{seconds}",
            provenance=description,
        )  # fmt: skip
