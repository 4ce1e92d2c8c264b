"""A method's own steps as a programme: gradients and messages are basis vectors while it runs.

The method runs on a problem whose coordinates are coefficients: x_0 - x* is the first basis vector,
and every gradient and every compressed message that is asked for is the next. So its models are
read as combinations of them, whatever the method, as long as its step is linear in what it is
given; a second run, on drawn vectors in their place, says whether it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.core.key import Draws, NumbersAsked
from algorithms.engine.noted_records import mean_model
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method
from algorithms.problems.base import Problem, pair_shape
from algorithms.problems.tensor_problem import Noiseless, TensorProblem
from proofs_check.instruments.paths import world_of
from proofs_check.refute.measured import Unfit
from theory import bits
from theory.arrays import Floats
from theory.claims import Claim as OperatorClaim
from theory.claims import Contraction, Source, Unbiased, VarianceBound
from theory.constants import Constants

ROOM = 48
"""Basis vectors that a record has room for."""

_LINEAR = 1e-9


class Question(NamedTuple):
    """A gradient or a message that a method asked for.

    Attributes:
        worker: whose; -1: the server's.
        x: where, or what was compressed, as coefficients ``[ROOM]``.
        answer: which basis vector is the answer.
    """

    worker: int
    x: Floats
    answer: int


@final
class AnswerBook:
    """Answers one after another: unit vectors, or rows of ``vectors`` in their place.

    Attributes:
        gradients: what was asked of gradients.
        messages: what was asked of contractions.
        noises: what was asked of unbiased operators, whose answers are errors.
    """

    def __init__(self, vectors: Floats) -> None:
        self.gradients: list[Question] = []
        self.messages: list[Question] = []
        self.noises: list[Question] = []
        self._vectors, self._next = torch.from_numpy(vectors), 1

    def start(self) -> Tensor:
        """The first of the vectors."""
        return self._vectors[0].clone()

    def answered(self, x: Tensor, workers: Tensor, questions: list[Question]) -> Tensor:
        """The next vectors, one a row of x ``[..., k, d]`` of ``workers`` ``[..., k]``; a worker
        who asks at a point for the second time hears what it heard."""
        lead = pair_shape(x, workers)
        points = x.expand(*lead, x.shape[-1]).reshape(-1, x.shape[-1])
        rows = []
        for point, worker in zip(points, workers.expand(lead).reshape(-1).tolist(), strict=True):
            k = self._place(questions, worker, point.numpy())
            rows.append(self._vectors[k])
        return torch.stack(rows).reshape(*lead, -1)

    def _place(self, questions: list[Question], worker: int, point: Floats) -> int:
        for one in questions:
            if one.worker == worker and np.allclose(one.x, point, rtol=0, atol=1e-12):
                return one.answer
        if self._next >= len(self._vectors):
            raise Unfit(f"it asks for more than {ROOM} gradients and messages")
        questions.append(Question(worker, point.copy(), self._next))
        self._next += 1
        return self._next - 1


@final
@dataclass(frozen=True, eq=False)
class RecordedProblem(Noiseless, TensorProblem):
    """Functions of which nothing is known but what the book answers.

    Attributes:
        name: what reports call it.
        book: the answers.
        stated: constants of the class.
        workers: how many there are.
        room: number of coefficients.
    """

    name: str
    book: AnswerBook
    stated: Constants
    workers: int
    room: int = ROOM

    rowwise = True

    @property
    def tensor(self) -> Tensor:
        return torch.zeros((self.workers, self.room), dtype=torch.float64)

    @property
    def x_star(self) -> Tensor:
        return torch.zeros(self.room, dtype=torch.float64)

    @property
    def f_star(self) -> float:
        return 0.0

    def start(self) -> Tensor:
        return self.book.start()

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.book.answered(x, workers, self.book.gradients)

    def value(self, x: Tensor) -> Tensor:
        """Refused.

        Raises:
            Unfit: a value of f is no basis vector.
        """
        raise Unfit("it asks for values, which no basis vector is")

    def mean_gradient(self, x: Tensor) -> Tensor:
        """Refused.

        Raises:
            Unfit: gradients of f are not asked for one by one.
        """
        raise Unfit("it asks for the mean gradient")

    def constants(self) -> Constants:
        return self.stated

    @property
    def _data(self) -> dict[str, Any]:
        return {"problem": "recorded", "n": self.workers, "d": self.room}


@final
@dataclass(frozen=True, eq=False)
class RecordedContraction(Compressor):
    r"""Any C with \|C(x) - x\|^2 <= (1 - delta) \|x\|^2; which one is found afterwards.

    Attributes:
        delta: the constant that is claimed.
        answers: C of rows ``[..., m, d]`` of stated workers.
    """

    properties: ClassVar[frozenset[Property]] = frozenset()

    delta: float
    answers: Callable[[Tensor, Tensor], Tensor] = field(compare=False)

    @property
    def name(self) -> str:
        return f"any contraction({self.delta:g})"

    def claims(self, d: int) -> tuple[OperatorClaim, ...]:
        return (Contraction(self.delta, "delta", Source("definition", 0), tight=True),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (self.answers(x, draws.workers),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


@final
@dataclass(frozen=True)
class MethodRecord:
    """A method's steps.

    Attributes:
        models: mean models ``[T + 1, ROOM]`` as coefficients.
        gradients: what was asked of gradients.
        messages: what was asked of contractions.
        noises: what was asked of unbiased operators.
    """

    models: Floats
    gradients: tuple[Question, ...]
    messages: tuple[Question, ...]
    noises: tuple[Question, ...] = ()

    @property
    def size(self) -> int:
        """How many basis vectors there are."""
        return 1 + len(self.gradients) + len(self.messages) + len(self.noises)


@final
@dataclass(frozen=True, eq=False)
class RecordedUnbiased(Compressor):
    r"""Any unbiased C with E\|C(x) - x\|^2 <= omega \|x\|^2, independent of all others: x and an
    error, which is found afterwards.

    Attributes:
        omega: the constant that is claimed.
        errors: of rows ``[..., m, d]`` of stated workers.
    """

    properties: ClassVar[frozenset[Property]] = frozenset()

    omega: float
    errors: Callable[[Tensor, Tensor], Tensor] = field(compare=False)

    @property
    def name(self) -> str:
        return f"any unbiased({self.omega:g})"

    def claims(self, d: int) -> tuple[OperatorClaim, ...]:
        source = Source("definition", 0)
        return (Unbiased(source), VarianceBound(self.omega, "omega", source, tight=True))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x + self.errors(x, draws.workers),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


Making = Callable[[AnswerBook, Problem], Method[Any]]
"""The method for a problem, its operators asking a book."""


def recorded(make: Making, stated: Constants, workers: int, steps: int) -> MethodRecord:
    """The record of ``steps`` steps.

    Raises:
        Unfit: the method draws numbers, asks for values, or is not linear; says which.
    """
    book, models = _run(make, np.eye(ROOM), stated, workers, steps)
    found = MethodRecord(models, tuple(book.gradients), tuple(book.messages), tuple(book.noises))
    drawn = np.random.default_rng(3).standard_normal((ROOM, ROOM))
    other, seen = _run(make, drawn, stated, workers, steps)
    answers = ([one.answer for one in b.gradients + b.messages + b.noises] for b in (book, other))
    scale = 1 + float(np.abs(seen).max())
    first, second = answers
    if first != second or not np.allclose(models @ drawn, seen, rtol=0, atol=_LINEAR * scale):
        raise Unfit("its step is not linear in gradients and messages")
    return found


def _run(
    make: Making, vectors: Floats, stated: Constants, workers: int, steps: int
) -> tuple[AnswerBook, Floats]:
    book = AnswerBook(vectors)
    problem = RecordedProblem("recorded", book, stated, workers, vectors.shape[1])
    try:
        method = make(book, problem)
        context = world_of(problem, 0, 1)
        context = replace(context, key=context.key.without_numbers())
        with one_thread():
            state = method.init(problem.start(), context)
            rows = [mean_model(method, context.network, method.models(state))]
            for t in range(steps):
                state = method.step(state, t, context)
                rows.append(mean_model(method, context.network, method.models(state)))
    except NumbersAsked as error:
        raise Unfit("it draws numbers; a programme holds what is certain") from error
    except (ValueError, TypeError, ArithmeticError, AssertionError, NotImplementedError) as error:
        raise Unfit(str(error) or type(error).__name__) from error
    return book, torch.cat(rows).numpy()
