"""Objects whose plain fields are of another kind are refused where they are made, by name."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algorithms.compressors.atomo import Atomo
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.topologies.ring import Ring
from theory.fields import CheckedFields
from theory.members import modules

WRONG = ("4", [1], {"s": 1}, object())


def classes(kind: type[Any] = CheckedFields) -> Iterator[type[Any]]:
    """Concrete dataclasses of the project that check their fields."""
    for cls in kind.__subclasses__():
        if dataclasses.is_dataclass(cls) and cls.__module__.startswith("algorithms."):
            yield cls
        yield from classes(cls)


def numeric_fields() -> list[tuple[type[Any], str]]:
    modules("algorithms")
    found: set[tuple[type[Any], str]] = {
        (cls, field.name)
        for cls in classes()
        for field in dataclasses.fields(cls)
        if field.init and field.type in ("int", "float", "int | float", "float | None")
    }
    return sorted(found, key=lambda one: (one[0].__name__, one[1]))


def test_every_numeric_field_of_every_part_refuses_what_is_no_number_by_name() -> None:
    fields = numeric_fields()
    assert len({cls for cls, _ in fields}) >= 100
    for cls, name in fields:
        for value in WRONG:
            with pytest.raises(ValueError, match=rf"^{cls.__name__}: {name} should be .* {name}="):
                cls(**{name: value})


@pytest.mark.parametrize("value", [4.5, True, None, "8", np.float64(8.0)])
def test_a_whole_number_is_asked_for(value: object) -> None:
    with pytest.raises(ValueError, match=r"^Ring: n should be a whole number, got n="):
        Ring(value)  # type: ignore[arg-type]


def test_numbers_of_libraries_are_numbers() -> None:
    assert QSGD(np.int64(4)) == QSGD(4)  # type: ignore[arg-type]
    assert TopK(Fraction(1, 2)).k == 0.5  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["4", [1], True, float("nan")])
def test_a_number_or_an_object_of_a_class_is_asked_for(value: object) -> None:
    wanted = "a whole number or a number or of class AtomBudget"
    with pytest.raises(ValueError, match=f"^Atomo: budget should be {wanted}, got budget="):
        Atomo(budget=value)  # type: ignore[arg-type]
    assert Atomo(budget=2).budget == 2


def test_copies_are_made_as_before() -> None:
    one = QSGD(3)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert dataclasses.replace(one, s=4) == QSGD(4)


def test_a_field_that_is_not_a_number_is_refused_and_infinity_is_none_of_it() -> None:
    @dataclasses.dataclass(frozen=True)
    class Shared(CheckedFields):
        share: float

    assert Shared(float("inf")).share == float("inf")
    with pytest.raises(ValueError, match="Shared: share should be a number, got share=nan"):
        Shared(float("nan"))
