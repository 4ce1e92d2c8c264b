"""Arguments of ``import rateproof``: what does not fit is refused by name, whatever it is."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import rateproof
from experiments.notebooks.arguments import _adapters as adapters
from experiments.notebooks.arguments import arguments, held, options_for

DOOR = [getattr(rateproof, name) for name in rateproof.__all__ if name not in ("main",)]
POOL: tuple[Any, ...] = (
    None, True, 4.5, 4.0, "4", "x", "", math.nan, math.inf, -1, 0, 1j, [], ["a"], {}, object(),
    b"x", np.float64("nan"), torch.ones(3), len,
)  # fmt: skip
NEEDED = {
    "row": "qsgd", "problem": "quadratic-sc", "rows": ["qsgd", "top-k"], "name": "IV",
    "vary": "T", "theorem": "bsp_nonconvex", "study": {}, "thing": "qsgd", "step": len,
    "optimizer": len, "loop": len, "compressor": len, "module": torch.nn.Linear(1, 1), "loss": len,
    "features": torch.ones(2, 1), "labels": torch.ones(2, 1), "model": None, "n": 2,
}  # fmt: skip


def refused() -> Iterator[tuple[Callable[..., Any], str, Any]]:
    """Every argument of every function of the door that pydantic's own adapter does not take."""
    for function in DOOR:
        for name, adapter in adapters(function).items():
            for value in POOL:
                try:
                    held(name, value, adapter)
                except ValueError:
                    yield function, name, value


CASES: dict[str, list[tuple[str, Any]]] = {}
for _function, _name, _value in refused():
    CASES.setdefault(_function.__name__, []).append((_name, _value))


def test_the_door_checks_numbers_texts_and_lists() -> None:
    assert sum(map(len, CASES.values())) > 500
    assert set(CASES) >= {"run", "compare", "rate", "theorem", "sweep", "audit"}


@pytest.mark.parametrize("function", sorted(CASES))
def test_what_does_not_fit_is_refused_by_name_before_anything_runs(function: str) -> None:
    for name, value in CASES[function]:
        _refused(getattr(rateproof, function), name, value)


def _refused(called: Callable[..., Any], name: str, value: Any) -> None:
    given = inspect.signature(called).parameters
    if given[name].kind is inspect.Parameter.VAR_POSITIONAL:
        with pytest.raises(ValueError, match=rf"^{name} should be .*, got {name}="):
            called(value)
        return
    needed = {
        one: NEEDED[one]
        for one, parameter in given.items()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    if given[name].kind is inspect.Parameter.VAR_KEYWORD:
        name = "k"
    with pytest.raises(ValueError, match=rf"^{name} should be .*, got {name}="):
        called(**{**needed, name: value})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("n", 4.5, "n should be a whole number, got n=4.5"),
        ("n", True, "n should be a whole number, got n=True"),
        ("n", 0, "n should be at least 1, got n=0"),
        ("seed", "x", "seed should be a whole number, got seed='x'"),
        ("gamma", math.nan, "gamma should be a finite number, got gamma=nan"),
        ("gamma", 0, "gamma should be above 0, got gamma=0"),
        ("tuning", "best", "tuning should be 'theorem' or 'grid', got tuning='best'"),
        ("s", 2.5, "compressor.s must be a whole number, as 4 is, got compressor.s=2.5"),
        ("s", True, "compressor.s must be a whole number, as 4 is, got compressor.s=True"),
        ("compressor", 5, "compressor must be an operator or its name, as QSGD"),
    ],
)
def test_a_sentence_names_argument_value_and_what_would_do(
    name: str, value: Any, words: str
) -> None:
    with pytest.raises(ValueError) as told:
        rateproof.run("qsgd", "quadratic-sc", **{"n": 2, "steps": 5, "replicas": 2, name: value})
    assert str(told.value).startswith(words)


def test_numbers_of_numpy_and_torch_are_numbers() -> None:
    def function(n: int, gamma: float) -> None: ...

    given = arguments(function, np.int64(3), gamma=torch.tensor(0.5)).arguments
    assert given == {"n": 3, "gamma": 0.5} and type(given["n"]) is int


def test_a_missing_and_an_unknown_argument_are_named() -> None:
    with pytest.raises(ValueError, match="run: missing a required argument: 'row'; it takes row,"):
        rateproof.run()  # type: ignore[call-arg]
    with pytest.raises(
        ValueError, match=r"there is no option 'budgets', got budgets=3; known: .*budget"
    ):
        rateproof.compare(["qsgd", "top-k"], "quadratic-sc", budgets=3)

    def function(*, known: int = 1) -> None: ...

    assert options_for(function, {"known": 2}) == {"known": 2}
