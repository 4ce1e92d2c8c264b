"""Effects of server optimisers over local steps: what each row is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.optimizers.adaptive_server import AdaptiveServer
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import BlockMomentum, Outer, server_rate
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.outer_optimizers.faults import WrongServer, one_number
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from theory.stepsizes import ConstantStep

_OF_MEAN = " of the mean model"
_QUIET = Setting(
    "quadratic-unequal with curvatures from 1/20 to 1, no noise",
    partial(unequal, sigma2=0.0, ratio=20.0), 8, 2400, (0.0125, 0.025, 0.05, 0.1, 0.2),
    points=300, d=10, note="d = 10, K = 8",
)  # fmt: skip
_LOCAL_SGD = arm("local SGD, H = 8", lambda it: LocalSGD(it.step, 8))


@final
@dataclass(frozen=True)
class NegatedMemory(Outer[Tensor]):
    """A server whose old velocity pulls back: -beta u in the place of beta u.

    Attributes:
        right: the optimiser that it poses as.
    """

    right: Outer[Tensor]

    @property
    def name(self) -> str:
        return f"{self.right.name}, u negated"

    def init(self, x: Tensor) -> Tensor:
        return self.right.init(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        return self.right.update(-state, anchor, mean)

    def after_block(
        self, state: Tensor, anchor: Tensor, mean: Tensor, gamma: float
    ) -> tuple[Tensor, Tensor]:
        return self.right.after_block(-state, anchor, mean, gamma)


def _backwards(it: ArmContext) -> LocalSGD:
    """The row's own method, whose velocity enters with the wrong sign."""
    own: LocalSGD = it.own
    return replace(own, outer=NegatedMemory(own.outer))


_BACKWARDS = arm("momentum of the wrong sign", _backwards)


def _divided(it: ArmContext) -> LocalSGD:
    """The row's own method, whose server divides by its rate."""
    own: LocalSGD = it.own
    assert isinstance(own.outer, BlockMomentum)
    return replace(own, outer=server_rate(1 / own.outer.zeta))


FEDAVG = contrast(
    "fedavg", "a server's rate above 1 makes small local steps, whose drift is small, as fast",
    _QUIET, Reading("sent_bits", "squared_distance", target=0.002, of=_OF_MEAN),
    method="FedAvg, eta_g = 1.5", baseline=_LOCAL_SGD,
    without=arm("the server divides by its rate", _divided), at_most=0.75,
    source="Reddi et al. 2020, arXiv:2003.00295, Section 3: the server's rate",
)  # fmt: skip

FEDAVGM = contrast(
    "fedavgm", "the server's momentum makes small local steps, whose drift is small, fast",
    _QUIET, Reading("sent_bits", "squared_distance", target=0.002, of=_OF_MEAN),
    method="FedAvgM, eta_g = 5, beta = 0.9", baseline=_LOCAL_SGD, without=_BACKWARDS, at_most=0.75,
    source="Hsu, Qi, Brown 2019, arXiv:1909.06335, Section 4",
)  # fmt: skip

SLOWMO = contrast(
    "slowmo", "slow momentum over whole rounds makes small local steps fast",
    _QUIET, Reading("sent_bits", "squared_distance", target=0.002, of=_OF_MEAN),
    method="SlowMo, alpha = 1, beta = 0.8", baseline=_LOCAL_SGD, without=_BACKWARDS, at_most=0.5,
    source="Wang, Tantia, Ballas, Rabbat 2019, arXiv:1910.00643, Section 4",
)  # fmt: skip


def badly_scaled(n: int, d: int) -> Quadratic:
    """Coordinates in units of their own: curvatures from 1 down to 1e-4, every coordinate's
    minimiser as far away as makes it count alike; workers' Hessians differ by a factor up to 2."""
    draws = Key.seed(7).fold("scaled").draws(torch.tensor(0), torch.arange(n))
    scale = 10.0 ** -torch.linspace(0.0, 4.0, d, dtype=torch.float64)
    a = scale * (0.5 + 0.5 * draws.uniform(d, torch.float64))
    far = 1 + 0.2 * draws.fold("minimisers").normal(d, torch.float64)
    return Quadratic.from_arrays(a, far, name="quadratic, coordinates in units of their own")


_SCALED = Setting(
    "quadratic whose curvatures fall from 1 to 1e-4, no noise", badly_scaled, 8, 800,
    (0.1, 0.2, 0.4, 0.8), points=100, d=12, note="d = 12, K = 8",
)  # fmt: skip


def _by_one_number(it: ArmContext) -> LocalSGD:
    """The row's own method with one second moment for all coordinates."""
    own: LocalSGD = it.own
    assert isinstance(own.outer, AdaptiveServer)
    return replace(own, outer=WrongServer(own.outer, one_number))


_WITHOUT = arm("one second moment for all coordinates", _by_one_number)
_FEDAVG = arm("FedAvg", lambda it: LocalSGD(it.step, 8, outer=server_rate(1.0)))
_READ = Reading(quantity="squared_distance", of=_OF_MEAN)
_ADAPTS = "every coordinate moves at a speed of its own, however its gradients are scaled"

FEDADAM = contrast(
    "fedadam", _ADAPTS, _SCALED, _READ,
    method="FedAdam", baseline=_FEDAVG, without=_WITHOUT, at_most=0.3,
    source="Reddi et al. 2020, arXiv:2003.00295, Algorithm 2",
)  # fmt: skip

FEDYOGI = contrast(
    "fedyogi", _ADAPTS, _SCALED, _READ,
    method="FedYogi", baseline=_FEDAVG, without=_WITHOUT, at_most=0.3,
    source="Reddi et al. 2020, arXiv:2003.00295, Algorithm 2",
)  # fmt: skip

FEDADAGRAD = contrast(
    "fedadagrad", _ADAPTS, _SCALED, _READ,
    method="FedAdagrad", baseline=_FEDAVG, without=_WITHOUT, at_most=0.3,
    source="Reddi et al. 2020, arXiv:2003.00295, Algorithm 2",
)  # fmt: skip

_LOGREG = "logreg-breast-cancer"

DILOCO = contrast(
    "diloco", "at one inner stepsize that is small, Nesterov's momentum over rounds makes the "
    "progress of a larger one; tuned, averages of Adam alone are here sooner at one accuracy",
    Setting(
        _LOGREG, lambda n: problem(_LOGREG, n), 8, 1600, ConstantStep(5e-4), replicas=8,
        points=200, d=Fixed.DATA, note="H = 8", seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", target=0.02, of=_OF_MEAN),
    method="DiLoCo, H = 8, rate 0.7, momentum 0.9",
    baseline=arm(
        "Adam on every worker, models averaged every 8 steps",
        lambda it: LocalSGD(it.step, 8, adam(it.problem.shapes)),
    ),
    without=_BACKWARDS, at_most=0.5, tuning=StepsizeChoice.POINT,
    source="Douillard et al. 2023, arXiv:2311.08105, Section 3.1: the outer optimiser alone is "
    "changed, at one inner stepsize",
)  # fmt: skip


STREAMING_DILOCO = contrast(
    "streaming-diloco", "fragments of four bits take DiLoCo, at its small inner stepsize, to one "
    "accuracy for three quarters of the bits up, at most; down they come in full, and cost more "
    "than they save",
    Setting(
        _LOGREG, lambda n: problem(_LOGREG, n), 8, 1600, ConstantStep(5e-4), replicas=16,
        points=400, d=Fixed.DATA, note="H = 8", seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", target=0.02, of=_OF_MEAN),
    method="streaming DiLoCo, 2 fragments, a step late, mix 1/2",
    baseline=arm("DiLoCo, H = 8", lambda it: it.method_of("diloco")),
    without=arm("uncompressed fragments", lambda it: replace(it.own, compressor=Identity())),
    at_most=0.75, tuning=StepsizeChoice.POINT,
    source="Douillard et al. 2025, arXiv:2501.18512, Sections 3 and 4: one inner stepsize",
)  # fmt: skip
