"""The device made on the CPU: what it sees, what it refuses, and that it computes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from algorithms.kernels.devices import put
from tests.algorithms.device_double import DEVICE, DeviceDouble, DevicesMixed, DeviceTensor, held

X = torch.tensor([[1.0, -2.0], [3.0, 4.0]], dtype=torch.float64)
HERE = "tests/algorithms/test_device_double.py"

WAITS: dict[str, Callable[[Tensor], object]] = {
    "item": lambda x: x.sum().item(),
    "truth": lambda x: bool((x > 0).all()),
    "float": lambda x: float(x[0, 0]),
    "list": lambda x: x.tolist(),
    "copy down": lambda x: x.cpu(),
    "copy down by type": lambda x: x.to("cpu", torch.float32),
    "copy into the host's": lambda x: torch.zeros(2, 2, dtype=x.dtype).copy_(x),
    "copy up": lambda x: X.to(x.device),
    "numbers of Python": lambda x: torch.tensor([1.0, 2.0], device=x.device),
    "places": lambda x: (x > 0).nonzero(),
    "mask as index": lambda x: x[x > 0],
    "positions of the host": lambda x: x[torch.tensor([1, 0])],
    "equality": lambda x: torch.equal(x, x),
    "repeats": lambda x: x[0].repeat_interleave((x[0] > 0).long()),
    "decomposition": lambda x: torch.linalg.svd(x),
}

FREE: dict[str, Callable[[Tensor], Tensor]] = {
    "sums": lambda x: x.sum(-1, keepdim=True) + x,
    "masks": lambda x: torch.where(x > 0, x, 0),
    "masks filled": lambda x: x.masked_fill(x > 0, 2.0),
    "places on the device": lambda x: x.gather(-1, torch.ones_like(x, dtype=torch.int64)),
    "views": lambda x: x.t().reshape(-1)[1:].view(3, 1),
    "factories": lambda x: torch.arange(2, device=x.device) * torch.ones_like(x),
    "copied without waiting": lambda x: x + put(X, x.device),
    "numbers of the host": lambda x: x * torch.tensor(2.0, dtype=torch.float64),
    "repeats of known length": lambda x: x[0].repeat_interleave(
        torch.ones_like(x[0]).long(), output_size=2
    ),
}


@pytest.mark.parametrize("kind", WAITS)
def test_a_planted_wait_is_seen(kind: str) -> None:
    with DeviceDouble() as double:
        x = put(X, DEVICE)
        assert double.waits == {}
        WAITS[kind](x)
        assert list(double.waits) == [f"{HERE}:<lambda>"]


@pytest.mark.parametrize("kind", FREE)
def test_what_waits_for_nothing_is_computed(kind: str) -> None:
    with DeviceDouble() as double:
        found = FREE[kind](put(X, DEVICE))
        assert isinstance(found, DeviceTensor) and found.device == DEVICE
    assert double.waits == {}
    assert torch.equal(held(found), FREE[kind](X))


def test_devices_do_not_mix() -> None:
    with DeviceDouble():
        x = put(X, DEVICE)
        for mixed in (lambda: x + X, lambda: X * x.sum(), lambda: torch.cat((x, X))):
            with pytest.raises(DevicesMixed, match=r"tensors of the CPU of shapes \[\(2, 2\)\]"):
                mixed()
        with pytest.raises(TypeError, match="has no numpy"):
            x.numpy()


def test_views_write_through_and_names_stay() -> None:
    with DeviceDouble():
        x = put(X.clone(), DEVICE)
        row = x[0]
        assert row.add_(1) is row
        x[:, 1] = 7.0
        copied = x.clone()
        copied.zero_()
    assert held(x).tolist() == [[2.0, 7.0], [3.0, 7.0]]
    assert held(row).tolist() == [2.0, 7.0]


def test_gradients_are_the_cpus() -> None:
    def loss(x: Tensor) -> Tensor:
        return (x @ x).tanh().sum()

    mapped = torch.func.vmap(torch.func.grad(loss))
    with DeviceDouble() as double:
        found = mapped(put(torch.stack((X, -X)), DEVICE))
    assert double.waits == {}
    assert torch.equal(held(found), mapped(torch.stack((X, -X))))


def test_outside_there_is_no_such_device() -> None:
    with DeviceDouble():
        x = put(X, DEVICE)
    with pytest.raises(RuntimeError, match="outside of a DeviceDouble"):
        x + x
