"""A user's module becomes a workload: tensors, order, operations, seconds."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from algorithms.workloads import WORKLOADS
from algorithms.workloads.module import forward_seconds, workload_of


class Tied(nn.Module):
    """An embedding whose matrix is also the last layer's."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 4)
        self.middle = nn.Linear(4, 4)
        self.last = nn.Linear(4, 11, bias=False)
        self.last.weight = self.table.weight

    def forward(self, x: Tensor) -> Tensor:
        return torch.as_tensor(self.last(self.middle(self.table(x))))


def vgg() -> nn.Module:
    layers: list[nn.Module] = []
    inside = 3
    for count, width in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
        for _ in range(count):
            layers += [nn.Conv2d(inside, width, 3, padding=1), nn.ReLU()]
            inside = width
        layers.append(nn.MaxPool2d(2))
    head = [nn.Linear(512 * 49, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.Linear(4096, 1000)]
    return nn.Sequential(*layers, nn.Flatten(), *head)


def test_torch_counts_what_the_definition_counts() -> None:
    """VGG-16 in torch, on the device that only knows shapes."""
    with torch.device("meta"):
        counted = workload_of(vgg(), torch.empty(2, 3, 224, 224))
    defined = WORKLOADS["vgg-16"]
    assert [t.shape for t in counted.tensors] == [t.shape for t in defined.tensors]
    assert [x.macs for x in counted.layers] == [x.macs for x in defined.layers]


def test_a_block_of_bert_is_torchs_own() -> None:
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, dropout=0.0)
        layer.train()
        counted = workload_of(layer, torch.empty(1, 64, 768))
    mine = [x for x in WORKLOADS["bert-base"].layers if x.name.startswith("block3.")]
    assert counted.parameters == sum(x.parameters for x in mine)
    assert counted.macs == sum(x.macs for x in mine)


def test_tied_matrices_are_complete_at_the_first_layer() -> None:
    counted = workload_of(Tied(), torch.tensor([[1, 2, 3]]))
    assert [x.name for x in counted.layers] == ["table", "middle", "last"]
    assert [len(x.tensors) for x in counted.layers] == [1, 2, 0]
    assert [x.macs for x in counted.layers] == [0, 3 * 16, 3 * 44]


def test_seconds_are_measured_for_every_layer() -> None:
    module, x = nn.Sequential(nn.Linear(8, 400), nn.Linear(400, 8)), torch.ones(5, 8)
    seconds = forward_seconds(module, x, repeats=2)
    assert seconds.shape == (len(workload_of(module, x).layers),)
    assert (seconds > 0).all()


def test_what_cannot_be_counted_is_refused() -> None:
    class Lazy(nn.Sequential):
        def forward(self, x: Tensor) -> Tensor:
            return torch.as_tensor(self[0](x))

    with pytest.raises(ValueError, match=r"1\.weight was not reached"):
        workload_of(Lazy(nn.Linear(2, 2), nn.Linear(2, 2)), torch.ones(1, 2))
    with pytest.raises(ValueError, match="samples=COUNT"):
        workload_of(nn.Linear(2, 2))
    with pytest.raises(ValueError, match="repeats must be at least 1, got repeats=0"):
        forward_seconds(nn.Linear(2, 2), torch.ones(1, 2), repeats=0)
