"""Table IV of survey 002 as data, against its printed lines."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from theory.survey.classification import Architecture, Compression, Objective, Scheme
from theory.survey.convergence import (
    TABLE_IV,
    CostPoint,
    Payload,
    server_cost,
    worker_cost,
)
from theory.survey.errata import ERRATA
from theory.survey.rows import SURVEY_ROWS
from theory.survey.taxonomy import TABLE_I

PRINTED = """
PS BSP Null   | 32nNT | 32NT | T 26 | S 26
PS BSP Quant. | 32nNT | bNT | T 175 112 | S 175 173
PS BSP Spars. | 32nNT | k(log N + 32)T | T 207 184 | S 185 192
PS SSP Null   | 32N sum_i^n T_i | 32NT_i | - | S 33
PS SSP Quant. | - | - | - | -
PS SSP Spars. | - | - | - | -
PS ASP Null   | 32N sum_i^n T_i | 32NT_i | T 73 72 | S 212
PS ASP Quant. | 32N sum_i^n T_i | bNT_i | T 177 | S 134 132
PS ASP Spars. | 32N sum_i^n T_i | k(log N + 32)T_i | T 141 219 | -
PS L-SGD Null   | 32N T/T_comm | 32N T/T_comm | T 73 | S 41 111 113
PS L-SGD Quant. | 32N T/T_comm | bN T/T_comm | - | S 112
PS L-SGD Spars. | 32N T/T_comm | k(log N + 32) T/T_comm | - | -
A.R. BSP Null   | - | 32NT | T 26 | S 26
A.R. BSP Quant. | - | bNT | T 175 112 | S 175 173
A.R. BSP Spars. | - | kn(log N + 32)T | T 207 184 | S 185 192
A.R. L-SGD Null   | - | 32N T/T_comm | T 73 | S 41 111 113
A.R. L-SGD Quant. | - | bN T/T_comm | - | S 112
A.R. L-SGD Spars. | - | kn(log N + 32) T/T_comm | - | -
Gossip BSP Null   | - | 32N n_peers T | - | S 51
Gossip BSP Quant. | - | nbN_peers T | - | S 135
Gossip BSP Spars. | - | k(log N + 32) n_peers T | - | -
Gossip ASP Null   | - | 32N n_peers T_i | - | S 53
Gossip ASP Quant. | - | - | - | -
Gossip ASP Spars. | - | - | - | -
Gossip L-SGD Null   | - | 32N n_peers T/T_comm | T 221 | S 221
Gossip L-SGD Quant. | - | - | - | -
Gossip L-SGD Spars. | - | - | - | -
"""
"""The survey's own text (arXiv:2003.06307, Table IV): T stands for O(1/T), S for O(1/sqrt T)."""
POWERS = {"T": Fraction(-1), "S": Fraction(-1, 2)}


def test_every_line_is_as_it_is_printed() -> None:
    lines = [line for line in PRINTED.splitlines() if line]
    for text, line in zip(lines, TABLE_IV, strict=True):
        name, server, worker, convex, other = (part.strip() for part in text.split("|"))
        assert tuple(re.split(r" +", name)) == (line.architecture, line.scheme, line.compression)
        for printed, formula in ((server, line.server), (worker, line.worker)):
            assert printed == (formula.printed if formula else "-")
        for printed, cell in ((convex, line.convex), (other, line.nonconvex)):
            head, *cited = printed.split()
            assert (None if cell is None else cell.power) == POWERS.get(head)
            assert (() if cell is None else cell.references) == tuple(map(int, cited))


def test_of_54_cells_29_are_stated() -> None:
    stated = [line.stated(o) for line in TABLE_IV for o in Objective]
    assert (len(stated), sum(cell is not None for cell in stated)) == (54, 29)


def test_every_erratum_of_the_tables_cells_is_one_of_the_list() -> None:
    cells = [cell for line in TABLE_IV for cell in (line.convex, line.nonconvex) if cell]
    named = {name for cell in cells for name in cell.errata}
    costs = [cost for line in TABLE_IV for cost in (line.server, line.worker) if cost]
    named |= {cost.erratum for cost in costs if cost.erratum}
    of_table = {e.id for e in ERRATA if "Table IV" in e.place}
    assert named == of_table


@pytest.mark.parametrize("line", TABLE_IV, ids=lambda line: line.name)
def test_the_rule_of_the_cost_columns_gives_every_formula_that_is_stated(line: object) -> None:
    """What fills blank lines must say of the others what the survey, corrected, says of them."""
    from dataclasses import replace

    from theory.survey.convergence import ConvergenceLine

    assert isinstance(line, ConvergenceLine)
    blank = replace(line, server=None, worker=None)
    at = CostPoint(100, 4, 30.0, 2, 5, 10, 3.5, 32)
    if line.worker:
        assert worker_cost(blank).bits(at) == line.worker.bits(at)
    server = server_cost(blank)
    if line.server:
        assert server is not None
        assert server.bits(at) == line.server.bits(at)
    assert (server is None) == (line.architecture is not Architecture.SERVER)


@pytest.mark.parametrize(
    ("name", "server", "worker"),
    [
        ("PS, BSP, Null", 32 * 4 * 100 * 30, 32 * 100 * 30),
        ("PS, BSP, Quant.", 32 * 4 * 100 * 30, 3.5 * 100 * 30),
        ("PS, BSP, Spars.", 32 * 4 * 100 * 30, 10 * (7 + 32) * 30),
        ("PS, L-SGD, Null", 32 * 4 * 100 * 6, 32 * 100 * 6),  # T9: n times what is printed
        ("A.R., BSP, Quant.", None, 4 * 3.5 * 100 * 30),  # T10: an all-gather
        ("Gossip, BSP, Quant.", None, 3.5 * 100 * 2 * 30),  # T8: b N n_peers T
        ("Gossip, L-SGD, Null", None, 32 * 100 * 2 * 6),
    ],
)
def test_formulas_give_their_numbers(name: str, server: float | None, worker: float) -> None:
    (line,) = (one for one in TABLE_IV if one.name == name)
    at = CostPoint(100, 4, 30.0, 2, 5, 10, 3.5, 32)
    assert line.worker is not None
    assert line.worker.bits(at) == worker
    assert (line.server.bits(at) if line.server else None) == server


def test_words_of_the_table_are_those_of_the_survey() -> None:
    assert [*Architecture] == ["PS", "A.R.", "Gossip"]
    assert [*Scheme] == ["BSP", "SSP", "ASP", "L-SGD"]
    assert [*Compression] == ["Null", "Quant.", "Spars."]
    assert len(Payload) == len(Compression)


def test_table_i_names_rows_of_the_surveys() -> None:
    assert [one.method for one in TABLE_I] == [
        "Synchronous", "Stale-Synchronous", "Asynchronous", "Local SGD", "Parameter Server",
        "All-Reduce", "Gossip", "Quantization", "Coding", "Sparsification", "Pipelining",
        "Scheduling",
    ]  # fmt: skip
    keys = {row.key for row in SURVEY_ROWS}
    assert not {key for one in TABLE_I for key in one.rows} - keys
