"""Quadratics made to order: another size, curvature, start or spread than was asked is refuted."""

from __future__ import annotations

import pytest

from algorithms.problems import quadratic
from proofs_check.row_coverage import rows_of
from proofs_check.shared_code.attained_constants import COVERS, made_to_order
from proofs_check.verdict import Outcome


def test_quadratics_are_as_asked_and_the_check_belongs_to_every_row():
    (found,) = made_to_order()
    assert found.outcome is Outcome.AGREES, found.evidence
    assert rows_of(made_to_order) == tuple(sorted(COVERS["made_to_order"]))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("log_spaced", lambda true, d, L, mu: true(d + 1, L, mu)),
        ("log_spaced", lambda true, d, L, mu: true(d, L, min(L, 1.001 * mu))),
        ("offsets", lambda true, n, active, zeta2, seed: true(n, active, 1.001 * zeta2, seed)),
        ("offsets", lambda true, *given: true(*given) + 1e-6),
    ],
)
def test_what_was_not_asked_is_refuted(name, wrong, monkeypatch):
    true = getattr(quadratic, name)
    monkeypatch.setattr(quadratic, name, lambda *given: wrong(true, *given))
    (found,) = made_to_order()
    assert found.outcome is Outcome.REFUTED
