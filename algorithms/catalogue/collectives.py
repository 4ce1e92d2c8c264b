"""Rows of collectives and parameter servers: architectures as programs of messages."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Row
from algorithms.catalogue.subject import RowSubject
from algorithms.collectives.ring import RingAllReduce

_KIND = "collective"

ENTRIES: tuple[Row, ...] = (
    entry(
        "allreduce-ring",
        RowSubject(
            _KIND,
            (RingAllReduce(8),),
            (
                "2(n - 1) steps of m/n: 2(n - 1) alpha + 2(n - 1)/n beta m "
                "(Patarasuk, Yuan 2009; survey 002, Table III)",
                "no all-reduce sends fewer bits (Patarasuk, Yuan 2009)",
            ),
        ),
    ),
)
