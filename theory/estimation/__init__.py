"""Results on distributed mean estimation, one per file; ESTIMATION holds them all."""

from theory.estimation.atomic_sparsification import atomic_sparsification
from theory.estimation.k_level import k_level
from theory.estimation.randomised_mean import randomised_mean
from theory.estimation.rotated_k_level import rotated_k_level
from theory.estimation.stochastic_binary import stochastic_binary
from theory.estimation.variable_length import variable_length
from theory.theorem import MeanEstimation

ESTIMATION: tuple[MeanEstimation, ...] = (
    stochastic_binary,
    k_level,
    rotated_k_level,
    variable_length,
    randomised_mean,
    atomic_sparsification,
)
