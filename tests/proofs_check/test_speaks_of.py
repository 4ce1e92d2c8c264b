"""Checks without a row of their own belong to the rows they speak of."""

from __future__ import annotations

import pytest

from algorithms.catalogue import ROWS
from proofs_check.cell import CellKind
from proofs_check.prepare import name_of
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.registry import CLOSED_FORMS
from proofs_check.row_coverage import cells_of, rows_of
from proofs_check.suite import cells


@pytest.mark.parametrize("checks", [DERIVATIONS, CLOSED_FORMS], ids=["proofs", "closed forms"])
def test_no_two_checks_of_a_kind_have_one_name(checks):
    """Room and function tell them apart, since a name does not say the file."""
    assert len({name_of(check) for check in checks}) == len(checks)


@pytest.mark.parametrize("check", [*DERIVATIONS, *CLOSED_FORMS], ids=name_of)
def test_every_proof_and_closed_form_speaks_of_a_row(check):
    assert rows_of(check), f"{check.__module__}: say in COVERS which rows it is about"


def test_checks_of_a_row_are_its_own_and_those_that_speak_of_it():
    every = cells("quick")
    found = {(c.kind, c.name or c.problem) for c in cells_of("d2", every)}
    assert (CellKind.PROOF, "gossip_compressed.prove_d2_limit") in found
    assert (CellKind.CLOSED_FORM, "gossip_compressed.d2_forms") in found
    assert (CellKind.PROBLEM, "quadratic-sc") in found
    assert not [c for c in cells_of("d2", every) if c.row not in ("", "d2")]
    assert cells_of("no such row", every) == ()


def test_every_closed_form_and_proof_is_run_by_some_row():
    every = cells("quick")
    reached = {c for r in ROWS for c in cells_of(r.key, every)}
    alone = {c for c in every if c.kind in (CellKind.PROOF, CellKind.CLOSED_FORM)} - reached
    assert not alone
