"""Where a step has the host wait for the device its tensors lie on, and whether its numbers are
those of the CPU there.

Rows and forms take their steps on a device made on the CPU (``device_double``), with late checks as
a run on a GPU has them, and on the CPU. Which rows wait is listed with the reason; whatever else
appears fails, and so does what has gone.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from algorithms.catalogue import FORMS, METHODS, PROBLEMS, problem
from algorithms.catalogue.row import Row
from algorithms.core.key import Key
from algorithms.kernels.deferred_checks import deferred_checks
from algorithms.methods.base import Method, RunContext
from algorithms.network.ledger import Account
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from tests.algorithms.device_double import DEVICE, DeviceDouble, held

STEPS, WORKERS, REPLICAS = 10, 4, 2
LONGER = {"dcs": 18}  # its model is an average that moves for the first time after 16 steps
ROWS = (*METHODS, *FORMS.values())
QUICK = {"bsp-sgd", "qsgd", "top-k", "ef-signsgd", "d-psgd", "local-sgd", "asp", "push-sum"}

SOLVES = "algorithms/kernels/coordinate_descent.py"
CODES = "algorithms/codes/entropy.py:EntropyCode"
WAITS = {
    "adacomm": {"algorithms/methods/local_updates/adacomm.py:AdaComm.next_period"},
    "cola": {
        "algorithms/methods/gossip_local/cola.py:CoLa.local",
        f"{SOLVES}:_prepared",
        f"{SOLVES}:descend",
    },
    "gradiveq": {"algorithms/methods/decomposition/gradiveq.py:leading"},
    "spectral-atomo": {"algorithms/compressors/spectral_atomo.py:SpectralAtomo.encode"},
    "variable-length-coding": {
        f"{CODES}._cut",
        f"{CODES}._cut.<locals>.<genexpr>",
        f"{CODES}.lengths",
    },
}
"""Rows whose steps wait, and where:

* adacomm: whether workers meet depends on the loss, once in each interval, and the host plans it;
* cola: its local solver takes one coordinate after the other, a loop of the CPU;
* gradiveq: LAPACK says whether the eigenvectors of a cycle's basis were found, once a cycle;
* spectral-atomo: so it does of the singular vectors, in each step;
* variable-length-coding: how long an arithmetic code is only its coder can tell, on the CPU.
"""


class Ran(NamedTuple):
    """Models and bill after some steps, and where steps but the first had the host wait."""

    models: Tensor
    bill: Account
    waits: set[str]


def stepped(
    method: Method[object], built: Problem, steps: int, double: DeviceDouble | None = None
) -> Ran:
    """Steps on the problem's own device; the first one may prepare what is known once."""
    device = built.device
    network = Simulated(WORKERS, device)
    context = RunContext(built, network, Key.seed(0), torch.arange(REPLICAS, device=device))
    state = method.init(built.start(), context)
    for t in range(steps):
        if t == 1 and double is not None:
            double.forget()
        state = method.step(state, t, context)
    waits = set() if double is None else set(double.waits)
    return Ran(held(method.models(state)), network.account((REPLICAS,)), waits)


def on_both(one: Row) -> tuple[Ran, Ran]:
    """The CPU's run of a row or form, and the device's."""
    built = problem(one.problems[0], WORKERS)
    steps = LONGER.get(one.key, STEPS)
    method = one.build(built, steps)
    with DeviceDouble() as double, deferred_checks():
        there = stepped(method, built.to(DEVICE), steps, double)
    return stepped(method, built, steps), there


def apart(cpu: Ran, there: Ran) -> float:
    """How far models are apart, relative to the largest entry; infinite where bills differ."""
    if not all(torch.equal(one, other) for one, other in zip(cpu.bill, there.bill, strict=True)):
        return float("inf")
    assert cpu.models.any(), "models that have not moved compare nothing"
    return float((cpu.models - there.models).abs().max() / cpu.models.abs().max())


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[Ran, Ran]]:
    return {one.key: on_both(one) for one in ROWS}


@pytest.mark.slow
def test_steps_wait_where_it_is_known(runs: dict[str, tuple[Ran, Ran]]) -> None:
    assert {key: there.waits for key, (_, there) in runs.items() if there.waits} == WAITS
    assert len(runs) >= 135


@pytest.mark.slow
def test_numbers_on_the_device_are_those_of_the_cpu(runs: dict[str, tuple[Ran, Ran]]) -> None:
    """Models to rounding, since the twins in torch may add in another order; bits and messages
    exactly."""
    far = {key: apart(*both) for key, both in runs.items()}
    assert {key: by for key, by in far.items() if not by <= 1e-10} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in PROBLEMS])
def test_problems_are_the_cpus_and_wait_for_nothing(name: str) -> None:
    (one,) = (one for one in ROWS if one.key == "bsp-sgd")
    built = problem(name, WORKERS)
    method = one.build(built, 3)
    with DeviceDouble() as double, deferred_checks():
        there = stepped(method, built.to(DEVICE), 3, double)
    cpu = stepped(method, built, 3)
    assert there.waits == set()
    assert torch.allclose(cpu.models, there.models, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("key", sorted(QUICK))
def test_these_wait_for_nothing(key: str) -> None:
    (one,) = (one for one in ROWS if one.key == key)
    cpu, there = on_both(one)
    assert there.waits == set()
    assert apart(cpu, there) <= 1e-10


def test_checks_at_every_step_wait() -> None:
    (one,) = (one for one in ROWS if one.key == "bsp-sgd")
    built = problem("quadratic-sc", WORKERS)
    with DeviceDouble() as double:
        there = stepped(one.build(built, STEPS), built.to(DEVICE), STEPS, double)
    assert there.waits == {"algorithms/kernels/extremes.py:all_finite"}


def test_a_planted_twin_and_planted_waits_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = (one for one in ROWS if one.key == "top-k")

    def smallest(x: Tensor, k: int) -> Tensor:
        return x.abs().sort(dim=-1, stable=True).indices[:, :k].sort(dim=-1).values

    def looking(rows: Tensor, keepdim: bool = False) -> Tensor:
        assert rows.cpu().isfinite().all() and rows.sum().item() < torch.inf
        return rows.mean(-2, keepdim=keepdim)

    with monkeypatch.context() as planted:
        planted.setattr("algorithms.kernels.selection.largest_torch", smallest)
        assert apart(*on_both(one)) > 1e-10
    monkeypatch.setattr("algorithms.network.simulated.mean_rows", looking)
    place = f"test_a_planted_twin_and_planted_waits_are_seen.<locals>.{looking.__name__}"
    assert on_both(one)[1].waits == {f"tests/algorithms/test_host_reads.py:{place}"}
