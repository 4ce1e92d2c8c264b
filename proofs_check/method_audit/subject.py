"""A method as the audit takes it: a state, a step, parameters, and what is claimed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from proofs_check.method_audit.instances import AuditInstance, GradientOracle
from theory.arrays import Floats

State = dict[str, Any]
Step = Callable[..., State]

GIVEN = ("W", "rng", "t")
"""What a step is given where it has a parameter of that name: the mixing matrix, numpy's generator,
the number of the step."""

STEPSIZES = ("eta", "gamma", "lr", "alpha", "step", "a")


class UnreadableClaim(ValueError):
    """What is claimed of a method cannot be read; no fault of its step."""


@final
@dataclass(frozen=True)
class MethodSubject:
    """What is audited. ``step(state, gradients, **parameters)`` gives the next state: a dict of
    arrays, ``[n, d]`` where workers hold rows, ``[d]`` where all share one.

    Attributes:
        name: what verdicts call it.
        start: ``start(x0, gradients, **parameters)``, the first state.
        parameters: by name, with the values that it is audited at.
        models: the model rows ``[n, d]`` or ``[d]`` of a state.
        exact: whether it is claimed to reach x* whatever the workers' data.
        conserves: equations of entries that are claimed to hold after every step.
        equals: other methods that settings of it are claimed to equal, by the settings.
        limit: the largest stable stepsize on a curvature L, as a formula; empty: none is claimed.
        stepsize: which parameter is the stepsize; empty: none.
        reports: entries that are kept for the reader alone.
    """

    name: str
    start: Callable[..., State]
    step: Step
    parameters: Mapping[str, Any] = field(default_factory=dict)
    models: Callable[[State], Floats] = lambda state: np.asarray(state["x"])
    exact: bool = False
    conserves: tuple[str, ...] = ()
    equals: Mapping[str, MethodSubject | str] = field(default_factory=dict)
    limit: str = ""
    stepsize: str = ""
    reports: tuple[str, ...] = ()

    @property
    def gossips(self) -> bool:
        """Whether it asks for a mixing matrix."""
        return _takes(self.step, "W") or _takes(self.start, "W")

    def at(self, **values: Any) -> MethodSubject:
        """The same with other values of parameters."""
        return replace(self, parameters={**self.parameters, **values})


def method(
    name: str,
    step: Step,
    *,
    start: Callable[..., State] | None = None,
    parameters: Mapping[str, Any] | None = None,
    models: Callable[[State], Floats] | str = "x",
    exact: bool = False,
    conserves: tuple[str, ...] = (),
    equals: Mapping[str, MethodSubject | str] | None = None,
    limit: str = "",
    stepsize: str | None = None,
    reports: tuple[str, ...] = (),
) -> MethodSubject:
    """A method of one's own for ``rateproof audit`` and :func:`rateproof.check`
    (docs/audit-methods.md).

    ``start`` is one model ``x`` for all by default. ``models`` is the entry that holds the models,
    or a function of the state. ``equals`` has settings as keys, as in ``{"K=1": GD}``, and another
    method or the key of a row; ``conserves`` equations such as ``"mean(y) = mean(grad)"``.

    Raises:
        ValueError: the stepsize is no parameter.
    """
    values = dict(parameters or {})
    named = stepsize if stepsize is not None else next((s for s in STEPSIZES if s in values), "")
    if named and named not in values:
        raise ValueError(f"stepsize must be one of {', '.join(values)}, got stepsize={named}")
    read = models if callable(models) else _entry(models)
    return MethodSubject(
        name, start or _common, step, values, read, exact, tuple(conserves), dict(equals or {}),
        limit, named, tuple(reports),
    )  # fmt: skip


def _entry(name: str) -> Callable[[State], Floats]:
    return lambda state: np.asarray(state[name])


def _common(x0: Floats, gradients: GradientOracle) -> State:
    return {"x": x0.copy()}


def _takes(function: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(function).parameters


@final
class AuditedRun:
    """A method on an instance, step by step.

    Attributes:
        state: where it stands.
        t: how many steps were taken.
    """

    def __init__(
        self, subject: MethodSubject, instance: AuditInstance, seed: int = 0, reuses: bool = False
    ) -> None:
        self._subject, self._instance = subject, instance
        self._oracle = GradientOracle(instance, reuses)
        self._rng = np.random.default_rng(seed)
        self.t = 0
        self.state = self._called(subject.start, instance.x0.copy())

    def step(self) -> State:
        """Take one step; the state after it."""
        self.state = self._called(self._subject.step, self.state)
        self.t += 1
        return self.state

    def _called(self, function: Callable[..., State], first: Any) -> State:
        found = self._subject.parameters
        wanted = inspect.signature(function).parameters
        anything = any(p.kind is p.VAR_KEYWORD for p in wanted.values())
        given = {"W": self._instance.W, "rng": self._rng, "t": self.t}
        words = {name: value for name, value in found.items() if anything or name in wanted}
        words |= {name: value for name, value in given.items() if name in wanted}
        return function(first, self._oracle, **words)

    @property
    def models(self) -> Floats:
        """The model rows ``[n or 1, d]``."""
        return np.atleast_2d(np.asarray(self._subject.models(self.state), dtype=np.float64)).copy()


def copied(state: State) -> State:
    """A copy that shares no memory with a state's arrays; arrays that are one stay one."""
    known: dict[int, Any] = {}
    for value in state.values():
        known.setdefault(id(value), np.array(value) if isinstance(value, np.ndarray) else value)
    return {name: known[id(value)] for name, value in state.items()}


def arrays(state: State) -> dict[str, Floats]:
    """The entries that are arrays of numbers."""
    return {
        name: value
        for name, value in state.items()
        if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind == "f"
    }
