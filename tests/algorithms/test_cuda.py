"""The torch twins on a GPU against the kernels on the CPU; skipped where there is no GPU."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import METHODS, problem, row
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.kernels import philox
from algorithms.kernels.deferred_checks import deferred_checks
from algorithms.methods.base import RunContext
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from tests.algorithms.test_host_reads import STEPS, WAITS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

READY = [r.key for r in METHODS]


def on(device: str, key: str, name: str, steps: int = 12) -> torch.Tensor:
    """Last mean model of a row on a device, on the CPU."""
    built = problem(name, 4)
    method = row(key).build(built, steps)
    moved = built.to(device)
    network = Simulated(4, device=device)
    return run(method, moved, steps=steps, replicas=3, network=network, seed=5).model.cpu()


def test_philox_twin_has_the_kernels_bits():
    ids = torch.arange(64)
    k0, k1 = Key.seed(2).words
    for dtype in (torch.float32, torch.float64):
        cpu = philox.uniform_numba(k0, k1, ids, ids, 1001, dtype)
        gpu = philox.uniform_torch(k0, k1, ids.cuda(), ids.cuda(), 1001, dtype).cpu()
        assert torch.equal(cpu, gpu)


@pytest.mark.parametrize("key", READY)
def test_rows_agree_with_the_cpu(key):
    """To 1e-10 relative: sums may be taken in another order, and normals differ in the last bit."""
    name = "consensus" if key == "choco-gossip" else "quadratic-sc"
    cpu, gpu = on("cpu", key, name), on("cuda", key, name)
    assert float((cpu - gpu).abs().max()) <= 1e-10 * float(cpu.abs().max())


@pytest.mark.parametrize("key", [key for key in READY if key not in WAITS])
def test_steps_have_the_host_wait_for_nothing(key):
    """What the device made on the CPU counts, asked of CUDA: a wait raises."""
    built = problem(row(key).problems[0], 4).to("cuda")
    method = row(key).build(built, STEPS)
    ids = torch.arange(3, device="cuda")
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
    method = row("bsp-sgd").build(built, 8)
    network = Sharded(2, device="cuda")
    return run(method, built.to("cuda"), steps=8, network=network).model.cpu()


@pytest.mark.sharded
def test_nccl_ranks_agree_with_the_simulation():
    ranks = min(2, torch.cuda.device_count())
    models = launch(nccl_rank, ranks=ranks, backend="nccl")
    assert all(torch.equal(models[0], model) for model in models)
