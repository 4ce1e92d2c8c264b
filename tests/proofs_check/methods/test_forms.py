"""Forms of rows: each is another method than its row, made right, billed as it states."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.catalogue import FORMS, forms_of, problem, row
from algorithms.catalogue.forms import RowForm
from algorithms.catalogue.row import Recipe
from algorithms.core.names import UnknownName
from algorithms.engine.run import run
from algorithms.methods.cooperative.cooperative import Cooperative, elastic
from algorithms.optimizers.adagrad import Adagrad
from proofs_check.evidence.cooperative.closed_forms import covers_easgd
from proofs_check.methods.runs import run_row
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

N, STEPS = 8, 64


@pytest.mark.parametrize("key", sorted(FORMS))
def test_a_form_is_another_method_than_its_row(key):
    objective = problem("quadratic-unequal", N)
    both = [
        run(one.build(objective, STEPS), objective, steps=STEPS, seed=3)
        for one in (FORMS[key], row(key.partition(":")[0]))
    ]
    same = np.array_equal(both[0].suboptimality, both[1].suboptimality)
    assert not (same and np.array_equal(both[0].sent_bits, both[1].sent_bits))


@pytest.mark.parametrize("key", sorted(FORMS))
def test_a_form_pays_what_it_states(key):
    found = run_row(FORMS[key], problem("quadratic-unequal", N), steps=STEPS, replicas=4, seed=1)
    bills = [v for v in found.verdicts if v.check in ("bits", "bits received")]
    assert len(bills) == 2
    assert all(v.outcome in (Outcome.AGREES, Outcome.COMPARED) for v in bills), bills


def test_forms_are_found_by_their_row_and_by_their_own_key():
    assert {one.key for one in forms_of("downpour")} == {"downpour:push-first", "downpour:adagrad"}
    assert row("lag:ps") is FORMS["lag:ps"] and forms_of("bsp-sgd") == ()
    with pytest.raises(UnknownName, match="unknown form 'lag:p'; nearest: lag:ps"):
        row("lag:p")
    with pytest.raises(ValueError, match="is of no listed row, got key='lagg'"):
        _ = RowForm("lagg", "ps", "", Recipe(lambda _s, _p, _t: None, (), why="made")).row  # type: ignore[arg-type,return-value]


def test_adagrad_is_that_of_torch():
    """torch.optim.Adagrad on the same gradients, 20 steps."""
    drawn = torch.Generator().manual_seed(0)
    x = torch.randn(3, 5, generator=drawn, dtype=torch.float64)
    theirs = x.clone().requires_grad_()
    optimizer = torch.optim.Adagrad([theirs], lr=0.3)
    mine, state = x.clone(), Adagrad().init(x)
    for _ in range(20):
        g = torch.randn(3, 5, generator=drawn, dtype=torch.float64)
        theirs.grad = g.clone()
        optimizer.step()
        state, mine = Adagrad().descend(state, g, mine, 0.3)
    assert torch.allclose(mine, theirs.detach(), rtol=1e-12, atol=0)
    with pytest.raises(ValueError, match="eps must be positive, got eps=0"):
        Adagrad(0)


def test_the_auxiliary_variable_of_cooperative_sgd_is_the_centre_of_easgd():
    """The form's matrix is the one whose extra column the closed form holds to EASGD's centre."""
    objective = problem("quadratic-unequal", N)
    form = row("cooperative-sgd:auxiliary").tune(objective, STEPS, ConstantStep(0.1)).method
    assert isinstance(form, Cooperative)
    assert form.mixing == elastic(N, 0.9 / N) and form.mixing.auxiliary == 1
    assert covers_easgd().outcome is Outcome.AGREES
    apart = run(form, objective, steps=8, seed=3).consensus[0, -1]
    assert apart > 0, "a meeting pulls the models, and does not make them one"
