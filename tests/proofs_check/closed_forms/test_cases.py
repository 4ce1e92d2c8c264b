"""Cases of closed forms, demonstrations, studies and faults of one step say what they are given."""

from __future__ import annotations

from algorithms.compressors.identity import Identity
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.closed_forms import ClosedForms, at_least, mean_is, none_wrong, same
from proofs_check.instruments.erratum import demonstrates
from proofs_check.instruments.study import StudyResult, study
from proofs_check.mutants.method_mutant import wrong_encoding, wrong_step
from proofs_check.verdict import CheckKind, Outcome
from theory.stepsizes import ConstantStep


def test_a_case_fills_what_its_comparisons_leave_open():
    forms = ClosedForms("bsp-sgd", "quadratic")

    @forms.case("halves", "no seed")
    def halves(whole=2.0):
        yield same("half of it is one", whole / 2, 1.0)
        yield none_wrong("nothing is wrong", 0, "none of 3", on="another", words="3 looked at")

    one, other = forms()
    assert (one.subject, one.problem, one.check) == ("bsp-sgd", "quadratic", "halves")
    assert (one.provenance, other.provenance) == ("no seed", "no seed, 3 looked at")
    assert (other.problem, other.outcome, other.bound) == ("another", Outcome.AGREES, 0.0)
    assert [v.outcome for v in halves(3.0)] == [Outcome.REFUTED, Outcome.AGREES]
    assert (forms.__name__, forms.__module__) == ("bsp_sgd", __name__)


def test_a_case_of_one_comparison_gives_its_verdict():
    forms = ClosedForms("bsp-sgd", name="means")

    @forms.case("means", "seed 1")
    def mean(expected=2.0):
        return mean_is("the mean of 1 and 3 is 2", [1.0, 3.0] * 500, expected)

    assert mean().outcome is Outcome.SUPPORTED and mean(9.0).outcome is Outcome.REFUTED
    assert mean().provenance.startswith("seed 1, error ") and forms() == (mean(),)


def test_at_least_is_refuted_below_only():
    found = [at_least("a floor", value, 1.0, "").outcome for value in (0.5, 1.0, 2.0)]
    assert found == [Outcome.REFUTED, Outcome.SUPPORTED, Outcome.SUPPORTED]


def test_a_demonstration_asks_that_the_printed_rule_fails():
    def of(printed):
        return demonstrates("E0", "bsp-sgd", "one is one")(lambda: ((1.0, 1.0), printed))

    (shown,), (idle,) = of((2.0, 1.0))(), of((1.0, 1.0))()
    assert (shown.outcome, idle.outcome) == (Outcome.AGREES, Outcome.REFUTED)
    assert (shown.check, shown.kind, of((2.0, 1.0)).covers) == (
        "erratum E0", CheckKind.ERRATUM, ("bsp-sgd",),
    )  # fmt: skip


def test_a_study_is_named_by_its_function_and_runs_others():
    @study("bsp-sgd", "quadratic", "a rate", "T", "error")
    def rate_measure(build=1):
        return StudyResult((), ())

    assert (rate_measure.name, rate_measure.row, rate_measure.scales) == (
        "rate", "bsp-sgd", ("log", "log"),
    )  # fmt: skip
    assert rate_measure(2) == rate_measure.run() == StudyResult((), ())


def test_a_wrong_step_stands_in_the_place_of_the_right_one():
    """Handed to a judge as what spoils a method, as what makes one, or on a given method."""
    forms, right = ClosedForms("bsp-sgd"), BSP(ConstantStep(0.5))

    @forms.case("steps")
    def stays(method=right):
        return same("the step of 3 is 1", method.step(3, 0, None) if method is not right else 1, 1)

    @wrong_step("BSP that adds one", stays, on=right)
    def adds_one(own, state, t, context):
        """one is
        added"""
        assert own is right
        return state + 1

    assert (adds_one.name, adds_one.planted) == ("BSP that adds one", "one is added")
    assert adds_one.refute().outcome is Outcome.REFUTED and adds_one.refute().statistic == 4
    assert adds_one.genuine().outcome is Outcome.AGREES

    makes = wrong_step("made", lambda make=BSP: same("", make(1).right == BSP(1), 1), of=BSP)
    assert makes(lambda own, state, t, context: state).refute().outcome is Outcome.AGREES


def test_a_wrong_encoding_keeps_the_rest_of_its_operator():
    @wrong_encoding("identity of nothing", Identity(), check="Monte Carlo")
    def nothing(own, x, draws):
        """nothing is sent"""
        return (0 * x,)

    assert (nothing.name, nothing.planted, nothing.check) == (
        "identity of nothing", "nothing is sent", "Monte Carlo",
    )  # fmt: skip
    assert nothing.mutant.claims(4) == Identity().claims(4)
    assert nothing.mutant.name == "nothing posing as identity"
