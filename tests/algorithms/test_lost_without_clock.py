"""Ranks without a common clock of which one is lost: nobody need wait for it, and all end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.parts.asynchronous_gossip import AsynchronousGossip
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.failure_detector import LOST
from algorithms.network.given_ranks import chosen_link, given_place
from algorithms.network.given_session import session
from algorithms.network.phases import PhaseClock
from algorithms.network.start import start_method
from algorithms.problems.quadratic import Quadratic
from algorithms.runner.served_run import served_run
from algorithms.runner.unclocked_run import Unclocked, unclocked_run
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stale import SSP
from algorithms.topologies.complete import Complete
from tests.ports import free_port
from theory.stepsizes import ConstantStep

RANKS, LAST, STEP, T = 3, 2, 4, 1_000_000
PATIENCE = 12.0  # [s]; what is told does not depend on it
ENOUGH = 200.0
RATE, TIMES = ConstantStep(0.05), Constant()
METHODS: dict[str, ParameterServer | Unclocked] = {
    "asp": ParameterServer(RATE, T, TIMES),
    "ssp": ParameterServer(RATE, T, TIMES, SSP(1)),
    "downpour": Downpour(RATE, T, TIMES, 2, 3),
    "easgd": AsyncEASGD(RATE, T, TIMES, 0.2),
    "admm": StarADMM(RATE, T, TIMES, Asynchronous()),
    "ad-psgd": ADPSGD(RATE, T, TIMES, Complete(RANKS)),
    "gossiping": GossipingSGD(RATE, T, TIMES, Complete(RANKS)),
}
LOSSES = [(name, "dies") for name in METHODS] + [("downpour", "hangs"), ("ad-psgd", "hangs")]


def played(rank: int, port: int, folder: str, name: str, fault: str) -> None:
    """A rank under a launcher that sets the variables and looks after nobody; the last one is lost
    in its fifth step."""
    words = {"RANK": rank, "WORLD_SIZE": RANKS, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
             "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": RANKS}  # fmt: skip
    os.environ.update({name: str(value) for name, value in words.items()})
    os.environ.pop("TORCHELASTIC_USE_AGENT_STORE", None)
    out = os.open(f"{folder}/{rank}.told", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    stepping = PhaseClock.stepping

    @contextmanager
    def losing(self: PhaseClock, t: int) -> Iterator[None]:
        with stepping(self, t):
            if rank == LAST and t == STEP:
                time.sleep(1.2 if fault == "dies" else 1000.0)  # beats tell what it does
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(0.05)
            yield

    setattr(PhaseClock, "stepping", losing)  # noqa: B010
    place, method = given_place(os.environ), METHODS[name]
    with session(place, chosen_link(place, 0), {"row": name}, PATIENCE) as ranks:
        clock = ranks.apart()
        ranks.roll.note(name)
        n = RANKS - (not isinstance(method, AsynchronousGossip))
        problem = Quadratic.strongly_convex(n, 5, sigma2=1.0)
        if isinstance(method, ParameterServer):
            served_run(method, problem, 1, clock=clock)
        else:
            unclocked_run(method, problem, clock=clock)


@pytest.fixture(scope="module")
def ended(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[tuple[str, str], tuple[list[int | None], list[str]]]]:
    """Exit codes and errors, of all at once, since they mostly wait; none is left."""
    spawned = multiprocessing.get_context(start_method(fresh=False))
    started: dict[tuple[str, str], tuple[Path, list[BaseProcess]]] = {}
    try:
        for one in LOSSES:
            folder, port = tmp_path_factory.mktemp("lost"), free_port()
            started[one] = (
                folder,
                [
                    spawned.Process(target=played, args=(rank, port, str(folder), *one))
                    for rank in range(RANKS)
                ],
            )
            for rank in started[one][1]:
                rank.start()
        last = time.monotonic() + ENOUGH
        for _, ranks in started.values():
            for rank in ranks:
                rank.join(max(0.0, last - time.monotonic()))
        yield {
            one: ([rank.exitcode for rank in ranks], [
                line
                for file in sorted(folder.glob("*.told"))
                for line in file.read_text().splitlines()
                if line.startswith("error: ")
            ])
            for one, (folder, ranks) in started.items()
        }  # fmt: skip
    finally:
        for rank in [rank for _, ranks in started.values() for rank in ranks]:
            rank.kill()
            rank.join()


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
@pytest.mark.parametrize(("name", "fault"), LOSSES)
def test_a_lost_rank_that_nobody_waits_for_ends_all_with_one_message(
    ended: dict[tuple[str, str], tuple[list[int | None], list[str]]], name: str, fault: str
) -> None:
    codes, errors = ended[name, fault]
    assert codes == [LOST, LOST, -signal.SIGKILL if fault == "dies" else LOST], errors
    (error,) = errors
    how = "died (last heard of while" if fault == "dies" else "hangs while"
    assert f"error: rank {LAST} {how} {name}, step {STEP}" in error
