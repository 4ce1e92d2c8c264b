"""Every erratum that can be shown is: the printed form fails, the corrected one holds."""

from __future__ import annotations

import pytest

from proofs_check.instruments.erratum import erratum
from proofs_check.registry import CLOSED_FORMS, DEMONSTRATIONS, demonstrated
from proofs_check.verdict import Outcome
from theory.survey.erratum import Nature
from theory.survey.rows import ERRATA

SHOWN = {one.id for one in ERRATA if one.nature is not Nature.CITATION}


@pytest.fixture(scope="module")
def shown():
    return [verdict for one in DEMONSTRATIONS for verdict in demonstrated(one)]


def test_numbers_have_no_holes_and_all_but_citations_are_shown(shown) -> None:
    """An erratum that is lost leaves a hole in its list, or a demonstration of nothing."""
    assert {one.id[0] for one in ERRATA} == set("ETS")
    for kind in "ETS":
        numbers = [int(one.id[1:]) for one in ERRATA if one.id[0] == kind]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert {verdict.check.removeprefix("erratum ") for verdict in shown} == SHOWN


def test_every_demonstration_is_a_case_of_the_survey_and_shows_its_own_erratum(shown) -> None:
    assert set(DEMONSTRATIONS) == SHOWN and set(DEMONSTRATIONS.values()) <= set(CLOSED_FORMS)
    assert demonstrated("E1") != () and demonstrated("E99") == ()


def test_the_corrected_form_holds_and_the_printed_one_fails(shown) -> None:
    for verdict in shown:
        assert verdict.outcome is Outcome.AGREES, verdict
        assert verdict.evidence.startswith("corrected: ") and "; printed: " in verdict.evidence


def test_numbers_that_the_errata_state_are_those_of_the_demonstrations(shown) -> None:
    found = {verdict.check.removeprefix("erratum "): verdict.evidence for verdict in shown}
    for name, figure in (
        ("E4", "0.042391158"), ("E31", "0.13153133"), ("E17", "printed: 0.5"), ("E9", "printed: 3"),
        ("E10", "1.3333333"), ("E27", "1641.1972"), ("T10", "7.01 bits"), ("S5", "1.08"),
        ("S4", "0.78, 0.69, 0.107"), ("S6", "7.28 GB/s"), ("S1", "15625"), ("S8", "1.75 m"),
    ):  # fmt: skip
        texts = " ".join(v.evidence for v in shown if v.check == f"erratum {name}")
        assert figure in texts, (name, found[name])


def test_a_printed_form_that_would_do_is_no_erratum() -> None:
    assert erratum("E1", "ssp", "c", (1.0, 1.0), (2.0, 1.0)).outcome is Outcome.AGREES
    assert erratum("E1", "ssp", "c", (2.0, 1.0), (2.0, 1.0)).outcome is Outcome.REFUTED
    assert erratum("E1", "ssp", "c", (1.0, 1.0), (1.0, 1.0)).outcome is Outcome.REFUTED
