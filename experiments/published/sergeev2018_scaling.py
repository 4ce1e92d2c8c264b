"""``rateproof figure sergeev2018-scaling``: Horovod's efficiency on 512 GPUs by model intensity."""

from __future__ import annotations

from algorithms.workloads import WORKLOADS
from algorithms.workloads.base import Workload
from algorithms.workloads.resnet import bottleneck_layers
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_VGG, _RESNET = 0.68, 0.90  # published efficiencies on 512 GPUs
_BACKWARD = 2 / 3  # of a step's computation, during which gradients can be sent
_RESNET_101 = (3, 4, 23, 3)


def measure(_: Request) -> Reproduction:
    """ResNet-101's efficiency from VGG-16's: seconds of messages are as parameters, seconds of
    computation as multiply-adds; nothing is hidden behind the backward pass, or all that can be."""
    vgg, source = WORKLOADS["vgg-16"], WORKLOADS["resnet-50"].source
    layers = tuple(bottleneck_layers(_RESNET_101))
    resnet = Workload("resnet-101", "ResNet-101", "an image of 224 x 224 x 3", layers, source)
    share = (resnet.parameters / resnet.macs) / (vgg.parameters / vgg.macs)
    plain = 1 / (1 + (1 / _VGG - 1) * share)
    sent = (1 / _VGG - 1 + _BACKWARD) * share
    hidden = 1 / (1 + max(0.0, sent - _BACKWARD))
    numbers = (
        near("ResNet-101: parameters, millions", 44.549160, resnet.parameters / 1e6,
             absolute=1e-9, unit="millions", source="torchvision, resnet101"),
        at_least("ResNet-101, nothing hidden: scales better than VGG-16", _VGG, plain,
                 unit="efficiency"),
        at_most("ResNet-101, nothing hidden: no better than published", _RESNET, plain,
                unit="efficiency"),
        at_least("ResNet-101, all hidden that can be: no worse than published", _RESNET, hidden,
                 unit="efficiency"),
        near("ResNet-101, between the two", _RESNET, (plain + hidden) / 2, absolute=0.05,
             unit="efficiency", confidence=Confidence.ORDER),
    )  # fmt: skip
    note = (
        f"VGG-16's {_VGG} gives the one number, seconds a parameter by seconds a multiply-add; "
        "Inception V3, also 0.90, has no list of layers here"
    )
    return Reproduction(numbers, notes=(note,))


FIGURE = PublishedFigure(
    "sergeev2018-scaling",
    "Horovod on 512 GPUs: the model with fewer parameters a multiply-add scales better",
    Source("Sergeev, Del Balso", 2018, "1802.05799", "benchmarks, 512 GPUs"),
    "ResNet-101's 90 percent lies between what VGG-16's 68 percent promises with nothing and with "
    "all communication hidden that can be",
    measure,
)
