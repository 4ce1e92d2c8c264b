"""The whole audit of one subject: what it is, what was measured, and a verdict on each matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import final

import torch

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from proofs_check.audit.array_contract import check_array_contract
from proofs_check.audit.arrays import NotNumeric
from proofs_check.audit.bad_inputs import check_not_finite, check_recovery
from proofs_check.audit.claim_checks import ClaimChecks, simplest
from proofs_check.audit.claims import Stated
from proofs_check.audit.classes import Fit, at_all_sizes, fit
from proofs_check.audit.edge_cases import check_inputs, check_mirror
from proofs_check.audit.faults import fault_of
from proofs_check.audit.history import PAIRS
from proofs_check.audit.measure import Measure, measure
from proofs_check.audit.messages import Cost, Unmeasured, check_bits, check_cost, costs, headline
from proofs_check.audit.moments import ALPHA, SampledOperator
from proofs_check.audit.plan import USUAL, Plan, SamplingBudget, pace_of
from proofs_check.audit.randomness import undisturbed
from proofs_check.audit.receiver import check_receiver
from proofs_check.audit.repeats import check_memory, check_seeds
from proofs_check.audit.reporting import Reporter, measured, raised
from proofs_check.audit.runner import Runner, batched
from proofs_check.audit.side_effects import check_side_effects
from proofs_check.audit.subject import Subject
from proofs_check.audit.traits import CallMemory, Traits, traits_of
from proofs_check.audit.trial import SAMPLES as TRIAL_SAMPLES
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

FAMILY_ERROR = 1e-6
SIZES = ("zero", "huge", "tiny")
_NEWS = 60
"""Letters of what is told of a verdict while the audit goes on."""

Tell = Callable[[str], None]
"""Called with what is being done, in a few words."""


@final
@dataclass(frozen=True)
class Audit:
    """Findings of an audit.

    ``claims`` are verdicts on what was stated, ``behaviour`` on all else; ``fit`` is the class
    that fits (None where nothing could be measured). ``headline`` is what must be known first, ""
    for most; ``complete`` is False where the audit was interrupted.

    Attributes:
        subject: what was audited.
        kind: what kind of thing it is: a function, a class, a hook.
        arrays: what arrays it takes.
        random: whether its outcomes are random.
        measures: what was measured, one entry a dimension.
        crashes: what it raised at finite vectors, a ValueError apart, and for which.
    """

    subject: str
    kind: str
    arrays: str
    random: bool
    measures: tuple[Measure, ...]
    fit: Fit | None
    claims: tuple[Verdict, ...]
    behaviour: tuple[Verdict, ...]
    headline: str = ""
    complete: bool = True
    crashes: tuple[str, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts, those on claims first."""
        return self.claims + self.behaviour

    @property
    def runs(self) -> bool:
        """Whether it takes ordinary vectors of any dimension at all."""
        return self.fit is not None

    @property
    def refuted(self) -> bool:
        """Whether a given claim is refuted, or it does not run at all."""
        return not self.runs or _any_refuted(self.claims)

    @property
    def faulty(self) -> bool:
        """Whether anything at all is refuted."""
        return self.refuted or _any_refuted(self.behaviour)

    def with_behaviour(self, *verdicts: Verdict) -> Audit:
        """The same with further verdicts."""
        return replace(self, behaviour=self.behaviour + verdicts)


def _any_refuted(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.outcome is Outcome.REFUTED for verdict in verdicts)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came during an audit; ``found`` is what was finished."""

    def __init__(self, found: Audit) -> None:
        super().__init__("interrupted")
        self.found = found


def audit(
    subject: Subject,
    stated: Stated | None = None,
    plan: Plan | None = None,
    tell: Tell = lambda _: None,
    found: Tell = lambda _: None,
) -> Audit:
    """Audit a subject; the global random generators are afterwards as they were.

    Every statistical test has error 1e-9, and fewer than a thousand are made, so that a subject
    without fault is called faulty with probability below 1e-6. ``tell`` is told what is done next,
    ``found`` what was measured of a dimension.

    Raises:
        SubjectFault: the subject raised where it had taken such vectors before.
        Interrupted: Ctrl-C; carries what was finished.
    """
    stated, plan = stated or Stated(), plan or Plan()
    done = _Findings(subject)
    try:
        with undisturbed(), one_thread():
            tell("trying it")
            pace = pace_of(subject, plan.dims, plan.seconds)
            dims = pace.dims(plan.dims)
            traits = traits_of(subject, dims, pace.draws(PAIRS, 16))
            if not isinstance(traits, Traits):
                return _not_running(subject, stated, traits)
            done.random = traits.random
            for step in _steps(done, stated, plan, traits, pace, found):
                for news in done.news():
                    found(news)
                tell(step)
            return done.audit(complete=True)
    except KeyboardInterrupt as stop:
        raise Interrupted(done.audit(complete=False)) from stop
    except Exception as error:  # a stranger's code may raise anything, at any call
        fault = fault_of(subject.name, error)
        if fault is None:
            raise
        raise fault from error


@final
@dataclass
class _Findings:
    """Findings so far."""

    subject: Subject
    random: bool = False
    measures: list[Measure] = field(default_factory=list)
    fit: Fit | None = None
    claims: list[Verdict] = field(default_factory=list)
    behaviour: list[Verdict] = field(default_factory=list)
    headline: str = ""
    crashes: list[str] = field(default_factory=list)
    _told: set[int] = field(default_factory=set)

    def news(self) -> Iterator[str]:
        """In a few words, what was refuted and what came of claims since it was last asked."""
        for one in (*self.claims, *self.behaviour):
            if id(one) not in self._told and (one.outcome is Outcome.REFUTED or one in self.claims):
                yield shorten(
                    f"{one.outcome.value}: {one.check}: {one.evidence}", _NEWS, placeholder=" ..."
                )
            self._told.add(id(one))

    def audit(self, complete: bool) -> Audit:
        """The audit that this makes."""
        return Audit(
            self.subject.name,
            self.subject.kind,
            self.subject.description,
            self.random,
            tuple(self.measures),
            self.fit,
            tuple(self.claims),
            tuple(self.behaviour),
            self.headline,
            complete,
            tuple(self.crashes),
        )


def _steps(
    done: _Findings, stated: Stated, plan: Plan, traits: Traits, pace: SamplingBudget, tell: Tell
) -> Iterator[str]:
    """The audit; yields what comes next, and adds to ``done`` what was found; ``tell`` is told each
    dimension's measurement."""
    trial = trial_of(done.subject, plan, traits, pace)

    def setting(d: int, samples: int) -> SampledOperator:
        key = Key.seed(plan.seed).fold("audit", d)
        operator = batched(trial.bench, traits.random)
        few = pace.draws(samples, min(samples, plan.samples_at(pace)))
        return SampledOperator(operator, d, key, few, traits.random, traits.eps, pace.share)

    yield "inputs that break compressors"
    inputs = check_inputs(trial)
    done.behaviour += inputs
    done.crashes += trial.crashes
    yield "messages"
    priced = _priced(trial)
    for d in traits.dims:
        yield f"bias and loss in R^{d}"
        done.measures.append(measure(setting(d, plan.samples), pace.draws(plan.search, 1)))
        tell(measured(done.measures[-1]))
    done.headline = headline(done.measures, priced, traits.eps)
    yield "claims"
    done.claims += ClaimChecks(trial.speaker, stated, setting).verdicts(done.measures)
    done.claims += check_bits(trial.speaker, stated, priced)
    yield "class"
    found = fit(done.measures, lambda *pair: simplest(setting, *pair))
    done.fit = at_all_sizes(found, [one for one in inputs if one.check in SIZES])
    done.behaviour.insert(0, _class(trial.speaker, done.fit))
    done.behaviour.append(check_cost(trial.speaker, priced))
    for name, check in _MANNERS:
        yield name
        done.behaviour += check(trial)


def _priced(trial: Trial) -> tuple[Cost, ...] | str:
    """Costs of messages, or why they are not known."""
    try:
        return costs(trial.single, trial.traits)
    except Unmeasured as error:
        return str(error)


_MANNERS: tuple[tuple[str, Callable[[Trial], list[Verdict]]], ...] = (
    ("receiver", lambda trial: [check_receiver(trial)]),
    ("mirror", lambda trial: [check_mirror(trial)]),
    ("NaN and infinity", check_not_finite),
    ("state", lambda trial: [check_memory(trial), check_recovery(trial)]),
    ("seeds", lambda trial: [check_seeds(trial)]),
    ("types, shapes and memory", check_array_contract),
    ("side effects", check_side_effects),
)
"""All that is not a matter of size or direction."""


def trial_of(subject: Subject, plan: Plan, traits: Traits, pace: SamplingBudget = USUAL) -> Trial:
    """Benches in the best precision and in single; fresh for every call where it remembers."""
    renew = subject.renewable and traits.memory is CallMemory.HISTORY
    samples = f"{plan.samples_at(pace)} samples a vector" if traits.random else "nothing to sample"
    description = f"seed {plan.seed}, {samples}, {str(traits.dtype).removeprefix('torch.')}"
    if pace.description:
        description = f"{pace.description}{description}"
    if renew:
        description += ", a fresh one for every call"
    elif traits.memory is CallMemory.HISTORY:
        description += ", one call after another since no fresh one can be made"
    return Trial(
        Reporter(subject.name, f"{description}; error {ALPHA:g} a test, {FAMILY_ERROR:g} an audit"),
        traits,
        Runner(subject, traits.dtype, traits.generators, renew),
        Runner(subject, torch.float32, traits.generators, renew),
        pace.draws(TRIAL_SAMPLES, 6),
        pace.share,
    )


def _class(speaker: Reporter, found: Fit) -> Verdict:
    claim = f"the class that fits: {found.name}"
    return speaker.says(claim, "class", Outcome.COMPARED, found.text)


def _not_running(subject: Subject, stated: Stated, refused: dict[int, BaseException]) -> Audit:
    """It raises at every ordinary vector."""
    speaker = Reporter(subject.name, "gaussian vectors, float32")
    d, error = next(iter(refused.items()))
    description = (
        f"{raised(error)} for a gaussian vector, d = {d}; so for d = {', '.join(map(str, refused))}"
    )
    if not subject.renewable and not isinstance(error, NotNumeric):
        description += (
            "; it took one before, so it keeps something between calls, and no fresh one can be "
            "made: a class, or a function without arguments that returns a new one, would do"
        )
    claims = tuple(
        speaker.says(sentence, "claim", Outcome.NOT_APPLICABLE, "it takes no ordinary vector")
        for sentence in stated.sentences().values()
    )
    runs = speaker.holds("takes ordinary vectors", "runs", False, description)
    return Audit(subject.name, subject.kind, subject.description, False, (), None, claims, (runs,))
