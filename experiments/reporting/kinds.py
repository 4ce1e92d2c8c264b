"""Checks that belong to no row, as the start page heads them."""

from __future__ import annotations

from proofs_check.cell import CellKind

KINDS = {
    CellKind.PROBLEM: (
        "Problems",
        "The constants that problems state, held against their code: gradients, noise, smoothness, "
        "convexity, heterogeneity, minimisers.",
    ),
    CellKind.OPERATOR: (
        "Operators of no method",
        "What no method sends, and the identity, which methods without compression send: that a "
        "message arrives as it is, is checked once, and the start page counts its lines apart.",
    ),
    CellKind.PROOF: (
        "Proofs",
        "Lemmas and theorems derived step by step in computer algebra.",
    ),
    CellKind.CLOSED_FORM: (
        "Closed forms",
        "Identities and expectations that are known exactly, and what the code gives.",
    ),
    CellKind.INFLUENCES: (
        "Influences",
        "The words of survey 002's Table II beside the numbers of one experiment.",
    ),
    CellKind.BOUND: ("Bounds", "Whole measured curves under their theorems' bounds."),
    CellKind.LIMIT: (
        "Stepsize limits",
        "Steps longer than a theorem allows: the least factor by which they break its bound, on an "
        "instance that a search found, measured at the limit and beyond.",
    ),
    CellKind.MUTANTS: (
        "Mutants",
        "Deliberately wrong operators, methods and bounds. A check that cannot fail proves "
        "nothing: each line is a planted fault and the check that caught it.",
    ),
}
"""Title and explanation by kind, in the order of the page."""
