"""Rows of infrastructure: links by protocol and message size."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Row
from algorithms.catalogue.subject import RowSubject
from theory.seconds.protocols import PROTOCOL_LINKS

ENTRIES: tuple[Row, ...] = (
    entry(
        "protocol-model",
        RowSubject(
            "link model",
            PROTOCOL_LINKS,
            (
                "a message of m bits takes alpha + beta m, with alpha and beta of its protocol and "
                "size (survey 001)",
                "messages on one link share it max-min fairly (Bertsekas, Gallager 1992)",
            ),
        ),
    ),
)
