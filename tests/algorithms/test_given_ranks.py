"""Ranks of a launcher: where they stand, what they talk over, and what is told when one is lost."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from algorithms.network.failure_detector import LOST
from algorithms.network.given_ranks import (
    GivenPlace,
    RankLink,
    bound_to_loopback,
    chosen_link,
    given_place,
)
from algorithms.network.given_session import PortTaken, RanksDiffer, Session, session
from algorithms.network.launch import launch
from algorithms.network.phases import Phase, PhaseClock
from algorithms.network.sharded import Sharded
from algorithms.network.start import start_method
from tests.ports import free_port

RANKS = 3
PATIENCE = {"hangs": 12.0, "absent": 2.0}  # seconds; what is told does not depend on it
ENOUGH = 200.0


def at(rank: int, ranks: int = 4, local: int = 4, address: str = "127.0.0.1") -> GivenPlace:
    return GivenPlace(rank, ranks, rank % local, local, address, 1)


@pytest.mark.parametrize(
    ("rank", "local", "gpus", "device", "link"),
    [
        (1, 4, 0, "auto", RankLink("gloo", "cpu")),
        (3, 4, 4, "auto", RankLink("nccl", "cuda:3")),
        (3, 2, 2, "auto", RankLink("nccl", "cuda:1")),
        (3, 4, 1, "auto", RankLink("gloo", "cuda:0")),
        (3, 4, 2, "cuda", RankLink("gloo", "cuda:1")),
        (3, 4, 4, "cpu", RankLink("gloo", "cpu")),
    ],
)
def test_ranks_with_a_gpu_each_take_nccl_and_those_that_share_take_gloo(
    rank: int, local: int, gpus: int, device: str, link: RankLink
) -> None:
    assert chosen_link(at(rank, local=local), gpus, device) == link


def test_places_are_read_from_the_environment_and_bad_ones_refused() -> None:
    words = {"RANK": "3", "WORLD_SIZE": "4", "MASTER_ADDR": "node0", "MASTER_PORT": "29500"}
    torchrun = words | {"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    assert given_place(torchrun) == GivenPlace(3, 4, 1, 2, "node0", 29500)
    assert given_place(words).local_ranks == 1
    for wrong, told in (
        ({"RANK": ""}, "RANK must be set in the environment"),
        ({"RANK": "four"}, "RANK must be a whole number, got RANK='four'"),
        ({"RANK": "4"}, r"RANK must lie in \[0, 4\), got RANK=4"),
        ({"LOCAL_RANK": "2"}, r"LOCAL_RANK must lie in \[0, 2\), got LOCAL_RANK=2"),
    ):
        with pytest.raises(ValueError, match=told):
            given_place(torchrun | wrong)
    with pytest.raises(ValueError, match="device must be cpu or auto where there is no GPU"):
        chosen_link(at(0), 0, "cuda")
    with pytest.raises(ValueError, match="device must be auto, cpu or cuda, got device=tpu"):
        chosen_link(at(0), 0, "tpu")


def test_sockets_are_bound_to_loopback_unless_told_otherwise() -> None:
    if sys.platform == "linux":
        assert bound_to_loopback({}, one_machine=True)["GLOO_SOCKET_IFNAME"] == "lo"
    named = {"GLOO_SOCKET_IFNAME": "eth0", "NCCL_SOCKET_IFNAME": "eth0"}
    assert bound_to_loopback(named, one_machine=True) == {}
    assert bound_to_loopback({}, one_machine=False) == {}
    assert at(0, ranks=4, local=2).one_machine
    assert not at(0, ranks=4, local=2, address="10.0.0.1").one_machine
    assert at(0, ranks=4, local=4, address="10.0.0.1").one_machine


def test_a_clock_gives_every_second_of_a_step_to_one_phase() -> None:
    clock = PhaseClock()
    begun = time.perf_counter()
    with clock.stepping(0), clock.during(Phase.COMPRESS), clock.during(Phase.COMMUNICATE):
        time.sleep(0.01)
    passed = time.perf_counter() - begun
    assert clock.seconds[Phase.COMMUNICATE] >= 0.01
    assert sum(clock.seconds.values()) <= passed
    assert clock.seconds[Phase.WAIT] == 0 and clock.steps == 1
    with clock.during(Phase.WAIT):  # outside of steps
        pass
    assert clock.seconds[Phase.WAIT] == 0


def listening(pid: int) -> list[str]:
    """Addresses (hexadecimal) that a process listens at."""
    links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")
             if os.path.islink(f"/proc/{pid}/fd/{fd}")]  # fmt: skip
    own = {link[8:-1] for link in links if link.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in own:
                found.append(words[1].partition(":")[0])
    return found


LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


def heard_at() -> list[str]:
    return listening(os.getpid())


@pytest.mark.sharded
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_spawned_ranks_listen_on_loopback_alone() -> None:
    for addresses in launch(heard_at, ranks=2):
        assert addresses and all(address in LOOPBACK for address in addresses)


def played(rank: int, port: int, folder: str, fault: str) -> None:
    """A rank under a launcher that sets the variables and nothing else."""
    words = {"RANK": rank, "WORLD_SIZE": RANKS, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
             "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": RANKS}  # fmt: skip
    os.environ.update({name: str(value) for name, value in words.items()})
    os.environ.pop("TORCHELASTIC_USE_AGENT_STORE", None)
    out = os.open(f"{folder}/{rank}.told", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    place = given_place(os.environ)
    odd = fault == "differs" and rank == 1
    terms = {"code": "old" if odd else "new", "topology": "ring"}
    try:
        with session(place, chosen_link(place, 0), terms, PATIENCE.get(fault, ENOUGH)) as ranks_:
            steps(ranks_, fault, Path(folder))
    except (RanksDiffer, PortTaken, TimeoutError) as error:
        print(f"error: {error}", flush=True)
        os._exit(2)
    except ValueError as error:
        print(f"error: {error}", flush=True)
        os._exit(4)


def steps(ranks: Session, fault: str, folder: Path) -> None:
    clock = PhaseClock()
    ranks.roll.clock = clock
    ranks.roll.note("qsgd on quadratic-sc")
    network = Sharded(2 * RANKS, phases=clock)
    for t in range(4):
        with clock.stepping(t):
            if t == 2 and ranks.place.rank == 1:
                if fault == "dies":
                    time.sleep(1.2)  # two beats, so that the others know the step
                    os.kill(os.getpid(), signal.SIGKILL)
                if fault == "hangs":
                    time.sleep(1000)
                if fault == "fails":
                    raise KeyError("a fault of its own")
            with clock.during(Phase.WAIT):
                network.meet()
    if sys.platform == "linux":
        assert all(address in LOOPBACK for address in listening(os.getpid()))
        if ranks.place.rank == 0:
            assert listening(os.getpid())
    network.mean_over_workers(torch.ones(2, 3))
    (folder / f"{ranks.place.rank}.done").touch()


class Scenario:
    """Ranks with a fault, started and not waited for."""

    def __init__(self, folder: Path, fault: str, ranks: int = RANKS, port: int = 0) -> None:
        self.folder, self.port = folder / fault, port or free_port()
        self.folder.mkdir()
        spawned = multiprocessing.get_context(start_method(fresh=False))
        self.ranks = [
            spawned.Process(target=played, args=(rank, self.port, str(self.folder), fault))
            for rank in range(ranks)
        ]
        for one in self.ranks:
            one.start()

    @property
    def codes(self) -> list[int | None]:
        return [one.exitcode for one in self.ranks]

    @property
    def told(self) -> str:
        return "".join(file.read_text() for file in sorted(self.folder.glob("*.told")))

    @property
    def errors(self) -> list[str]:
        return [line for line in self.told.splitlines() if line.startswith("error: ")]


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Scenario]]:
    """All at once, since most of them wait; none is left."""
    folder = tmp_path_factory.mktemp("ranks")
    found: dict[str, Scenario] = {}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        try:
            for fault in ("none", "dies", "hangs", "fails", "differs"):
                found[fault] = Scenario(folder, fault)
            found["absent"] = Scenario(folder, "absent", ranks=2)
            found["taken"] = Scenario(folder, "taken", ranks=1, port=taken.getsockname()[1])
            last = time.monotonic() + ENOUGH
            for one in [rank for scenario in found.values() for rank in scenario.ranks]:
                one.join(max(0.0, last - time.monotonic()))
            yield found
        finally:
            for one in [rank for scenario in found.values() for rank in scenario.ranks]:
                one.kill()
                one.join()


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_ranks_that_agree_play_and_listen_on_loopback_alone(
    scenarios: dict[str, Scenario],
) -> None:
    sound = scenarios["none"]
    assert (sound.codes, sound.told) == ([0] * RANKS, "")
    assert len(list(sound.folder.glob("*.done"))) == RANKS


@pytest.mark.sharded
@pytest.mark.processes
@pytest.mark.parametrize(
    ("fault", "sign"),
    [
        ("dies", "rank 1 died (last heard of while qsgd on quadratic-sc, step 2)"),
        ("hangs", "rank 1 hangs while qsgd on quadratic-sc, step 2: the others waited"),
        ("fails", "rank 1 failed: KeyError: 'a fault of its own'"),
    ],
)
def test_a_lost_rank_ends_all_with_one_message(
    scenarios: dict[str, Scenario], fault: str, sign: str
) -> None:
    ended = scenarios[fault]
    lost = -signal.SIGKILL if fault == "dies" else LOST
    assert ended.codes == [LOST, lost, LOST], ended.told
    (error,) = ended.errors
    assert sign in error


@pytest.mark.sharded
@pytest.mark.processes
def test_ranks_that_differ_are_named_with_what_differs(scenarios: dict[str, Scenario]) -> None:
    ended = scenarios["differs"]
    assert ended.codes == [2] * RANKS
    assert {*ended.errors} == {
        "error: rank 1 differs: code is 'old', on rank 0 'new'; the same on every rank would do"
    }


@pytest.mark.sharded
@pytest.mark.processes
def test_an_absent_rank_and_a_taken_port_are_named(scenarios: dict[str, Scenario]) -> None:
    absent, taken = scenarios["absent"], scenarios["taken"]
    assert absent.codes == [2, 2]
    assert re.search(r"error: rank (1, )?2 of 3 did not come within", absent.told)
    assert taken.codes == [2]
    assert taken.errors == [
        f"error: rank 0: port {taken.port} at 127.0.0.1 is in use; another MASTER_PORT would do"
    ]
