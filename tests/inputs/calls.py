"""Python's door: calls of ``import rateproof`` drawn from its functions' signatures, one argument
spoilt in half of them."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import Phase, find, settings
from hypothesis import strategies as st

import rateproof
from algorithms.catalogue import problem, row
from algorithms.compressors.qsgd import QSGD
from algorithms.tuning.parameters import row_parameters
from experiments.cli.domains import domain_of
from tests.inputs import names
from tests.inputs.drawn import Drawn
from tests.inputs.files import STUDY, nested
from tests.inputs.hints import Argument, admits, parameters
from tests.inputs.lines import SMALL, commands

ROOT = Path(rateproof.__file__).parent
FUNCTIONS = tuple(getattr(rateproof, name) for name in rateproof.__all__ if name != "main")
POOL: tuple[Any, ...] = (
    None, True, 4.5, 4.0, "4", "x", "", math.nan, math.inf, -1, 0, 1j, [], ["a"], [None], {},
    object(), b"x", np.float64("nan"), np.bool_(True), np.array([1, 2]), torch.ones(3),
    torch.eye(4), (1, 2, 3), {"a": 1}, len, int, 2**63, 10**30, -0.5, 1e308, [[1], [2, 3]],
)  # fmt: skip
"""Values of all kinds; what a parameter's annotation does not admit is spoilt there."""

_TEXTS: dict[str, tuple[str, ...]] = {
    one: tuple(names.UNKNOWN)
    for one in ("row", "problem", "vary", "theorem", "executor", "device", "method", "metric")
}
MINUTES = frozenset(("measure", "run", "quick"))
"""Switches that are left as they are: what they ask for takes minutes."""

NAMED = {
    ("table", "name"): names.OF_COMMAND["table", "name"], ("errata", "name"): ("E1", "E7"),
    ("theorem", "name"): ("bsp_nonconvex", "local_sgd", "qsgd"),
    ("refute", "theorem"): ("bsp_nonconvex",), ("claim", "method"): ("bsp-sgd", "d-psgd"),
    ("assumptions", "problem"): names.PROBLEMS, ("check", "thing"): ("scaled sign",),
    ("audit", "compressor"): ("mine:half",), ("claim", "bound"): ("gamma * L * sigma2 + 1",),
    ("claim", "limit"): ("1/L",), ("audit", "omega"): ("d/k - 1",), ("audit", "bits"): ("32 * d",),
    ("cite", "names"): names.KNOWN["names"], ("sweep", "executor"): ("",),
}  # fmt: skip
"""Texts that a function's argument takes, where they are names or formulas of its own."""


def _plain_step(state: dict[str, Any], gradients: Any, gamma: float) -> dict[str, Any]:
    return {**state, "x": state["x"] - gamma * gradients.mean(0)}


OBJECTS: dict[tuple[str, str], Callable[[Path], Any]] = {
    ("module_problem", "module"): lambda _: torch.nn.Linear(3, 1),
    ("module_problem", "loss"): lambda _: torch.nn.functional.mse_loss,
    ("module_problem", "features"): lambda _: torch.arange(30.0).reshape(10, 3) / 30,
    ("module_problem", "labels"): lambda _: torch.ones(10, 1),
    ("method", "step"): lambda _: _plain_step,
    ("torch_method", "optimizer"): lambda _: torch.optim.SGD,
    ("torch_method", "loop"): lambda _: print,
    ("sweep", "study"): lambda _: nested(STUDY),
    ("sweep", "out"): lambda room: room / "swept",
    ("study", "out"): lambda room: room / "studied",
    ("register_hook", "model"): lambda _: torch.nn.Linear(3, 1),
    ("register_hook", "compressor"): lambda _: QSGD(4),
    ("torch_method", "parameters"): lambda _: {"lr": 0.1},
    ("method", "name"): lambda _: "mine",
    ("torch_method", "name"): lambda _: "mine",
    ("claim", "name"): lambda _: "mine",
}
"""Objects that functions need whatever else they are given."""

WRONG: dict[tuple[str, str], tuple[Any, ...]] = {
    ("module_problem", "features"): (torch.ones(10, 2), torch.ones(9, 3), torch.ones(0, 3)),
    ("module_problem", "labels"): (torch.ones(9, 1), torch.ones(10), torch.ones(10, 2)),
    ("rate", "values"): ([], [0], [2], [4, 4, 4], [1, 2, math.nan], ["a", "b", "c"]),
    ("claim", "bound"): ("1 +", "nosuch_constant", "", "import os"),
    ("claim", "limit"): ("1/", "nosuch_constant"),
    ("audit", "omega"): ("d/k -", "nosuch", "__import__('os')"),
    ("audit", "delta"): ("2 +", "nosuch"), ("audit", "bits"): ("d *", "nosuch"),
    ("check", "thing"): (5, None, [], "nosuch", "mine:NOTHING", torch.eye(3), len),
    ("assumptions", "problem"): (5, None, [], "nosuch", "mine:NOTHING", torch.eye(3)),
    ("audit", "compressor"): (5, None, [], "nosuch", "mine:NOTHING", torch.eye(3)),
    ("sweep", "study"): ({}, {"grid": {}}, {"grid": 5}, {"grid": {"row": "qsgd"}, "x": 1}),
    ("study", "rows"): ([], ["nosuch"], ["mine:NOTHING"]), ("compare", "rows"): ([], ["nosuch"]),
    ("table", "name"): ("V", ""), ("errata", "name"): ("E999", ""), ("cite", "names"): ("nosuch",),
    ("theorem", "name"): ("nosuch", ""), ("refute", "attackers"): (["nosuch"],),
    ("study", "vary"): (["nosuch"],), ("study", "axis"): ("nosuch",),
    ("study", "against"): (["x"],),
}  # fmt: skip
"""What an argument does not take though its annotation would: shapes, formulas, names."""


def sound_value(function: str, one: Argument, room: Path) -> st.SearchStrategy[Any] | None:
    """Values that an argument takes; None where nothing is known of them."""
    where = (function, one.name)
    if where in OBJECTS:
        return st.just(OBJECTS[where](room))
    if where in NAMED:
        return st.sampled_from(NAMED[where])
    if one.name == "workers":
        return st.just(1 if admits(one.hint, 1) else one.default)  # processes
    if one.name == "values":
        return st.just([2, 4, 8])
    small = SMALL.get({"attack_seconds": "attack"}.get(one.name, one.name))
    if small is not None:
        return st.just(small if admits(one.hint, 0.5) else round(small))
    if one.name in ("rows", "against"):
        return st.lists(st.sampled_from(names.ROWS), min_size=2, max_size=3, unique=True)
    if one.name in names.KNOWN and admits(one.hint, "x") is not False:
        return st.sampled_from(names.KNOWN[one.name])
    if not one.required:  # what it is without being given may be given
        return st.just(one.default)
    return None


def spoilt_values(function: str, one: Argument) -> list[Any]:
    """Values that an argument does not take: of other kinds, out of its domain, unknown names."""
    values = [value for value in POOL if admits(one.hint, value) is False]
    values += WRONG.get((function, one.name), ())
    if admits(one.hint, "x"):
        values += _TEXTS.get(one.name, ())
    domain = _domain(function, one.name)
    if domain is not None:
        values += [v for v in (-1, 0, 1, -0.5) if v not in domain and admits(one.hint, v)]
    if one.name != "seed" and admits(one.hint, 3) and admits(one.hint, 3.5) is False:
        values += [10**30, 2**63]
    return values


@functools.cache
def _domain(function: str, name: str) -> Any:
    """The domain that the command of the same name states of an option of the same name."""
    options = {one.name: one for one in commands().get(function, ())}
    return domain_of(options[name].annotation) if name in options else None


@functools.cache
def _settings(key: str) -> dict[str, Any]:
    return row_parameters(row(key), problem("quadratic-sc", 4))


def calls(room: Path, *, sound_too: bool = True) -> st.SearchStrategy[Drawn]:
    """Calls; without ``sound_too`` those with a spoilt argument."""
    for function in FUNCTIONS:  # imports ahead of drawing: some draw numbers of their own
        parameters(function)
    return _calls(room, sound_too=sound_too)


@st.composite
def _calls(draw: st.DrawFn, room: Path, *, sound_too: bool) -> Drawn:
    function = draw(st.sampled_from(FUNCTIONS))
    name = function.__name__
    spoil = not sound_too or draw(st.booleans())
    able = [one for one in parameters(function) if spoilt_values(name, one)]
    bad = draw(st.sampled_from(able)) if spoil and able else None
    given, guessed = _others(function, bad, room, draw, more=not spoil)
    if bad is not None:
        value = draw(st.sampled_from(spoilt_values(name, bad)))
        return drawn_call(function, {**given, bad.name: value}, bad.name, value, guessed=guessed)
    told, value = "", None
    if name == "run":
        told, value = _with_setting(draw, given, spoil)
    if name == "theorem":
        told, value = _with_constant(draw, given, spoil)
    if spoil and not told:
        told, value = "nosuch", 3
        given["nosuch"] = 3
    return drawn_call(function, given, told, value, guessed=guessed)


def _others(
    function: Callable[..., Any], bad: Argument | None, room: Path,
    draw: Callable[[st.SearchStrategy[Any]], Any], *, more: bool,
) -> tuple[dict[str, Any], bool]:  # fmt: skip
    """Sound values of arguments but one, ``more`` than are needed; whether one is only guessed."""
    given: dict[str, Any] = {}
    guessed = False
    for one in parameters(function):
        if one is bad or one.name in MINUTES or one.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        strategy = sound_value(function.__name__, one, room)
        if strategy is None:
            if one.required:
                given[one.name], guessed = None, True
        elif one.required or one.name in SMALL or (more and draw(st.booleans())):
            given[one.name] = draw(strategy)
    return given, guessed


def spoilt_calls(function: Callable[..., Any], room: Path) -> Iterator[Drawn]:
    """Every argument of a function with every value of the pool that its annotation excludes."""
    for bad in parameters(function):
        given, guessed = _others(function, bad, room, _simplest, more=False)
        for value in POOL:
            if admits(bad.hint, value) is False:
                full = {**given, bad.name: value}
                yield drawn_call(function, full, bad.name, value, guessed=guessed)


_ONE = settings(max_examples=1, database=None, phases=[Phase.generate], deadline=None)


def _simplest(strategy: st.SearchStrategy[Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return find(strategy, lambda _: True, settings=_ONE)


def _with_setting(draw: st.DrawFn, given: dict[str, Any], spoil: bool) -> tuple[str, Any]:
    known = _settings(given["row"])
    if not known:
        return "", None
    path = draw(st.sampled_from(sorted(known)))
    name, old = path.rpartition(".")[2], known[path]
    if sum(one.rpartition(".")[2] == name for one in known) > 1 or name in given:
        return "", None
    if not spoil:
        given[name] = old
        return "", None
    kind = type(old)
    bad = [v for v in POOL if v is not None and type(v) is not kind and not _fits(kind, v)]
    bad += ["nosuch"] if kind not in (int, float, bool) else []
    given[name] = draw(st.sampled_from(bad))
    return name, given[name]


def _fits(kind: type, value: Any) -> bool:
    """Whether another kind of value may stand for it: text is read, a float may be whole."""
    if isinstance(value, str):
        return value == "4" or kind not in (int, float, bool)
    if kind not in (int, float, bool):
        return False
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and kind is float


CONSTANTS = ("L", "sigma2", "initial_gap", "mu", "gamma")


def _with_constant(draw: st.DrawFn, given: dict[str, Any], spoil: bool) -> tuple[str, Any]:
    if not spoil:
        given.update({"L": 2.0, "sigma2": 1.0, "initial_gap": 1.0, "n": 4})
        given["name"] = "bsp_nonconvex"
        return "", None
    name = draw(st.sampled_from(CONSTANTS))
    bad = [v for v in POOL if admits(float, v) is False] + [-1, -0.5]
    given[name] = draw(st.sampled_from(bad))
    return name, given[name]


def drawn_call(
    function: Callable[..., Any], given: dict[str, Any], told: str = "", value: Any = None,
    *, guessed: bool = False,
) -> Drawn:  # fmt: skip
    """A call by its arguments; ``told`` is the spoilt one, ``value`` what it is given."""
    listed = [
        given.pop(one.name) for one in parameters(function)
        if one.kind is inspect.Parameter.VAR_POSITIONAL and one.name in given
    ]  # fmt: skip
    shown = ", ".join([*map(_short, listed), *(f"{k}={_short(v)}" for k, v in given.items())])
    where = ("",) if guessed and told else tuple({told, told.rstrip("s")} if told else ())
    run = partial(_called, function, tuple(listed), given)
    kept = "" if guessed else next(iter(spelt(value)), "")
    return Drawn(
        "call", f"{function.__name__}({shown})", run, where, kept if told else "",
        spelt(value) if told and not guessed else (),
    )  # fmt: skip


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def spelt(value: Any) -> tuple[str, ...]:
    """How a sentence may show a value: itself, what is wrong inside it, its shape or its type."""
    inner = [one for one in value if isinstance(one, (str, int, float))] \
        if isinstance(value, (list, tuple)) else []  # fmt: skip
    shape = [str(list(value.shape))] if isinstance(value, (torch.Tensor, np.ndarray)) else []
    keys = [*map(str, value)] if isinstance(value, dict) else []
    number = [f"{value:g}"] if isinstance(value, float) else []
    found = (" ".join(repr(value).split())[:60], str(value)[:60], *map(repr, inner), *shape, *keys)
    return (*found, *number, type(value).__name__)


def _called(
    function: Callable[..., Any], listed: tuple[Any, ...], given: dict[str, Any]
) -> tuple[int, str, str]:
    try:
        function(*listed, **given)
    except Exception as error:
        if not _stated(function, error) or not _raised_by_us(error):
            raise
        return 2, "", f"error: {error}"
    return 0, "", ""


def _stated(function: Callable[..., Any], error: Exception) -> bool:
    """Whether the docstring says that the function raises it."""
    raises = (inspect.getdoc(function) or "").partition("Raises:")[2]
    return isinstance(error, ValueError) or any(
        one.__name__ in raises for one in type(error).__mro__ if one not in (Exception, object)
    )


def _raised_by_us(error: Exception) -> bool:
    """Whether a ``raise`` of this project made it, and no operation on a value of another kind."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    place = Path(last.tb_frame.f_code.co_filename)
    return place.is_relative_to(ROOT) and last.tb_lineno in _raises(place)


@functools.cache
def _raises(place: Path) -> frozenset[int]:
    """Lines of a file that are within a ``raise``."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(place.read_text())):
        if isinstance(node, ast.Raise):
            found |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return frozenset(found)
