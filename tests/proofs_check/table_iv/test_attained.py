"""Orders of rows' theorems on exact instances: what is attained, and wrong orders that fall."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.standings import RateStanding
from proofs_check.table_iv.attained import slowest
from theory.stepsizes import ConstantStep
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.mem_sgd import mem_sgd


def test_orders_of_plain_sgd_and_of_gossip_are_attained() -> None:
    """T^-1/2 cannot be beaten on smooth functions (Arjevani et al. 2019, 1912.02365); on quadratics
    stepsizes that fall as T^-1/2 leave Delta/(gamma T) and gamma sigma^2/n of that order."""
    for key, theorem in (("bsp-sgd", bsp_nonconvex), ("d-psgd", d_psgd)):
        found = slowest(row(key), theorem)
        assert found is not None
        assert found.standing() is RateStanding.ATTAINED
        assert found.half_width <= 0.02 and "sigma2 = 1" in found.instance
        assert found.wrong_orders_that_stand == ()


def test_a_method_that_keeps_its_stepsize_does_not_attain_the_order() -> None:
    """A planted fault: the floor of a stepsize that stays is short of T^-1/2, in the regime."""
    one = row("bsp-sgd")
    stuck = replace(one.ready(), build=lambda s, _p, _t: BSP(ConstantStep(0.1 * (1 + 1e-9 * s(0)))))
    found = slowest(replace(one, recipe=stuck), bsp_nonconvex)
    assert found is not None and found.standing() is RateStanding.SHORT
    assert "no instance found" in str(found.kept())


def test_nothing_is_said_of_a_theorem_about_decreasing_steps() -> None:
    assert slowest(row("top-k"), mem_sgd) is None
