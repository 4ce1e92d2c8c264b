"""Faults planted in CocktailSGD and its operator, each refuted by a check of its row."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.cocktail import Cocktail
from algorithms.compressors.identity import Identity
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws, drawn_lots
from algorithms.methods.base import RunContext
from algorithms.methods.compressed_optimizers.cocktail_sgd import CocktailSGD, CocktailState
from proofs_check.compressors.check import MONTE_CARLO
from proofs_check.evidence.compressed_optimizers.closed_forms_cocktail_sgd import (
    cocktail,
    cocktail_bits,
    cocktail_delay,
    cocktail_is_two_way_feedback,
    cocktail_limit,
    cocktail_loses_nothing,
)
from proofs_check.mutants.method_mutant import (
    MethodMutant,
    fault,
    wrong_encoding,
    wrong_step,
)


def without_feedback(
    own: CocktailSGD, state: CocktailState, t: int, context: RunContext
) -> CocktailState:
    """memories of workers and server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(
        residual=torch.zeros_like(new.residual), server=torch.zeros_like(new.server)
    )


def cleared_server_memory(
    own: CocktailSGD, state: CocktailState, t: int, context: RunContext
) -> CocktailState:
    """memory of the server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(server=torch.zeros_like(new.server))


@wrong_encoding("cocktail of the smallest", Cocktail(20, 5, 4), check=MONTE_CARLO)
def smallest_of_lot(own: Cocktail, x: Tensor, draws: Draws) -> Symbols:
    """of the lot the smallest are sent"""
    lot, k = own.sizes(x.shape[-1])
    where = drawn_lots(draws, x.shape[-1], lot).expand(*x.shape[:-1], lot)
    inside = x.gather(-1, where)
    _, indices = TopK(k).encode(1 / (inside.abs() + 1e-9), draws)
    values = inside.gather(-1, indices.long())
    return (*NearestGrid(own.b).encode(values, draws), indices)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("CocktailSGD without feedback", judge=cocktail_loses_nothing, on=cocktail())(
        without_feedback
    ),
    wrong_step("CocktailSGD of a forgetful server", judge=cocktail_loses_nothing, on=cocktail())(
        cleared_server_memory
    ),
    wrong_step(
        "CocktailSGD at once of a forgetful server", judge=cocktail_is_two_way_feedback,
        on=replace(cocktail(), delayed=False),
    )(cleared_server_memory),
    fault(
        "CocktailSGD at once", "no delay where one is due", cocktail_delay,
        replace(cocktail(), compressor=Identity(), delayed=False),
    ),
    fault("CocktailSGD stable as without delay", "no delay", cocktail_limit, False),
    fault("cocktail of too many bits", "four bits a value, not three", cocktail_bits,
          Cocktail(0.75, 0.5, 4)),
)  # fmt: skip
