"""torch's own DDP hooks under audit: what was found, so that a torch that repairs it says so."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor

from algorithms.core.names import UnknownName
from algorithms.network.launch import launch
from proofs_check.audit.audit import Audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.hooks import audit_hooks
from proofs_check.audit.plan import Plan
from proofs_check.audit.torch_hooks import HookFailure, HookLine, torch_hook
from proofs_check.verdict import Outcome, Verdict

pytestmark = [pytest.mark.sharded, pytest.mark.slow]

REPAIRED = f"torch {torch.__version__} has repaired this: take it out of docs/audit.md"
MATRIX = torch.arange(1.0, 21.0)

POINTS: tuple[tuple[str, tuple[Tensor, ...]], ...] = (
    ("allreduce", (torch.tensor([1e5, -1e-8, 3.0]),)),
    ("fp16", (torch.tensor([65520.0]), torch.tensor([1e-8]), torch.tensor([0.1]))),
    ("fp16", (torch.tensor([6e-8]),)),
    ("bf16", (torch.ones(1),)),
    ("bf16-renamed", (torch.tensor([65520.0]), torch.tensor([1 + 2.0**-8]))),
    ("8bit", (torch.ones(2),)),
    ("8bit-channel", (torch.ones(2),)),
    ("8bit-stacked", (torch.tensor([1e-8]), torch.tensor([1.0, math.nan]))),
    ("8bit-channel-stacked", (torch.tensor([1e-8]), torch.tensor([1.0, 0.001]))),
    ("powersgd", (torch.zeros(20), MATRIX)),
    ("powersgd", (MATRIX, MATRIX)),
    ("powersgd", (torch.zeros(16),)),
    ("powersgd-batched", (torch.ones(4),)),
    ("powersgd", (torch.full((20,), 1e30), MATRIX)),
)


def seen(points: tuple[tuple[str, tuple[Tensor, ...]], ...]) -> list[list[Any]]:
    """Outcomes, or the message of the failure, of calls one after another; one line a case."""
    told = []
    for name, vectors in points:
        line = HookLine(torch_hook(name))
        if line.rank != 0:
            line.follow()
            continue
        told.append([attempt(line, x) for x in vectors])
        line.stop()
    return told


def attempt(line: HookLine, x: Tensor) -> Tensor | str:
    try:
        return line(x)
    except HookFailure as error:
        return str(error)


@pytest.fixture(scope="module", params=(1, 2), ids=("1 rank", "2 ranks"))
def outcomes(request: pytest.FixtureRequest) -> list[list[Any]]:
    ranks: int = request.param
    found: list[list[Any]] = launch(seen, POINTS, ranks=ranks)[0]
    return found


def test_minimal_examples_of_casts(outcomes: list[list[Any]]) -> None:
    assert torch.equal(outcomes[0][0], POINTS[0][1][0]), "allreduce of equal vectors is exact"
    large, small, tenth = outcomes[1]
    assert large.item() == math.inf, REPAIRED
    assert small.item() == 0, REPAIRED
    assert tenth.item() == float(torch.tensor(0.1).half())
    assert outcomes[3][0].startswith("TypeError: BF16 all reduce"), REPAIRED
    assert outcomes[4][0].item() == 65536, "bfloat16 has the range of float32"
    assert outcomes[4][1].item() == 1, "a tie, rounded to even"


def test_dividing_after_the_cast_loses_small_numbers_on_two_ranks() -> None:
    (one,), (two,) = (launch(seen, (POINTS[2],), ranks=ranks)[0][0] for ranks in (1, 2))
    assert one.item() == 2.0**-24, "the smallest of float16"
    assert two.item() == 0, REPAIRED


def test_eight_bits_do_not_run_on_gloo(outcomes: list[list[Any]]) -> None:
    assert outcomes[5][0].startswith("IndexError: invalid index of a 0-dim tensor"), REPAIRED
    assert outcomes[6][0].startswith("IndexError: too many indices"), REPAIRED


def test_eight_bits_lose_all_of_a_small_gradient_and_spread_a_nan(
    outcomes: list[list[Any]],
) -> None:
    assert outcomes[7][0].item() == 0, REPAIRED
    assert outcomes[7][1].isnan().all(), REPAIRED
    assert outcomes[8][0].item() == 0, REPAIRED
    assert outcomes[8][1].tolist() == [1.0, 0.0], "0.001 is less than half of 1 / 255"


def sizes_sent() -> list[int]:
    """Entries that each gathering of the hook by channels sends, for 511 and 512 of them."""
    sent: list[int] = []
    gather = dist.all_gather

    def spy(out: Any, own: Tensor, **options: Any) -> Any:
        sent.append(own.numel())
        return gather(out, own, **options)

    dist.all_gather = spy
    line = HookLine(torch_hook("8bit-channel-stacked"))
    for d in (511, 512):
        line(torch.ones(d))
    line.stop()
    return sent


def test_whole_channels_are_padded_by_another_one() -> None:
    """Two scales and zero points instead of one, and twice the bytes, for d = 512."""
    assert launch(sizes_sent, ranks=1)[0] == [2, 512, 4, 1024], REPAIRED


def test_power_sgd_turns_a_zero_gradient_into_nan_for_good(outcomes: list[list[Any]]) -> None:
    zero, after = outcomes[9]
    assert zero.isnan().all(), REPAIRED
    assert after.isnan().all(), REPAIRED
    first, second = outcomes[10]
    assert not torch.equal(first, second), "error feedback and a warm start"
    assert not outcomes[11][0].any(), "4 x 4 is too small to be compressed"


def test_power_sgd_turns_a_huge_gradient_into_zero(outcomes: list[list[Any]]) -> None:
    huge, after = outcomes[13]
    assert huge.tolist() == [0.0] * 20, REPAIRED
    assert after.isnan().all(), REPAIRED


def test_batched_power_sgd_does_not_run(outcomes: list[list[Any]]) -> None:
    assert outcomes[12][0] == "AssertionError: in _orthogonalize", REPAIRED


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    stated = Stated(delta="1 - (1/257)**2")
    names = ("bf16-renamed", "fp16", "8bit", "powersgd")
    found = audit_hooks(names, stated, Plan(d=20, samples=500, search=500))
    return dict(zip(names, found, strict=True))


def verdict(found: Audit, check: str) -> Verdict:
    return next(one for one in found.verdicts if one.check == check)


def test_bf16_is_a_contraction_with_the_constant_of_its_rounding(
    audits: dict[str, Audit],
) -> None:
    """Round to nearest of 8 bits: a relative error of at most u / (1 + u), u = 2^-8."""
    found = audits["bf16-renamed"]
    assert not found.refuted
    assert found.fit is not None and found.fit.name.startswith("contraction")
    tightness = verdict(found, "worst-case search").tightness
    assert tightness is not None and 0.9 < tightness <= 1


def test_fp16_is_in_no_class(audits: dict[str, Audit]) -> None:
    found = audits["fp16"]
    assert found.refuted
    for check in ("huge", "tiny"):
        assert verdict(found, check).outcome is Outcome.REFUTED, REPAIRED
    for check in ("zero", "state", "in-place", "dtype", "negative-only", "shape"):
        assert verdict(found, check).outcome is Outcome.SUPPORTED


def test_what_does_not_run_is_reported(audits: dict[str, Audit]) -> None:
    found = audits["8bit"]
    assert found.refuted and found.fit is None
    assert "IndexError" in verdict(found, "runs").evidence


def test_power_sgd_is_told_to_have_state(audits: dict[str, Audit]) -> None:
    found = audits["powersgd"]
    assert "error feedback inside" in verdict(found, "state").evidence
    assert verdict(found, "zero").outcome is Outcome.REFUTED, REPAIRED
    assert verdict(found, "recovery").outcome is Outcome.REFUTED, REPAIRED
    assert verdict(found, "determinism").outcome is Outcome.SUPPORTED


def test_unknown_hooks_are_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: fp16"):
        audit_hooks(("fp61",))
