"""Inputs, drawn: a share of what ``python -m tests.inputs`` draws, and that the oracle sees."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import torch
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import rateproof
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.topologies.ring import Ring
from experiments.cli.domains import Domain, domain_of, within_domains
from experiments.notebooks.arguments import Count
from tests.experiments.calls import call, refuse
from tests.inputs.calls import calls, drawn_call
from tests.inputs.drawing import drawn_and_judged, room
from tests.inputs.drawn import Drawn, judged
from tests.inputs.hints import admits
from tests.inputs.lines import ALWAYS, commands, lines
from tests.inputs.names import any_integer

FREE = {("rate", "values"), ("figure", "workers"), ("figures", "workers")}
"""Numbers whose domain depends on another argument, each with its own sentence."""


def test_every_number_of_every_command_states_its_domain() -> None:
    lacking = [
        (command, one.name)
        for command, options in commands().items()
        for one in options
        if one.kind in (int, float)
        and domain_of(one.annotation) is None
        and not any_integer(_help(one.annotation))
    ]
    assert set(lacking) == FREE


def test_a_domain_that_the_help_states_is_the_domain_that_is_held() -> None:
    for options in commands().values():
        for one in options:
            domain, told = domain_of(one.annotation), _help(one.annotation)
            if domain is not None and "at least " in told and "infinite" not in told:
                least = told.split("at least ")[1].split(",")[0].split(".")[0].split(";")[0]
                assert float(least) == domain.least, (one.command, one.name)


def _help(annotation: object) -> str:
    found = [getattr(one, "help", None) for one in getattr(annotation, "__metadata__", ())]
    return next((text for text in found if text), "")


@settings(max_examples=40, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(st.data())
def test_a_spoilt_command_line_is_refused_in_one_sentence(data: st.DataObject) -> None:
    with room() as place:
        came = judged(data.draw(lines(place, sound_too=False)), 100)
        assert came.standing == "refused", (came.drawn.shown, came.standing, came.told)


@pytest.mark.parametrize("command", sorted(commands()))
def test_sound_lines_of_every_command_are_drawn(command: str) -> None:
    """None is left out because it takes minutes: numbers are small and switches make it short."""
    with room() as place:
        found: list[Drawn] = []

        @settings(max_examples=25, derandomize=True, database=None, deadline=None,
                  suppress_health_check=list(HealthCheck), phases=[Phase.generate])  # fmt: skip
        @given(lines(place, (command,)))
        def draw(one: Drawn) -> None:
            found.append(one)

        draw()
    sound = [one.shown for one in found if not one.spoilt]
    assert sound
    switches = {o.flags[0] for o in commands()[command] if o.name in ALWAYS}
    assert all(switch in line for line in sound for switch in switches)


@settings(max_examples=60, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(st.data())
def test_a_spoilt_call_is_refused_in_one_sentence(data: st.DataObject) -> None:
    with room() as place:
        came = judged(data.draw(calls(place, sound_too=False)), 100)
        assert came.standing == "refused", (came.drawn.shown, came.standing, came.told)


def _adds(n: Any) -> int:
    """Add one.

    Raises:
        OverflowError: n is large.
    """
    if n == 5:
        raise OverflowError("n must be small, got n=5")
    if n == 6:
        raise KeyError("n")
    return int(n + 1)


@pytest.mark.parametrize(
    ("value", "standing"),
    [(5, "refused"), (6, "traceback"), ("x", "traceback"), (7, "accepted")],
)
def test_the_oracle_of_calls_tells_a_raw_error_from_one_that_is_stated(
    value: object, standing: str
) -> None:
    assert judged(drawn_call(_adds, {"n": value}, "n", value)).standing == standing


@pytest.mark.parametrize(
    ("hint", "yes", "no"),
    [
        (int, (3, 0), (True, 3.0, "3", None, math.nan)),
        (float, (3, 0.5), (True, math.nan, math.inf, "3", 1j)),
        (Count, (1, 5), (0, -1, 2.5)),
        (str | None, ("x", None), (3, [])),
        (Sequence[str], (["a"], ()), ("a", [1], None)),
        (Literal["a", "b"], ("a",), ("c", 1)),
        (Callable[[int], int], (len,), (3, None)),
        (torch.nn.Module, (torch.nn.Linear(1, 1),), (None, torch.nn.Linear)),
    ],
)
def test_a_hint_is_read_by_the_grammar_itself(
    hint: Any, yes: tuple[Any, ...], no: tuple[Any, ...]
) -> None:
    assert all(admits(hint, value) for value in yes)
    assert not any(admits(hint, value) for value in no)
    assert admits(Any, yes[0]) is None


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.filterwarnings("ignore")
def test_inputs_of_all_kinds_have_no_fault() -> None:
    came = drawn_and_judged(60, 7, limit=100)
    assert len(came) > 40
    faults = [(one.drawn.shown, one.standing, one.told) for one in came if one.fault]
    assert not faults


@pytest.mark.parametrize(
    ("code", "out", "err", "standing"),
    [
        (2, "", "error: n must be at least 2, got n=1\n", "refused"),
        (2, "", "error: something is wrong, got n=1\n", "refused"),
        (0, "", "", "accepted"),
        (2, "", "error: steps must be at least 2, got steps=0\n", "argument not named"),
        (2, "", "error: n= must be at least 2\n", "value not named"),
        (2, "[]", "error: n must be at least 2, got n=1\n", "refused with output"),
        (2, "", "Traceback\nerror: n must be at least 2, got n=1\n", "no sentence"),
        (4, "", "error: n\n", "exit code 4"),
    ],
)
def test_the_oracle_tells_a_sentence_from_a_fault(
    code: int, out: str, err: str, standing: str
) -> None:
    drawn = Drawn("command", "x", lambda: (code, out, err), ("n=", "--workers"), "1")
    assert judged(drawn).standing == standing


def test_the_wrapper_holds_a_new_command_by_its_annotations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def command(
        share: Annotated[float, typer.Option("--share"), Domain(above=0, below=1)] = 0.5,
    ) -> float:
        return share

    held = within_domains(command)
    assert held(share=0.25) == 0.25
    assert list(inspect.signature(held).parameters) == ["share"]
    for value in (0.0, 1.0, float("nan"), -1.0):
        with pytest.raises(typer.Exit):
            held(share=value)
        assert f"share must lie in (0, 1), got share={value}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "qsgd", "-T", "x"), "T must be a whole number, got T=x"),
        (("run", "qsgd", "-T", str(10**30)), f"T must fit into 64 bits, got T={10**30}"),
        (("run", "qsgd", "--gamma=nan"), "gamma must be positive and finite, got gamma=nan"),
        (("list", "-d1,5"), "d must be a whole number, got d=1,5"),
        (("theorem", "local_sgd", "-n", "4"), "n is of --for alone, got n=4"),
        (("figures", "--data", "nowhere"), "got data=nowhere, which is not there"),
        (("table", "IV", "--report", "nowhere"), "got report=nowhere, which is not there"),
        (("errata", "--report", "nowhere"), "got report=nowhere, which is not there"),
        (("list", "--report", "nowhere"), "got report=nowhere, which is not there"),
    ],
)
def test_what_draws_found_is_refused(words: tuple[str, ...], told: str) -> None:
    refuse(words, told)


def test_a_seed_may_have_any_size() -> None:
    assert call("theorem", "bsp_nonconvex", "--json")[0] == 0
    assert "64 bits" not in call("assumptions", "nosuch", "--seed", str(10**30))[2]


MODULE = torch.nn.Linear(3, 1)
LOSS = torch.nn.functional.mse_loss
X, Y = torch.randn(10, 3, generator=torch.Generator().manual_seed(0)), torch.ones(10, 1)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: rateproof.check(QSGD(4.5)), r"QSGD: s should be a whole number"),  # type: ignore[arg-type]
        (lambda: rateproof.check(Ring(3.5)), r"Ring: n should be a whole number"),  # type: ignore[arg-type]
        (lambda: rateproof.check(TopK(True)), "TopK: k should be"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X, Y[:9], n=2), "of the same N"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X[:, :2], Y, n=2), "must take features"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X, Y[:, 0], n=2), "must take features"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X, Y, n=2, batch=-1), "batch must be"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X, Y, n=2, seed="x"), "seed should be"),
        (lambda: rateproof.module_problem(MODULE, LOSS, X, Y), "required argument: 'n'"),  # type: ignore[call-arg]
        (lambda: rateproof.rate("qsgd", "quadratic-sc", "n", values=[]), "values should be three"),
        (
            lambda: rateproof.assumptions(torch.eye(2)),
            r"got problem=tensor.*\)$",
        ),
        (lambda: rateproof.table("IV", "nowhere"), "got report=nowhere"),
        (lambda: rateproof.errata(report="nowhere"), "got report=nowhere"),
    ],
)
def test_calls_of_the_review_that_were_raw_or_silent_are_refused(made, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        made()


def test_a_folder_of_draws_is_left(tmp_path: Path) -> None:
    before = Path.cwd()
    with room() as place:
        assert Path.cwd() == place.resolve()
    assert Path.cwd() == before and not place.exists()


def test_a_sweep_on_an_executor_that_is_none_tells_nothing_before_it_refuses() -> None:
    with room() as place:
        words = ("sweep", str(place / "study.toml"), "--executor=0", "--out", str(place / "out"))
        refuse(words, "executor must be dask://HOST:PORT, or MODULE:FUNCTION")
