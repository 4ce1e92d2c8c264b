"""What is written without a look where checks are late: lists as wide as they may get, closed
forms in the place of loops that end when values say so, gradients that are thrown away."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.catalogue import problem, row
from algorithms.core.faults import Faults
from algorithms.engine.run import Diverged, run
from algorithms.kernels import drop_out, entries, record_codes, zero_runs
from algorithms.kernels.deferred_checks import deferred_checks

BITS = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=4)


@given(BITS, st.booleans())
def test_places_in_full_are_the_places(bits: list[list[bool]], known: bool) -> None:
    mask = torch.tensor(bits)
    count, places = entries.places(mask)
    most = max(1, int(count.max())) if known else None
    with deferred_checks():
        late_count, late_places = entries.places_torch(mask, most)
    assert torch.equal(count, late_count) and late_places.shape[-1] == (most or mask.shape[-1])
    wide = torch.nn.functional.pad(places, (0, late_places.shape[-1] - places.shape[-1]))
    assert torch.equal(wide, late_places) and wide.dtype == late_places.dtype


@given(st.lists(st.sampled_from((7, 7, 7, 121)), min_size=1, max_size=60))
def test_sizes_of_squeezed_rows_are_counted(row_of_bytes: list[int]) -> None:
    rows = torch.tensor([row_of_bytes, [7] * len(row_of_bytes)], dtype=torch.uint8)
    sizes = zero_runs.squeeze(rows, 7)[1]
    assert torch.equal(sizes, zero_runs.sizes(rows, 7))
    assert torch.equal(sizes, zero_runs.sizes_torch(rows, 7))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.floats(0.5, 9.0))
def test_the_level_of_a_density_is_the_least_candidate(sizes: list[int], wanted: float) -> None:
    """Ties and zeros among them; a density of more than all that is not zero has many levels."""
    rows = torch.tensor(sizes, dtype=torch.float64).sort().values[None] / 8
    if wanted >= int((rows > 0).sum()):
        return
    scales = torch.ones(1, dtype=torch.float64)
    loop, found = (act(rows, scales, wanted) for act in (drop_out.of_density, closed))
    assert torch.allclose(loop, found, rtol=1e-12, atol=0)


closed = drop_out.of_density_torch


def test_four_logarithms_are_enough() -> None:
    words = torch.tensor([1, 2, 3, 4, 16, 17, 65535, 65536, 2**31, 2**52, 2**53 - 1])
    for kind in (record_codes.GAMMA, record_codes.OMEGA):
        found = record_codes.elias_lengths(words, kind)
        assert torch.equal(found, record_codes.elias_lengths_torch(words, kind))


def test_a_broken_message_is_thrown_away_without_a_look() -> None:
    built, fault = problem("quadratic-sc", 4), Faults(2, 5, float("nan"))
    once, late = (
        run(row("asp").build(built, 40), built, steps=40, replicas=2, faults=fault, late=late)
        for late in (False, True)
    )
    assert torch.equal(once.model, late.model)
    for one, other in zip(once.account, late.account, strict=True):
        assert torch.equal(one, other)


def test_a_barrier_that_needs_all_tells_late() -> None:
    built, fault = problem("quadratic-sc", 4), Faults(2, 5, float("nan"))
    with pytest.raises(Diverged, match=r"a gradient was not finite in a step from"):
        run(row("ssp").build(built, 40), built, steps=40, faults=fault, late=True)
