"""What pages say of rows that are no methods."""

from __future__ import annotations

from algorithms.catalogue import ROWS, row
from experiments.reporting.subjects import subject_section


def test_models_are_told_apart_by_numbers() -> None:
    """Survey 001's sizes, and its C2C ratio of BERT-Large: 8 times as large with an 8th batch."""
    section = subject_section(row("c2c-model"))
    assert section is not None and len(section["parts"]) == 1, "one definition for all models"
    lines = {line[0]: line[1:] for line in section["numbers"]["lines"]}
    assert lines["BERT-Large"][:3] == ["a sentence of 64 words", "398", "336,226,108"]
    assert lines["ResNet-50"][4] == "480" and lines["BERT-Base"][4] == "192.1"
    assert any("stay unexplained" in state for state in section["states"])


def test_every_collective_and_link_has_its_numbers() -> None:
    for one in ROWS:
        section = subject_section(one)
        if section is None or one.subject is None:
            continue
        named = "; ".join(part["name"] for part in section["parts"])
        assert named == "; ".join(part.name for part in one.subject.parts)
        if section["kind"] in ("collective", "link model", "performance model"):
            lines = section["numbers"]["lines"]
            assert len(lines) == len(one.subject.parts), one.key
            assert {len(line) for line in lines} == {len(section["numbers"]["heads"])}
        assert not any("``" in text for part in section["parts"] for text in part["definition"])


def test_numbers_of_a_link_are_the_surveys() -> None:
    section = subject_section(row("protocol-model"))
    assert section is not None
    lines = {line[0]: line[1:] for line in section["numbers"]["lines"]}
    assert lines["100GbIB RDMA"][0].startswith("16384 bytes in 7.85 us; 32768 bytes in 10.1 us")
    assert lines["100GbE RoCE"][1] == "from memory"
