"""Hooks of users on two ranks: what they lose, what they hand to collectives, what ranks get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import pytest
import torch

from algorithms.network.launch import launch
from algorithms.network.traffic import Traffic
from proofs_check.audit.audit import Interrupted
from proofs_check.audit.hook_ranks import check_ranks
from proofs_check.audit.hooks import audit_hooks
from proofs_check.audit.payload import message_of
from proofs_check.audit.plan import Plan
from proofs_check.audit.randomness import seed_all
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.torch_hooks import HookFailure, HookLine
from proofs_check.audit.traits import ordinary
from proofs_check.audit.user_hooks import hook_named, is_hook
from proofs_check.verdict import Outcome
from tests.proofs_check.audit import users_hooks

HERE = users_hooks.__name__
NAMES = (
    "top_tenth", "half_precision", "power_sgd", "keeps_its_own", "rank_zero_for_all", "adds_up",
    "raises",
)  # fmt: skip


@final
@dataclass(frozen=True)
class Seen:
    """What ranks make of a hook, and the bits that it hands over for 100 entries."""

    refuted: tuple[str, ...]
    bits: float | None
    failure: str = ""


def seen_on_ranks() -> dict[str, Seen]:
    found = {}
    for name in NAMES:
        line = HookLine(hook_named(f"{HERE}:{name}"))
        if line.rank != 0:
            line.follow()
            continue
        try:
            line(ordinary(100).float())
            bits = message_of(line.handed, 100).measured
            verdicts = check_ranks(line, Reporter(name, ""), random=False)
            bad = tuple(one.check for one in verdicts if one.outcome is Outcome.REFUTED)
            found[name] = Seen(bad, bits)
        except HookFailure as error:
            found[name] = Seen((), None, str(error))
        line.stop()
    return found


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    found: dict[str, Seen] = launch(seen_on_ranks, ranks=2)[0]
    return found


@pytest.mark.sharded
@pytest.mark.parametrize(
    ("name", "bits"),
    [("top_tenth", 10 * (32 + 64)), ("half_precision", 100 * 16), ("power_sgd", 2 * 10 * 32)],
)
def test_sound_hooks_average_and_what_they_hand_over_is_counted(
    seen: dict[str, Seen], name: str, bits: float
) -> None:
    """10 values with their positions; 16 bits a coordinate; P and Q of a 10 x 10 matrix."""
    assert seen[name] == Seen((), bits)


@pytest.mark.sharded
@pytest.mark.parametrize(
    ("name", "refuted"),
    [
        ("keeps_its_own", ("ranks agree", "ranks used")),
        ("rank_zero_for_all", ("ranks used",)),
        ("adds_up", ("ranks average",)),
    ],
)
def test_faults_between_ranks_are_refuted(
    seen: dict[str, Seen], name: str, refuted: tuple[str, ...]
) -> None:
    assert seen[name].refuted == refuted


@pytest.mark.sharded
def test_a_hook_that_raises_is_told_with_its_error(seen: dict[str, Seen]) -> None:
    assert "KeyError: 'weights'" in seen["raises"].failure


def drawn() -> list[float]:
    """What comes back of 50 ones, drawn on the ranks."""
    line = HookLine(hook_named(f"{HERE}:half_of_it"))
    if line.rank != 0:
        line.follow()
        return []
    seed_all(3)
    y = line(torch.ones(50), 3)
    line.stop()
    return y.tolist()


@pytest.mark.slow
@pytest.mark.sharded
def test_ranks_draw_alike_so_that_omega_is_that_of_one_worker() -> None:
    """Of two ranks that drew apart, half of the coordinates would come back as 1."""
    assert set(launch(drawn, ranks=2)[0]) == {0.0, 2.0}


@pytest.mark.slow
@pytest.mark.sharded
def test_an_interrupted_audit_hands_back_what_was_finished() -> None:
    with pytest.raises(Interrupted) as stop:
        audit_hooks((f"{HERE}:interrupts",), None, Plan(d=4, samples=100, search=100), 2)
    found = stop.value.found
    assert not found.complete
    assert [one.d for one in found.measures] == [1]
    assert found.kind.startswith("DDP communication hook")


def sent() -> list[tuple[int, ...]]:
    """Shapes of what is noted of some collectives, by whatever name they are called."""
    x = torch.ones(3)
    with Traffic() as traffic:
        users_hooks.dist.all_reduce(x)
        users_hooks.all_gather([torch.empty(2), torch.empty(2)], torch.zeros(2))
        users_hooks.dist.broadcast(torch.zeros(5), 0)
        users_hooks.dist.broadcast(torch.zeros(7), src=1)
    users_hooks.dist.all_reduce(x)
    return [tuple(one.shape) for one in traffic.handed]


@pytest.mark.sharded
def test_what_a_rank_contributes_is_noted_inside_only() -> None:
    assert launch(sent, ranks=2) == [[(3,), (2,), (5,)], [(3,), (2,), (7,)]]


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (users_hooks.top_tenth, True),
        (users_hooks.no_hook, False),
        (lambda state, bucket: None, True),
        (lambda x, name: x, False),
        (torch.sign, False),
        (3, False),
    ],
)
def test_hooks_are_told_by_their_arguments(thing: Any, told: bool) -> None:
    assert is_hook(thing) is told


def test_what_is_no_hook_is_refused_with_what_would_do() -> None:
    with pytest.raises(ValueError, match=r"a pair \(state, hook\)"):
        hook_named(f"{HERE}:no_hook")
    assert hook_named(f"{HERE}:power_sgd").matrix, "its state is PowerSGD's"
