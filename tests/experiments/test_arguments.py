"""Arguments of ``import rateproof``: what does not fit is refused by name, whatever it is."""

from __future__ import annotations

import importlib.util
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rateproof
from experiments.notebooks.arguments import arguments, options_for
from tests.inputs import calls
from tests.inputs.drawn import judged

FUNCTIONS = {one.__name__: one for one in calls.FUNCTIONS}
"""The door's functions."""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_what_does_not_fit_is_refused_by_name_before_anything_runs(
    name: str, tmp_path: Path
) -> None:
    """Every argument with every value of a pool that its annotation excludes, read by itself."""
    found = [judged(one, 30) for one in calls.spoilt_calls(FUNCTIONS[name], tmp_path)]
    wrong = [(one.drawn.shown, one.standing, one.told) for one in found if one.fault]
    assert found and not wrong


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
    with pytest.raises(ValueError, match=r"torch_method: missing a required .* 'parameters'"):
        rateproof.torch_method("mine", torch.optim.SGD, lambda workers: None)
    with pytest.raises(
        ValueError, match=r"there is no option 'budgets', got budgets=3; known: .*budget"
    ):
        rateproof.compare(["qsgd", "top-k"], "quadratic-sc", budgets=3)

    for given in ({"problem_name": "x"}, {"step": None}):
        with pytest.raises(ValueError, match=f"there is no option {next(iter(given))!r}, got"):
            if "step" in given:
                rateproof.rate("qsgd", "quadratic-sc", "T", n=2, steps=8, **given)
            else:
                rateproof.study(["qsgd"], **given)

    def function(*, known: int = 1) -> None: ...

    assert options_for(function, {"known": 2}) == {"known": 2}


def test_a_type_that_a_module_imports_for_the_checker_alone_is_held(tmp_path: Path) -> None:
    (tmp_path / "typed_apart.py").write_text(
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from fractions import Fraction\n"
        "def function(share: Fraction | None = None) -> None: ...\n"
    )
    spec = importlib.util.spec_from_file_location("typed_apart", tmp_path / "typed_apart.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["typed_apart"] = made
    try:
        spec.loader.exec_module(made)
        assert arguments(made.function, Fraction(1, 2)).arguments == {"share": Fraction(1, 2)}
        with pytest.raises(ValueError, match=r"^share should be .*Fraction, got share=0\.5$"):
            arguments(made.function, 0.5)
    finally:
        del sys.modules["typed_apart"]


def test_numbers_fit_into_64_bits_but_for_seeds_and_truth_values_are_none() -> None:
    def function(
        steps: int = 1, seed: int = 0, gamma: float = 1.0, few: tuple[int, ...] = ()
    ) -> None: ...

    assert arguments(function, seed=10**30).arguments == {"seed": 10**30}
    assert arguments(function, few=[1, 2]).arguments == {"few": (1, 2)}
    for given, told in (
        ({"steps": 2**63}, "steps should be a whole number that 64 bits hold, got steps=92"),
        ({"gamma": np.True_}, "gamma should be a number, got gamma=np"),
        (
            {"steps": torch.eye(2)},
            r"steps should be a whole number, got steps=tensor\(\[\[1., 0.\], \[0., 1.\]\]\)$",
        ),
    ):
        with pytest.raises(ValueError, match=told):
            arguments(function, **given)
