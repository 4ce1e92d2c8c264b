"""``rateproof theorem``: a result's statement, assumptions and bound, as a number for constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from algorithms.catalogue import FORMS, ROWS
from algorithms.core.names import look_up
from experiments.commands.console import at_least, bad_input, console, dump, number
from experiments.commands.coverage import coverage_record, result_line, show_coverage
from experiments.commands.grid import LAYOUT, print_table
from experiments.figures.signs import plain, pretty
from experiments.listing.results import RESULTS, meanings
from theory.constants import Constants, Inapplicable
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import OrderOnly, Theorem

_HORIZON, _WORKERS = 1000, 16
_WHOLE = ("n", "d", "H", "tau", "lead")
_BOOLEAN = ("symmetric", "convex", "symmetric_noise")


def theorem_command(
    name: str | None, *, of_row: str | None, settings: Sequence[str], steps: int, n: int | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Exit code 0; 2 for names that are unknown and constants that nobody takes."""
    with bad_input():
        at_least("T", steps, 1)
        if n is not None:
            at_least("n", n, 2)
            if of_row is None:
                raise ValueError(
                    f"n is of --for alone, got n={n}; --set n={n} would do, beside the result's "
                    "other constants"
                )
        if name is not None and of_row is not None:
            raise ValueError(f"give a name or --for, not both; got name={name}, for={of_row}")
        if settings and name is None:
            raise ValueError("set is of one result; give its name, `rateproof theorem` lists them")
        if of_row is not None:
            data: Any = coverage_record(of_row, n or _WORKERS, steps)
        elif name is not None:
            data = theorem_record(name, read_constants(settings), steps)
        else:
            data = [result_line(one) for one in RESULTS.values()]
    if as_json:
        dump(data)
        return 0
    screen = console(False)
    if of_row is not None:
        show_coverage(data, screen)
    elif name is not None:
        _show(data, screen)
    else:
        _list(data, screen)
    return 0


def theorem_record(
    name: str, given: Mapping[str, Any] | None = None, steps: int = _HORIZON
) -> dict[str, Any]:
    """All that is stated of a result; with constants ``given``, its numbers there after ``steps``.

    Without any, a theorem is evaluated at its own example. ``gamma`` among them is a constant
    stepsize in place of the prescribed one.

    Raises:
        UnknownName: there is no such result.
        ValueError: constants are given to a result without a bound, or none can be stated so.
    """
    result = look_up("result", name, RESULTS)
    rows = [one.key for one in (*ROWS, *FORMS.values()) if result in (*one.theorems, *one.results)]
    data = result_line(result) | {"statement": result.statement, "rows": rows}
    if isinstance(result, Theorem):
        return data | _theorem(result, dict(given or {}), steps)
    if given:
        raise ValueError(
            f"{name} is stated to order only, without a bound that takes constants; "
            f"got {', '.join(given)}"
        )
    if isinstance(result, OrderOnly):
        metric = None if result.metric is None else result.metric.value
        data |= {"metric": metric, "assumes": result.assumes}
    return data


def _theorem(result: Theorem, given: dict[str, Any], steps: int) -> dict[str, Any]:
    told = meanings()
    gamma = given.pop("gamma", None)
    stated = Constants().state(**given).completed() if given else result.example
    return {
        "metric": result.metric.value,
        "tight": result.tight,
        "needs": {name: told.get(name, "") for name in result.needs},
        "unmeasured": result.unmeasured,
        "at": _numbers(result, stated, None if gamma is None else ConstantStep(gamma), steps)
        | {"example": not given},
    }


def _numbers(result: Theorem, c: Constants, step: Stepsize | None, steps: int) -> dict[str, Any]:
    """The stepsize and the bound after ``steps`` steps, and what is violated."""
    constants = {name: getattr(c, name) for name in c.stated()}
    missing = c.missing(result.needs)
    data: dict[str, Any] = {
        "constants": constants, "T": steps, "stepsize": None, "bound": None,
        "missing": list(missing), "violations": [],
    }  # fmt: skip
    if missing:
        return data
    try:
        chosen = step or result.stepsize(c, steps)
        data["stepsize"] = str(chosen)
        data["violations"] = list(result.violations(c, chosen, steps))
        if not data["violations"]:
            data["bound"] = float(result.bound(c, chosen, np.array([float(steps)]))[0])
    except Inapplicable as error:
        data["violations"] = [str(error)]
    return data


def known_constants(given: Mapping[str, Any]) -> dict[str, Any]:
    """The constants as they are given, their names known.

    Raises:
        UnknownName: nobody speaks of such a constant.
        ValueError: a value that is no number, truth value or text.
    """
    known = dict.fromkeys((*meanings(), "gamma"), True)
    for name, value in given.items():
        look_up("constant", name, known)
        if not isinstance(value, str):
            _require_constant(name, value)
    return dict(given)


def _require_constant(name: str, value: object) -> None:
    """Refuse what a constant cannot be in Python.

    Raises:
        ValueError: the value is of another kind.
    """
    truth = isinstance(value, (bool, np.bool_))
    whole = isinstance(value, (int, np.integer)) and not truth
    real = whole or isinstance(value, (float, np.floating))
    wanted = (
        "True or False" if name in _BOOLEAN else "a whole number" if name in _WHOLE else "a number"
    )
    if not (truth if name in _BOOLEAN else whole if name in _WHOLE else real):
        raise ValueError(f"{name} should be {wanted}, got {name}={value!r}; unknown: leave it out")


def read_constants(settings: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE of the constants that theorems speak of, and gamma.

    Raises:
        UnknownName: nobody speaks of such a constant.
        ValueError: not NAME=VALUE, or a value that the constant cannot take.
    """
    pairs: dict[str, str] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"set must be NAME=VALUE, as in L=2, got set={text!r}")
        pairs[name.strip()] = value.strip()
    return {name: _value(name, value) for name, value in known_constants(pairs).items()}


def _value(name: str, text: str) -> Any:
    if name in _BOOLEAN:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name} must be true or false, got {name}={text}")
        return text.lower() == "true"
    try:
        number_given = float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {name}={text}") from None
    if name in _WHOLE:
        if not number_given.is_integer():
            raise ValueError(f"{name} must be a whole number, got {name}={text}")
        return int(number_given)
    return number_given


def _list(lines: Sequence[Mapping[str, Any]], screen: Console) -> None:
    if LAYOUT.tsv:
        heads = ("name", "kind", "order", "title", "confidence")
        print_table(screen, heads, ([escape(str(line[head])) for head in heads] for line in lines))
        return
    for kind in dict.fromkeys(line["kind"] for line in lines):
        mine = [line for line in lines if line["kind"] == kind]
        screen.print(f"[bold]{kind}[/] ({len(mine)})", highlight=False)
        for line in mine:
            order = pretty(line["order"]) if line["order"] else "no power of T"
            screen.print(
                escape(f"  {line['name']:<32} {order:<18} {line['title']} ({line['confidence']})"),
                highlight=False, soft_wrap=True,
            )  # fmt: skip


def _show(data: Mapping[str, Any], screen: Console) -> None:
    def say(text: str) -> None:
        screen.print(escape(text), highlight=False, soft_wrap=True)

    screen.print(f"[bold]{escape(data['name'])}[/]: {escape(data['title'])}", highlight=False)
    say(f"{data['kind']}, {data['source']}; {data['confidence']}")
    say(f"statement: {plain(data['statement'])}")
    if data.get("metric"):
        say(f"metric: {pretty(data['metric'])}")
    say("order: " + (pretty(data["order"]) if data["order"] else "no power of T")
        + (", attained" if data.get("tight") else ""))  # fmt: skip
    if data.get("assumes"):
        say(f"assumes: {data['assumes']}")
    for name, meaning in data.get("needs", {}).items():
        say(f"needs {name}: {meaning}")
    say(f"rows: {', '.join(data['rows']) or 'none'}")
    if data.get("unmeasured"):
        say(f"held against no run: {data['unmeasured']}")
    if "at" in data:
        _show_numbers(data["at"], say)


def _show_numbers(at: Mapping[str, Any], say: Any) -> None:
    given = ", ".join(f"{name}={value}" for name, value in at["constants"].items())
    say(f"{'at its example' if at['example'] else 'at'}: {given}, T={at['T']}")
    if at["missing"]:
        say(f"  missing: {', '.join(at['missing'])}; --set NAME=VALUE gives them")
        return
    say(f"  stepsize: {at['stepsize'] or 'none'}")
    for violation in at["violations"]:
        say(f"  violated: {violation}")
    if at["bound"] is not None:
        say(f"  bound: {number(at['bound'], 6)}")
