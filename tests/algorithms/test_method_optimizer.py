"""A method's own step on ranks: what one rank cannot do, or has not loaded, is told to all."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist
from torch import nn

from algorithms.kernels.deferred_checks import NonFiniteGradient
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.launch import launch
from algorithms.runner.method_optimizer import MethodOptimizer
from algorithms.synchronisation.compute_times import Constant
from theory.stepsizes import ConstantStep

RANKS, RATE = 2, ConstantStep(0.1)
METHODS = {
    "averaging": BSP(RATE),
    "local steps": LocalSGD(RATE, 2),
    "one arrival a step": BufferedServer(RATE, 20, Constant((1.0, 3.0)), replicas=1),
}


def trained(method):
    """An optimizer after a step, its module, and a closure of losses scaled by a number."""
    module = nn.Linear(3, 1, dtype=torch.float64)
    with torch.no_grad():
        for p in module.parameters():
            p.fill_(0.5)
    optimizer = MethodOptimizer(module, method)

    def closure(scale=1.0):
        loss = scale * module(torch.arange(3, dtype=torch.float64)).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return optimizer, module, closure


def unfinite(method, where):
    """What a rank hears, step by step, of gradients that are NaN on rank ``where``."""
    optimizer, module, closure = trained(method)
    here, incoming = dist.get_rank(), []
    for _ in range(4):
        before, t = module.weight.detach().clone(), optimizer.t
        try:
            optimizer.step(lambda: closure(float("nan") if here == where else 1.0))
        except NonFiniteGradient as error:
            incoming.append(str(error))
            assert optimizer.t == t and torch.equal(module.weight.detach(), before)
        else:
            incoming.append("")
    return incoming


def restored_alone(method):
    """The sentence of a rank where the first alone goes back, then where it has another key."""
    optimizer, _, closure = trained(method)
    first, sentences = optimizer.state_dict(), []
    optimizer.step(closure)
    now = optimizer.state_dict()
    for saved in (first, now | {"key": (1, 2)}):
        if dist.get_rank() == 0:
            optimizer.load_state_dict(saved)
        with pytest.raises(ValueError, match="differs between ranks") as caught:
            optimizer.step(closure)
        sentences.append(str(caught.value))
    optimizer.load_state_dict(now)
    optimizer.step(closure)
    return sentences


def on_a_rank():
    return {name: [unfinite(m, where) for where in range(RANKS)] for name, m in METHODS.items()} | {
        "restored": restored_alone(LocalSGD(RATE, 2))
    }


@pytest.fixture(scope="module")
def ranks():
    return launch(on_a_rank, ranks=RANKS, timeout=60)


@pytest.mark.sharded
@pytest.mark.parametrize("name", METHODS)
def test_a_gradient_that_is_not_finite_is_refused_on_all_ranks(ranks, name):
    for where in range(RANKS):
        here, other = ranks[where][name][where], ranks[1 - where][name][where]
        assert [bool(s) for s in here] == [bool(s) for s in other] and any(here)
        assert all("on this rank gradient 0 of it" in s for s in here if s)
        assert all("on this rank none of them" in s for s in other if s)
    if name != "one arrival a step":
        assert all(all(rank[name][where]) for rank in ranks for where in range(RANKS))


@pytest.mark.sharded
def test_a_state_loaded_on_one_rank_alone_is_refused_on_all(ranks):
    for rank in ranks:
        assert rank["restored"][0].startswith("step differs between ranks: 1 on rank 0, 2 on")
        assert rank["restored"][1].startswith("key differs between ranks: (1, 2) on rank 0")
