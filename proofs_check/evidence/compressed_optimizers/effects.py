"""Effects of optimizers whose moments are compressed: what each row is for."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.compressors.cocktail import Cocktail
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.compressed_optimizers.cocktail_sgd import CocktailSGD
from algorithms.methods.compressed_optimizers.demo import DeMo
from algorithms.methods.compressed_optimizers.dion import Dion
from algorithms.methods.compressed_optimizers.one_bit_adam import OneBitAdam
from algorithms.methods.compressed_optimizers.zero_one_adam import ZeroOneAdam
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.parts.adam_moments import AdamMoments
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from proofs_check.evidence.compressed_optimizers.dion import by_singular_values
from proofs_check.evidence.compressed_optimizers.feedback import without_feedback
from proofs_check.instruments.bits_setting import bits_until, noisy
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import OneWrongStep

_SAMPLES, _WIDTH, _WARM = 64, 64, 40
_BETAS = AdamMoments(beta2=0.99)


def _scaled_features(n: int) -> Logistic:
    """Logistic regression whose features have scales from 1 to 0.03 in another order: gradients,
    their noise and the curvature differ as much from coordinate to coordinate."""
    scales = 0.03 ** ((13 * torch.arange(_WIDTH)) % _WIDTH / (_WIDTH - 1))
    features = normal_rows(n * _SAMPLES, _WIDTH, "features").reshape(n, _SAMPLES, _WIDTH)
    teacher = 3 * normal_rows(1, _WIDTH, "teacher")[0] / _WIDTH**0.5
    doubt = normal_rows(n, _SAMPLES, "labels")
    labels = torch.where(features @ teacher + doubt > 0, 1.0, -1.0).double()
    return Logistic.from_data(features * scales, labels, L2(1e-4), batch=4)


ONE_BIT_ADAM = contrast(
    "one-bit-adam",
    "momenta of one bit both ways follow Adam for a fraction of its bits, because v is frozen "
    "before signs of one scale could level it",
    Setting(
        "logistic regression, features of scales from 1 to 0.03", _scaled_features, 8, 1000,
        (0.01, 0.02, 0.04), replicas=48, d=Fixed.DATA, note=f"warm-up of {_WARM} steps",
    ),
    Reading("both_ways", target=0.015),
    method=arm(
        "1-bit Adam, chunks of 16",
        lambda it: OneBitAdam(it.step, _WARM, Buckets(ScaledSign(), 16), _BETAS),
    ),
    baseline=arm(
        "Adam, uncompressed", lambda it: OneBitAdam(it.step, it.setting.length, moments=_BETAS)
    ),
    without=arm(
        "Adam on signs with error feedback, v not frozen",
        lambda it: OneBitAdam(
            it.step, _WARM, Buckets(ScaledSign(), 16), _BETAS, frozen=False
        ),
    ),
    at_most=0.5,
    source="Tang et al. 2021, arXiv:2102.02888, Sections 3.2 and 3.3 and Algorithm 1",
)  # fmt: skip


def _scattered_curvatures(n: int, d: int) -> Quadratic:
    """Curvatures from 1 to 0.1 in another order, minimisers mostly common."""
    a = 0.1 ** ((13 * torch.arange(d)) % d / (d - 1)).double()
    b = 3 * normal_rows(1, d, "common") + normal_rows(n, d, "own")
    return Quadratic.from_arrays(a.expand(n, -1), b, sigma2=1.0)


DEMO = contrast(
    "demo",
    "on two workers (an all-gather grows with n) one coefficient of sixteen leads where signs of "
    "full gradients do, because what was sent is taken off each momentum, so that the next largest "
    "has its turn",
    Setting(
        "2 workers with minimisers of their own, curvatures from 1 to 0.1, noise 1",
        _scattered_curvatures, 2, 600, (0.04, 0.08, 0.16, 0.32, 0.64), replicas=64, d=64,
    ),
    Reading("both_ways", target=0.7),
    method=arm("DeMo, 1 of 16", lambda it: DeMo(it.step, 16, 1, 0.99)),
    baseline=arm(
        "signs of the mean of full gradients", lambda it: BSP(it.step, downlink=Sign())
    ),
    without=arm(
        "what was sent stays in the momentum",
        lambda it: DeMo(it.step, 16, 1, 0.99, decoupled=False),
    ),
    at_most=0.85,
    source="Peng, Quesnelle, Kingma 2024, arXiv:2411.19870, Algorithm 1",
)  # fmt: skip

_FRESH = 6
"""Seed that effects are measured on whose settings were sought on others."""

_SIDE, _RANK = 8, 3


def _rows_of_curvatures(n: int) -> Quadratic:
    """Matrices of 8 x 8 whose rows have curvatures from 1 to 0.00001: gradients are of full rank,
    with singular values as far apart."""
    falling = 1e-5 ** (torch.arange(_SIDE).double() / (_SIDE - 1))
    a = falling[:, None].expand(_SIDE, _SIDE).reshape(1, -1)
    b = 2 * normal_rows(1, _SIDE**2, "common") + 0.1 * normal_rows(n, _SIDE**2, "own")
    return Quadratic.from_arrays(a.expand(n, -1), b)


DION = contrast(
    "dion",
    "steps of three equal singular values walk flat directions as fast as steep ones, and so get "
    "there sooner than tuned PowerSGD of the same rank and momentum, which goes by curvature",
    Setting(
        "quadratic of 8 x 8 matrices, rows of curvatures from 1 to 0.00001, without noise",
        _rows_of_curvatures, 4, 1200, (0.2, 0.4, 0.6, 0.8, 1.2), replicas=32,
        d=Fixed.LAYERS, seed=_FRESH,
    ),
    Reading(quantity="squared_distance", target=0.2, share=True),
    method=arm("Dion of rank 3", lambda it: Dion(it.step, _RANK, 0.9)),
    baseline=arm(
        "PowerSGD of rank 3, momentum 0.9",
        lambda it: PowerSGD(it.step, _RANK, optimizer=Momentum(0.9)),
        step=(0.8, 1.6, 2.4, 3.2, 3.6),
    ),
    without=arm(
        "moves by P R^T, with the singular values of the momentum",
        lambda it: OneWrongStep(Dion(it.step, _RANK, 0.9), by_singular_values),
        step=(0.32, 0.64, 1.28, 2.5, 5.0),
    ),
    at_most=0.95, tuning=StepsizeChoice.OWN_GRIDS,
    source="Ahn et al. 2025, arXiv:2504.05295, Algorithm 1",
)  # fmt: skip

_BOUNDED = AdamMoments(beta2=0.99, eps=1e-3)

ZERO_ONE_ADAM = contrast(
    "zero-one-adam",
    "local steps and a v that is refreshed ever more seldom save bits that 1-bit Adam sends, where "
    "epsilon bounds the first compressed steps, whose v is that of few gradients",
    Setting(
        "logistic regression, features of scales from 1 to 0.03", _scaled_features, 8, 2400,
        (0.015, 0.03, 0.06), replicas=40, points=400, d=Fixed.DATA,
        note="warm-up of 20 steps, rounds of 8, epsilon = 0.001", seed=_FRESH,
    ),
    Reading("both_ways", target=0.008),
    method=arm(
        "0/1 Adam, chunks of 16",
        lambda it: ZeroOneAdam(it.step, 20, 8, Buckets(ScaledSign(), 16), _BOUNDED),
    ),
    baseline=arm(
        "1-bit Adam, warm-up of 20 steps",
        lambda it: OneBitAdam(it.step, 20, Buckets(ScaledSign(), 16), _BOUNDED),
    ),
    without=arm(
        "meets at every step",
        lambda it: ZeroOneAdam(it.step, 20, 1, Buckets(ScaledSign(), 16), _BOUNDED),
    ),
    at_most=0.7,
    source="Lu, Li, Zhang, De Sa, He 2022, arXiv:2202.06009, Algorithm 1",
)  # fmt: skip

_GRID = NearestGrid(2)

LOCO = contrast(
    "loco",
    "two bits a coordinate reach the accuracy of full gradients, because the average of past "
    "errors comes along",
    noisy(1.0), bits_until(0.05),
    method=arm(
        "LoCo, two bits, b = 0.5",
        lambda it: BSP(it.step, _GRID, MovingAverageFeedback(0.5, 64)),
    ),
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "two bits without memory", lambda it: BSP(it.step, _GRID, MovingAverageFeedback(0.0))
    ),
    at_most=0.3,
    source="Xie, Lin, Toh, Zhou 2024, arXiv:2407.04480, Algorithm 1",
)  # fmt: skip

_MIX = Cocktail(0.25, 0.5, 4)

COCKTAIL_SGD = contrast(
    "cocktail-sgd",
    "an eighth of the coordinates of four bits, one step late, reaches the accuracy for a fraction "
    "of the bits, because both ends send later what they left out",
    replace(noisy(10.0), steps=600, replicas=64), bits_until(0.1, "both_ways"),
    method=arm("CocktailSGD, 8 of 64", lambda it: CocktailSGD(it.step, _MIX)),
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "without feedback",
        lambda it: OneWrongStep(CocktailSGD(it.step, _MIX), without_feedback),
    ),
    at_most=0.25,
    source="Wang, Lu, Yuan et al. 2023, ICML, CocktailSGD",
)  # fmt: skip
