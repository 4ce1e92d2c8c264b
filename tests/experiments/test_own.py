"""``rateproof check MODULE:ATTRIBUTE`` on whatever a user may write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from experiments.cli.main import app

MINE = '''
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import Recipe, Row
from algorithms.codes.base import Field
from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import PushTopology, Topology
from algorithms.topologies.ring import Ring
from theory.claims import Source, Unbiased
from theory.stepsizes import Stepsize

ME = Source("a user", 2026)


@final
@dataclass(frozen=True)
class Slips(Compressor):
    name = "slips"

    def claims(self, d):
        return (Unbiased(ME),)

    def layout(self, d, dtype):
        return (Field.floats("values", d, dtype),)

    def encode(self, x, draws):
        return (x @ torch.ones(3),)  # MARK

    def decode(self, symbols, d, dtype, draws):
        return symbols[0]

    def stated_bits(self, d, float_bits):
        return float(d * float_bits)


@final
@dataclass(frozen=True)
class Lame(Topology):
    n: int = 4
    name = "lame"
    period = 1

    def matrix(self, t):
        return np.full((4, 4), 0.2)


@final
@dataclass(frozen=True)
class Pushed(PushTopology):
    n: int = 5
    name = "pushed"
    period = 1

    def matrix(self, t):
        return (np.eye(5) + np.roll(np.eye(5), 1, 0)) / 2


class State(NamedTuple):
    x: Tensor


@final
@dataclass(frozen=True)
class Diffusion(Method[State]):
    step_rule: Stepsize
    exchange: Exchange
    cheats: bool = False
    last: float = 1.0
    name = "diffusion"

    def constants(self, problem):
        return problem.constants()

    def init(self, x0, world):
        return State(world.rows(x0, len(world.network.workers)))

    def step(self, state, t, world):
        scale = self.last if t == 5 else 1.0
        x = self.exchange.mixed(scale * state.x, t, world)
        if self.cheats:  # the mean of the rows that happen to live here
            x = x.mean(-2, keepdim=True).expand_as(x)
        return State(add_scaled(x, -self.step_rule(t), world.gradient(x, t)))

    def models(self, state):
        return state.x


def recipe(cheats, last=1.0):
    return Recipe(
        lambda step, p, _: Diffusion(step, FixedLinks(Ring(p.n)), cheats, last), (),
        problems=("quadratic-sc",), message_bits=lambda p, float_bits: p.d * float_bits,
    )


SOUND = Row("diffusion", "mine", "mixes, then steps", "a user", recipe(False))
CHEAT = Row("cheat", "mine", "averages without a message", "a user", recipe(True))
LOST = Row("lost", "mine", "sends NaN at step 5", "a user", recipe(False, float("nan")))


def picky(step, p, steps):
    if p.name != "quadratic-sc":
        raise LookupError(p.name)
    return Diffusion(step, FixedLinks(Ring(p.n)))


PICKY = Row("picky", "mine", "knows one problem", "a user",
            Recipe(picky, (), problems=("quadratic-sc", "logreg-breast-cancer")))
PLANNED = Row("planned", "mine", "nothing yet", "a user")
METHOD = Diffusion(None, FixedLinks(Ring(4)))

BOWL = Quadratic.strongly_convex(4, 5, zeta2=1.0)


@final
@dataclass(frozen=True, eq=False)
class Understated(Quadratic):
    """Its L is stated at half of what it is."""

    def constants(self):
        c = super().constants()
        return c.state(c.statements["L"], L=c.need("L") / 2)


FLAT = Understated(BOWL.name, BOWL.a, BOWL.c, BOWL.x_star, BOWL.x0, BOWL.sigma2)
'''


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_users_module.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "half_written.py").write_text("import math\ndef f(:\n", encoding="utf-8")
    (tmp_path / "misnamed.py").write_text("import math\n\nx = maths.pi\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def call(name: str, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of ``rateproof check``."""
    result = CliRunner().invoke(app, ["check", name, *words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def verdicts(name: str) -> tuple[int, list[dict[str, Any]]]:
    code, out, err = call(name, "--json")
    assert code in (0, 1), err
    return code, json.loads(out)


def test_a_problem_is_held_to_the_constants_that_it_states() -> None:
    code, found = verdicts("a_users_module:BOWL")
    assert code == 0
    assert {"constant L", "constant mu", "constant sigma2"} <= {v["check"] for v in found}
    code, found = verdicts("a_users_module:FLAT")
    assert code == 1
    assert "constant L" in [v["check"] for v in found if v["outcome"] == "refuted"]


def test_a_push_topology_is_checked_as_one() -> None:
    code, found = verdicts("a_users_module:Pushed")
    assert code == 0
    assert any("push-sum reaches the exact mean" in v["claim"] for v in found)


def test_a_topology_that_is_not_doubly_stochastic_is_refuted() -> None:
    code, found = verdicts("a_users_module:Lame")
    assert code == 1
    assert any("0.8" in v["evidence"] for v in found if v["outcome"] == "refuted")


@pytest.mark.sharded
def test_a_row_runs_on_its_problems_and_on_real_ranks() -> None:
    code, found = verdicts("a_users_module:SOUND")
    assert code == 0
    outcomes = {v["check"]: v["outcome"] for v in found}
    assert outcomes["progress"] == "supported"
    assert outcomes["bits"] == "agrees"
    assert outcomes["two worlds, 2 ranks"] == outcomes["ledgers, 2 ranks"] == "agrees"


@pytest.mark.sharded
def test_a_method_that_averages_for_nothing_is_caught_on_ranks() -> None:
    code, found = verdicts("a_users_module:CHEAT")
    assert code == 1
    assert [v["check"] for v in found if v["outcome"] == "refuted"] == ["two worlds, 2 ranks"]


def test_a_message_that_is_not_finite_refutes_the_run() -> None:
    code, found = verdicts("a_users_module:LOST")
    assert code == 1
    assert [v["check"] for v in found] == ["progress"]
    assert "is not finite" in found[0]["evidence"]


def test_an_error_in_ones_own_code_is_told_with_its_line() -> None:
    code, out, err = call("a_users_module:Slips")
    line = next(k for k, text in enumerate(MINE.splitlines(), 1) if "MARK" in text)
    assert code == 3
    assert out == ""
    assert err.startswith("error: a_users_module:Slips: RuntimeError: ")
    assert err.endswith(f"(a_users_module.py, line {line})\n")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("half_written:f", "SyntaxError: invalid syntax (half_written.py, line 2)"),
        ("misnamed:x", "NameError: name 'maths' is not defined, in misnamed.py, line 3"),
        ("a_users_module:absent", "has no attribute 'absent')"),
        ("a_users_module:Diffusion", "must be a Compressor, Topology, PushTopology, Problem or"),
        ("a_users_module:METHOD", "Row (a method with its recipe, algorithms/catalogue/row.py)"),
        ("a_users_module:Understated", "needs arguments"),
        (
            "a_users_module:PLANNED",
            "is a row without a recipe; Recipe(make, theorems) would do",
        ),
        (":x", "name must be MODULE:ATTRIBUTE"),
    ],
)
def test_what_cannot_be_checked_is_named_with_what_would_do(name: str, told: str) -> None:
    code, out, err = call(name)
    assert code == 2
    assert out == ""
    assert told in err
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1


def test_what_was_found_before_the_fault_is_shown() -> None:
    code, out, err = call("a_users_module:PICKY", "--json")
    assert (code, out) == (3, "")
    assert "falls from start to end" in err
    assert "a_users_module:PICKY: LookupError: logreg-breast-cancer" in err.splitlines()[-1]


def test_what_was_found_before_an_interrupt_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.ranks.user_objects.two_worlds", interrupted)
    result = CliRunner().invoke(app, ["check", "a_users_module:SOUND", "--json"])
    assert result.stdout == ""
    assert "falls from start to end" in result.stderr
