"""Laws of choices, read off effects that are written down."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from proofs_check.moments.laws import Choice, Tables, choice_law
from proofs_check.moments.reasons import NotLinear
from proofs_check.moments.script import UNIFORM


def weights(effect: object, *choices: Choice) -> list[list[float]]:
    law = choice_law(effect, choices)  # type: ignore[arg-type]
    return [factor.weights.tolist() for factor in law.factors]


def test_thresholds() -> None:
    """Two uniforms that decide apart, by 1/4 and by 1/3."""
    ends = torch.tensor([0.25, 1 / 3], dtype=torch.float64)

    def effect(tables: Tables) -> Tensor:
        return (tables[0] < ends).double()

    found = weights(effect, Choice(UNIFORM, 2))
    assert found == [[0.25, 0.75], pytest.approx([1 / 3, 2 / 3], abs=2**-50)]


def test_orders() -> None:
    """The place of the largest of four."""

    def effect(tables: Tables) -> Tensor:
        return torch.nn.functional.one_hot(tables[0].argmax(-1), 4).double()

    assert weights(effect, Choice(UNIFORM, 4)) == [[0.25] * 4]


def test_choices_that_hang_together() -> None:
    """A product of two signs: no sum of effects, so both are enumerated together."""

    def effect(tables: Tables) -> Tensor:
        return ((2 * tables[0] - 1) * (2 * tables[1] - 1)).double()

    assert weights(effect, Choice(2, 1), Choice(2, 1)) == [[0.5, 0.5]]


def test_a_choice_that_matters_now_and_then() -> None:
    """A uniform that is looked at only if an integer is 2, of 0 to 3: most bases miss it."""

    def effect(tables: Tables) -> Tensor:
        return (tables[0] + 10.0 * (tables[0] == 2) * (tables[1] < 0.5)).double()

    ((*found,),) = weights(effect, Choice(4, 1), Choice(UNIFORM, 1))
    assert sorted(found) == [0.125, 0.125, 0.25, 0.25, 0.25]


def test_no_finite_law() -> None:
    with pytest.raises(NotLinear, match="no finite law"):
        choice_law(lambda tables: tables[0], (Choice(UNIFORM, 1),))


def test_what_no_choice_shows_is_found_by_draws() -> None:
    """A uniform that decides in a sliver between two points of the grid."""

    def effect(tables: Tables) -> Tensor:
        return ((tables[0] > 0.3125) & (tables[0] < 0.32)).double() + (tables[0] > 0.9).double()

    with pytest.raises(NotLinear, match="real draws"):
        choice_law(effect, (Choice(UNIFORM, 1),))
