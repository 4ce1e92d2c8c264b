"""The torch twins on a GPU against the kernels on the CPU; skipped where there is no GPU."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import FORMS, METHODS, PROBLEMS, problem
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.kernels import philox
from algorithms.kernels.deferred_checks import deferred_checks
from algorithms.methods.base import RunContext
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from tests.algorithms.test_host_reads import LONGER, STEPS, WAITS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

ROWS = {one.key: one for one in (*METHODS, *FORMS.values())}
SHARED = ("bsp-sgd", "qsgd", "top-k", "powersgd", "d-psgd", "choco-sgd", "push-sum", "local-sgd")
REPLICAS = 3


def on(device: str, key: str, name: str) -> torch.Tensor:
    """Models of a row after some steps on a device, on the CPU."""
    steps = LONGER.get(key, STEPS)
    built = problem(name, 4)
    method = ROWS[key].build(built, steps)
    network = Simulated(4, device=device)
    moved = built.to(device)
    return run(method, moved, steps=steps, replicas=REPLICAS, network=network, seed=5).model.cpu()


def apart(cpu: torch.Tensor, gpu: torch.Tensor) -> float:
    """How far models are apart, relative to the largest entry, or to 1e-4 where none is larger."""
    return float((cpu - gpu).abs().max() / cpu.abs().max().clamp(min=1e-4))


def test_philox_twin_has_the_kernels_bits():
    ids = torch.arange(64)
    k0, k1 = Key.seed(2).words
    for dtype in (torch.float32, torch.float64):
        cpu = philox.uniform_numba(k0, k1, ids, ids, 1001, dtype)
        gpu = philox.uniform_torch(k0, k1, ids.cuda(), ids.cuda(), 1001, dtype).cpu()
        assert torch.equal(cpu, gpu)


@pytest.mark.parametrize("key", ROWS)
def test_rows_agree_with_the_cpu(key):
    """To 1e-10 relative: sums may be taken in another order, and normals differ in the last bit."""
    name = ROWS[key].problems[0]
    assert apart(on("cpu", key, name), on("cuda", key, name)) <= 1e-10


@pytest.mark.parametrize("name", [entry.name for entry in PROBLEMS])
def test_problems_are_those_of_the_cpu(name):
    """Gradients away from the start too: a problem may start at its minimum, and stay there."""
    here = problem(name, 4)
    shift = torch.linspace(0.1, 1.0, here.d, dtype=here.dtype)
    x, there = here.start() + shift, here.to("cuda")
    cpu, gpu = here.all_gradients(x), there.all_gradients(x.to("cuda")).cpu()
    assert cpu.any() and apart(cpu, gpu) <= 1e-10
    assert apart(on("cpu", "bsp-sgd", name), on("cuda", "bsp-sgd", name)) <= 1e-10


@pytest.mark.parametrize("key", [key for key in ROWS if key not in WAITS])
def test_steps_have_the_host_wait_for_nothing(key):
    """What the device made on the CPU counts, asked of CUDA: a wait raises."""
    built = problem(ROWS[key].problems[0], 4)
    method, built = ROWS[key].build(built, STEPS), built.to("cuda")
    ids = torch.arange(REPLICAS, device="cuda")
    context = RunContext(built, Simulated(4, "cuda"), Key.seed(5), ids)
    with deferred_checks():
        state = method.step(method.init(built.start(), context), 0, context)
        torch.cuda.set_sync_debug_mode("error")
        try:
            for t in range(1, STEPS):
                state = method.step(state, t, context)
        finally:
            torch.cuda.set_sync_debug_mode("default")


def nccl_rank() -> torch.Tensor:
    built = problem("quadratic-sc", 2)
    method = ROWS["bsp-sgd"].build(built, 8)
    network = Sharded(2, device="cuda")
    return run(method, built.to("cuda"), steps=8, network=network).model.cpu()


@pytest.mark.sharded
def test_nccl_ranks_agree_with_the_simulation():
    ranks = min(2, torch.cuda.device_count())
    models = launch(nccl_rank, ranks=ranks, backend="nccl")
    assert all(torch.equal(models[0], model) for model in models)


def sharing_rank() -> dict[str, torch.Tensor]:
    found = {}
    for key in SHARED:
        built = problem("quadratic-sc", 4)
        method, network = ROWS[key].build(built, STEPS), Sharded(4, device="cuda:0")
        found[key] = run(method, built.to("cuda:0"), steps=STEPS, network=network, seed=5).model
    return {key: model.cpu() for key, model in found.items()}


@pytest.mark.sharded
def test_ranks_that_share_a_gpu_agree_with_the_cpu():
    """Over gloo, which sends from the host; collectives, neighbours and pushes among the rows."""
    models = launch(sharing_rank, ranks=2, backend="gloo", fresh=True)
    for key in SHARED:
        built = problem("quadratic-sc", 4)
        cpu = run(ROWS[key].build(built, STEPS), built, steps=STEPS, seed=5).model
        assert all(apart(cpu, of[key]) <= 1e-10 for of in models), key
