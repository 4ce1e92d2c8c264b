"""Settings in which a method must be another one, and plain methods that it must not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.instances import AuditInstance
from proofs_check.method_audit.runs import ROUNDS, difference, models_of
from proofs_check.method_audit.subject import (
    AuditedRun,
    MethodSubject,
    State,
    UnreadableClaim,
    arrays,
    method,
)
from proofs_check.verdict import Outcome, Verdict


def check_equalities(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Iterator[Verdict]:
    """Each setting that is claimed to be another method."""
    for setting, other in subject.equals.items():
        made = other if isinstance(other, MethodSubject) else _row(subject, other)
        here, places = set_to(subject, setting, instances)
        claim = f"{setting or 'as it is'}: equal to {made.name}"
        yield _compared(here, made, places, claim, reporter)


def _row(subject: MethodSubject, key: str) -> MethodSubject:
    if not subject.stepsize:
        raise UnreadableClaim(f"no stepsize to take {key} at; {subject.name} has none")
    # the catalogue, a second of imports that other audits need not wait for
    from proofs_check.method_audit.row_methods import row_method

    try:
        return row_method(key, gamma=float(subject.parameters[subject.stepsize]))
    except ValueError as error:
        raise UnreadableClaim(str(error)) from error


def _compared(
    subject: MethodSubject, other: MethodSubject, instances: Sequence[AuditInstance], claim: str,
    reporter: Reporter,
) -> Verdict:  # fmt: skip
    bits = True
    for one in instances:
        found = difference(models_of(subject, one), models_of(other, one))
        if not found.same:
            return reporter.holds(claim, "equality", False, f"{one.name}: {found.description}")
        bits = bits and found.bits
    how = "bit for bit" if bits else "up to rounding"
    return reporter.says(claim, "equality", Outcome.AGREES, f"{how}, {ROUNDS} rounds")


def set_to(
    subject: MethodSubject, setting: str, instances: Sequence[AuditInstance]
) -> tuple[MethodSubject, Sequence[AuditInstance]]:
    """The method and the instances in a setting such as ``K=1, W=J`` or ``compress=identity``.

    Raises:
        UnreadableClaim: it names no parameter, or is no number.
    """
    changed: dict[str, Any] = {}
    for pair in filter(None, (part.strip() for part in setting.split(","))):
        name, _, value = (word.strip() for word in pair.partition("="))
        if (name, value) == ("W", "J"):
            instances = [replace(one, W=np.full((one.n, one.n), 1 / one.n)) for one in instances]
        elif name not in subject.parameters:
            known = ", ".join(subject.parameters)
            raise UnreadableClaim(f"setting must be NAME=NUMBER of {known}, got {pair!r}")
        else:
            changed[name] = _identity if value == "identity" else _number(pair, value)
    return subject.at(**changed), instances


def _number(pair: str, value: str) -> float:
    try:
        return float(value) if set(value) & set(".e") else int(value)
    except ValueError as error:
        raise UnreadableClaim(f"setting must be NAME=NUMBER, got {pair!r}") from error


def _identity(x: Any, *others: Any) -> Any:
    return x


def check_plain(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Verdict:
    """What keeps more than models is no method that keeps nothing else."""
    claim = "is no plainer method"
    run = AuditedRun(subject, instances[0])
    run.step()
    kept = [name for name in arrays(run.state) if name not in subject.reports]
    models, compared = subject.models(run.state), False
    beside = [name for name in kept if run.state[name] is not models]
    for name, plain in _plain(subject):
        try:
            pairs = [(models_of(subject, one), models_of(plain, one)) for one in instances]
        except (TypeError, ValueError):  # parameters that mean something else there
            continue
        compared = True
        found = [difference(*pair) for pair in pairs]
        if all(one.same for one in found):
            how = "bit for bit" if all(one.bits for one in found) else "up to rounding"
            description = f"this is {name}, {how}: {', '.join(beside)} make no difference"
            more = len(kept) > 1
            return reporter.says(
                claim, "plainer", Outcome.REFUTED if more else Outcome.COMPARED,
                description if more else f"this is {name}, {how}",
            )  # fmt: skip
    if not compared:
        without = (
            "none of them takes its parameters" if subject.stepsize else "no stepsize to compare at"
        )
        return reporter.says(claim, "plainer", Outcome.NOT_APPLICABLE, without)
    return reporter.holds(claim, "plainer", True, "none of those that keep models alone")


def _plain(subject: MethodSubject) -> Iterator[tuple[str, MethodSubject]]:
    """Methods that keep nothing but models, at this one's parameters."""
    if not subject.stepsize:
        return
    gamma = float(subject.parameters[subject.stepsize])
    counts = [
        value for value in subject.parameters.values()
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 100
    ]  # fmt: skip
    yield "gradient descent", method("gradient descent", _descent(gamma))
    for count in dict.fromkeys(counts):
        yield f"FedAvg with {count} local steps", method("FedAvg", _local(gamma, count))
    if subject.gossips:
        yield "DGD", method("DGD", _gossip(gamma, late=False), start=_rows)
        yield (
            "D-PSGD, mixed after the step",
            method("D-PSGD", _gossip(gamma, late=True), start=_rows),
        )
    for compress in filter(callable, subject.parameters.values()):
        yield "compressed gradient descent", method("compressed", _compressed(gamma, compress))


def _rows(x0: Any, gradients: Any) -> State:
    return {"x": np.tile(x0, (gradients.instance.n, 1))}


def _descent(gamma: float) -> Callable[..., State]:
    return lambda state, gradients: {"x": state["x"] - gamma * gradients(state["x"]).mean(0)}


def _local(gamma: float, count: int) -> Callable[..., State]:
    def step(state: State, gradients: Any) -> State:
        y = np.tile(state["x"], (gradients.instance.n, 1))
        for _ in range(count):
            y = y - gamma * gradients(y)
        return {"x": y.mean(0)}

    return step


def _gossip(gamma: float, late: bool) -> Callable[..., State]:
    def step(state: State, gradients: Any, W: Any) -> State:
        x = state["x"]
        move = gamma * gradients(x)
        return {"x": W @ (x - move) if late else W @ x - move}

    return step


def _compressed(gamma: float, compress: Any) -> Callable[..., State]:
    def step(state: State, gradients: Any) -> State:
        sent = np.stack([compress(g) for g in gradients(state["x"])])
        return {"x": state["x"] - gamma * sent.mean(0)}

    return step
