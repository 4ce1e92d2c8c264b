"""Closed forms of what all methods call: gradients, messages and answers of a run's helpers.

A method that calls each of them in every step is run, of three replicas on four unequal workers;
what came of each call, what it was charged and when it was over is computed again row by row.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.core.faults import Faults
from algorithms.engine.run import run
from algorithms.methods.base import NonFiniteGradient, RunContext
from algorithms.methods.parts.scheduled import places
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.point_to_point import PointToPointNetwork
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.box import Box
from algorithms.sets.projection import Projection
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.base import Neighbours
from proofs_check.instruments.evidence import identity
from proofs_check.methods.helper_probe import HelperProbe
from proofs_check.methods.instrumented_run import RunObservations, watch
from proofs_check.methods.plain_helpers import PURPOSES, PlainHelpers, key_by_hand
from proofs_check.methods.run_invariants import fresh_draws, message_lengths
from proofs_check.methods.run_paths import recorded, resumed
from proofs_check.methods.run_twins import named_draws
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_SEED, _STEPS, _REPLICAS = 21, 7, 3
_OPERATORS: tuple[Compressor, ...] = RandK(2), RandomMask(0.5, send_indices=True)
"""Operators that draw where they write and where they read, of fixed and of varying length."""

_WEIGHTS = np.array(
    [[0.4, 0.6, 0, 0], [0, 0.5, 0.25, 0.25], [0.3, 0, 0.7, 0], [0.1, 0.2, 0.3, 0.4]]
)
"""A directed graph whose workers hear and are heard by different numbers of others."""

_CLAIM = "row by row, under keys by hashlib"
_BILLS = "sent_bits", "received_bits", "sent_messages", "received_messages", "uploaded_messages"


def _problem() -> Quadratic:
    """Least squares of four workers, each with a Hessian of its own, with Gaussian noise."""
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0.5, 1, (4, 6)), rng.standard_normal((4, 6))
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b), sigma2=1.0)


def helpers_of_methods() -> tuple[Verdict, ...]:
    """Every helper in a run: what it gives, costs and takes, its draws, and the run's records."""
    fixed, varying = (_helpers(operator) for operator in _OPERATORS)
    return (*fixed, *varying, *_ways(_OPERATORS[0]))


def _ways(operator: Compressor) -> tuple[Verdict, ...]:
    """The run as it is recorded, and interrupted and resumed."""
    problem, method = _problem(), HelperProbe(operator, Neighbours(_WEIGHTS))
    seen = watch(method, problem, steps=_STEPS, replicas=_REPLICAS, seed=_SEED)
    where = f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps"
    return (
        recorded(method.name, problem, method, seen, _SEED, where, None),
        resumed(method.name, problem, method, seen, _SEED, where),
    )


def _helpers(operator: Compressor) -> tuple[Verdict, ...]:
    problem, method = _problem(), HelperProbe(operator, Neighbours(_WEIGHTS))
    seen = watch(method, problem, steps=_STEPS, replicas=_REPLICAS, seed=_SEED)
    told = list(method.told)
    plain = PlainHelpers(problem, operator, _WEIGHTS, STANDARD, told, _SEED)
    due, where = plain.rows(), f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps"
    trace = run(
        method, problem, steps=_STEPS, seed=_SEED, replicas=_REPLICAS, points=_STEPS + 1,
        timing=STANDARD,
    )  # fmt: skip
    hours = np.stack([plain.hours[t] for t in range(_STEPS)], -1)
    subject, given = method.name, (method.name, problem)
    return (
        identity(
            subject, f"helpers give what is computed {_CLAIM}",
            _flat([call.found for call in told]), _flat(due), check="helpers",
            tolerance=1e-12, note=f"{len(told)} calls", provenance=where,
        ),
        identity(
            subject, "messages have the keys of their purposes and steps",
            _keys(seen), _due_keys(), check="keys of messages", tolerance=0.0, provenance=where,
        ),
        identity(
            subject, "senders and receivers are charged the stated lengths", _charges(seen),
            np.stack([plain.bills[t] for t in range(_STEPS)]), check="bills of helpers",
            tolerance=0.0, provenance=where,
        ),
        identity(
            subject, "a run's seconds are those of a clock in plain arithmetic",
            trace.seconds[:, 1:] / hours, 1.0, check="clock", provenance=where,
        ),
        fresh_draws(*given, seen, (), where),
        named_draws(*given, seen, (), where),
        message_lengths(*given, seen, where),
    )  # fmt: skip


def _flat(rows: list[Tensor]) -> Floats:
    found: Floats = torch.cat([one.reshape(-1) for one in rows]).numpy()
    return found


def _keys(seen: RunObservations) -> list[tuple[int, int, int]]:
    """Step and key of every message that was charged, each once."""
    return sorted({(one.t, *one.packet.key.words) for one in seen.sent})


def _due_keys() -> list[tuple[int, int, int]]:
    purposes = set(PURPOSES.values()) - {"gradient"}
    return sorted(
        (t, *key_by_hand(_SEED, (purpose, t)).words) for purpose in purposes for t in range(_STEPS)
    )


def _charges(seen: RunObservations) -> Floats:
    totals = [np.stack([getattr(one, name).numpy() for name in _BILLS]) for one in seen.charged]
    found: Floats = np.diff(np.stack(totals), axis=0).astype(np.float64)
    return found


def helpers_elsewhere() -> tuple[Verdict, ...]:
    """Helpers where some workers live elsewhere, where workers count their draws, and where faults
    are planted."""
    problem, ids = _problem(), torch.tensor([0, 5, 2])
    here = RunContext(problem, Simulated(4), key_by_hand(_SEED), ids)
    part = replace(here, network=PointToPointNetwork(4, torch.tensor([1, 2])))
    made, due = list[Tensor](), list[Tensor]()
    for t in (3, 200):
        x = torch.linspace(-1, 1, 3 * 3 * 6).double().view(3, 3, 6)
        workers = torch.tensor([[3, 1, 4], [0, 2, 4], [0, 1, 4]])
        local = torch.tensor([False, True, False])[:, None]
        own = _gradients(problem, x, workers.clamp_max(3), ids, t)
        made.append(part.gradient_of(x, workers, t))
        due.append(torch.where(local, own, 0.0))
        made.append(here.gradient_of(x, workers, t)[:, :2])
        due.append(own[:, :2])
        told = torch.tensor([7, 0, t])
        by_count = [
            _gradients(problem, x[:, k : k + 1], workers[:, k : k + 1], ids, int(told[k]))
            for k in range(2)
        ]
        made.append(here.gradient_by_count(x[:, :2], workers[:, :2], told[:2].expand(3, 2)))
        due.append(torch.cat(by_count, 1))
        counted = here.uploaded_by_count(_OPERATORS[0], x, workers, told.expand(3, 3))
        made.append(counted)
        due.append(torch.cat([_uploads(x, workers, ids, k, int(told[k])) for k in range(3)], 1))
        made.append(part.pack(_OPERATORS[0], x[:, :2], t).own(part.network.workers))
        due.append(_uploads_of(x[:, :2], torch.tensor([[1, 2]] * 3), ids, "compress", t))
        made.append(part.pack_server(_OPERATORS[0], x[:, :1], t).own(part.network.server))
        due.append(_uploads_of(x[:, :1], torch.full((3, 1), 4), ids, "publish", t))
        rows = places(workers, part.network, torch.zeros(3, 3, 6)).double()
        made.append(rows)
        lies = torch.tensor([[2.0, 0, 2], [2, 1, 2], [2, 0, 2]]).double()
        due.append(lies[..., None].expand(3, 3, 6))
    verdict = identity(
        "helpers of ranks", f"helpers give what is computed {_CLAIM}, for workers who live here",
        _flat(made), _flat(due), check="helpers", tolerance=1e-12, provenance=f"seed {_SEED}",
    )  # fmt: skip
    return (verdict, _planted(here), _within())


def _gradients(
    problem: Quadratic, x: Tensor, workers: Tensor, ids: Tensor, t: int
) -> Tensor:  # fmt: skip
    """a (x - b) and noise of the key by hand, one row after another."""
    key, found = key_by_hand(_SEED, ("gradient", t)), torch.zeros_like(x)
    for r, k in np.ndindex(*workers.shape):
        w = int(workers[r, k])
        draws = key.draws(ids[r : r + 1], workers[r : r + 1, k : k + 1])
        noise = draws.normal(problem.d, problem.dtype)[0, 0] / math.sqrt(problem.d)
        found[r, k] = problem.a[w] * x[r, k] - problem.c[w] + noise
    return found


def _uploads(x: Tensor, workers: Tensor, ids: Tensor, k: int, t: int) -> Tensor:
    """Column k as the server reads it; zeros of nobody."""
    rows = _uploads_of(x[:, k : k + 1], workers[:, k : k + 1], ids, "compress", t)
    return torch.where(workers[:, k : k + 1, None] == 4, 0.0, rows)


def _uploads_of(x: Tensor, workers: Tensor, ids: Tensor, purpose: str, t: int) -> Tensor:
    key, found = key_by_hand(_SEED, (purpose, t)), torch.zeros_like(x)
    for r, k in np.ndindex(*workers.shape):
        draws = key.draws(ids[r : r + 1], workers[r : r + 1, k : k + 1])
        found[r, k] = _OPERATORS[0].compress(x[r : r + 1, k : k + 1], draws)[0, 0]
    return found


def _planted(here: RunContext) -> Verdict:
    """Faults of one worker's gradient at one step: who has them, and what is said of them."""
    workers, x = torch.tensor([[3, 1], [0, 2], [2, 1]]), torch.zeros(3, 2, 6).double()
    faulty = replace(here, faults=Faults(worker=2, step=4, value=7.0))
    found, due = list[bool](), list[bool]()
    for t in (3, 4, 5):
        for rows, whose in (
            (faulty.gradient_of(x, workers, t), workers),
            (faulty.gradient(torch.zeros(3, 1, 6).double(), t), torch.arange(4).expand(3, 4)),
            (faulty.checked(x, t, workers), workers),
        ):
            found += (rows == 7.0).all(-1).flatten().tolist()
            due += [t == 4 and worker == 2 for worker in whose.flatten().tolist()]
    told = _said(replace(here, faults=Faults(worker=2, step=4)))
    return identity(
        "planted faults", "the gradient of one worker at one step is replaced, and told",
        [*found, "worker 2 at step 4, replica (0,)" in told], [*due, True],
        check="planted faults", tolerance=0.0, provenance=f"seed {_SEED}",
    )  # fmt: skip


def _said(faulty: RunContext) -> str:
    """What is said where a gradient of step 4 is not a number, and none of steps 3 and 5."""
    x = torch.zeros(3, 1, 6).double()
    for t in (3, 5):
        faulty.gradient(x, t)
    try:
        faulty.gradient(x, 4)
    except NonFiniteGradient as error:
        return str(error)
    return ""


def _within() -> Verdict:
    """A minimum over a ball is for methods that keep their models in it: where that is the set that
    they project on, and where it is a little smaller or larger."""
    box = Projection(Box(-1.0, 1.0))
    method = BSP(ConstantStep(1.0), proximal=box)
    reach, problem = math.sqrt(6), _problem()
    radii = (reach, reach * (1 - 1e-9), reach * (1 + 1e-9), math.inf)
    found = [not method.unfit(replace(problem, within=radius)) for radius in radii]
    return identity(
        "minima over balls", "methods that stay in a ball, its edge included, are fit for it",
        found, [True, False, True, True], check="fit methods", tolerance=0.0,
        provenance="a box of six coordinates",
    )  # fmt: skip


CLOSED_FORMS = (helpers_of_methods, helpers_elsewhere)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: their steps are made of such helpers."""
