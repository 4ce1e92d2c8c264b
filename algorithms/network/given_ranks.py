"""Ranks that a launcher started: where this one stands, and what its messages go over.

Any launcher does that sets the variables of ``torchrun``: RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT, and for GPUs LOCAL_RANK and LOCAL_WORLD_SIZE.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

LOOPBACK = "lo"
"""The network interface that reaches this machine alone (Linux)."""

_NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@final
@dataclass(frozen=True)
class GivenPlace:
    """Position of a rank among those of all machines, and among those of its own.

    Attributes:
        rank: its number, from 0.
        ranks: how many there are.
        local_rank: its number on its machine.
        local_ranks: how many there are on its machine.
        address: where rank 0's store listens.
        port: at which port.

    Raises:
        ValueError: a number outside its range.
    """

    rank: int
    ranks: int
    local_rank: int
    local_ranks: int
    address: str
    port: int

    def __post_init__(self) -> None:
        for name, value, count in (
            ("RANK", self.rank, self.ranks),
            ("LOCAL_RANK", self.local_rank, self.local_ranks),
        ):
            if not 0 <= value < count:
                raise ValueError(f"{name} must lie in [0, {count}), got {name}={value}")

    @property
    def one_machine(self) -> bool:
        """Whether all ranks are on this machine."""
        return self.ranks == self.local_ranks or self.address_is_loopback

    @property
    def address_is_loopback(self) -> bool:
        """Whether rank 0 is told by an address that no other machine reaches."""
        if self.address == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            return False


def given_place(environment: Mapping[str, str]) -> GivenPlace:
    """The place that a launcher wrote into the environment.

    Without LOCAL_RANK and LOCAL_WORLD_SIZE each rank has a machine of its own.

    Raises:
        ValueError: a variable is missing or no number.
    """
    missing = [name for name in _NEEDED if not environment.get(name)]
    if missing:
        raise ValueError(
            f"{', '.join(missing)} must be set in the environment, as torchrun does; "
            "`torchrun --nproc-per-node 2 -m experiments.launch ...` would do"
        )
    numbers = {
        name: _number(name, environment.get(name, default))
        for name, default in (
            ("RANK", ""), ("WORLD_SIZE", ""), ("MASTER_PORT", ""),
            ("LOCAL_RANK", "0"), ("LOCAL_WORLD_SIZE", "1"),
        )
    }  # fmt: skip
    return GivenPlace(
        numbers["RANK"],
        numbers["WORLD_SIZE"],
        numbers["LOCAL_RANK"],
        numbers["LOCAL_WORLD_SIZE"],
        environment["MASTER_ADDR"],
        numbers["MASTER_PORT"],
    )


def _number(name: str, text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{name} must be a whole number, got {name}={text!r}")
    return int(text)


@final
@dataclass(frozen=True)
class RankLink:
    """Transport of a rank's messages, and the device of its tensors.

    Attributes:
        backend: ``gloo`` or ``nccl``.
        device: ``cpu`` or ``cuda:N``.
    """

    backend: str
    device: str


def chosen_link(place: GivenPlace, gpus: int, device: str = "auto") -> RankLink:
    """NCCL where each rank of this machine has a GPU; several ranks share GPUs over gloo, which
    copies their tensors through the host; gloo and CPUs where there is none.

    ``gpus`` is how many this machine has; ``device`` is ``auto``, ``cpu`` or ``cuda``.

    Raises:
        ValueError: another word, or ``cuda`` without a GPU.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device must be auto, cpu or cuda, got device={device}")
    if device == "cuda" and not gpus:
        raise ValueError("device must be cpu or auto where there is no GPU, got device=cuda")
    if device == "cpu" or not gpus:
        return RankLink("gloo", "cpu")
    backend = "nccl" if gpus >= place.local_ranks else "gloo"
    return RankLink(backend, f"cuda:{place.local_rank % gpus}")


def bound_to_loopback(environment: Mapping[str, str], *, one_machine: bool) -> dict[str, str]:
    """Values to add to the environment so that gloo and NCCL listen where no other machine reaches;
    nothing where ranks are on several machines, or the environment names an interface."""
    if not one_machine or sys.platform != "linux":
        return {}
    names = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")
    return {name: LOOPBACK for name in names if not environment.get(name)}
