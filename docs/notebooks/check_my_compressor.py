"""Check my compressor: is it what I believe it to be?

Cells as notebooks read them (``# %%``); run it whole by ``python docs/notebooks/NAME.py``. In a
notebook a cell that ends in a result shows its table and picture.
"""

# %% A compressor is any function of a vector. Mine keeps every coordinate with probability 1/4.
import numpy as np

import rateproof

rng = np.random.default_rng(0)


def quarter(x):
    """A random quarter of the coordinates, four times as large, so that the mean is x."""
    return np.where(rng.random(x.shape) < 0.25, 4 * x, 0)


# %% I believe: unbiased, with E||C(x) - x||^2 = 3 ||x||^2. Both are asked at hard vectors.
mine = rateproof.audit(quarter, unbiased=True, omega="1/p - 1", p=0.25, d=4, samples=500)
for one in mine.claims:
    print(f"{one.outcome.value}: {one.claim}")
print("my compressor:", "refuted" if mine.refuted else "not refuted")


# %% The same with a slip: whoever forgets the factor has a contraction, and it is not unbiased.
def forgotten(x):
    """The same quarter as it is."""
    return np.where(rng.random(x.shape) < 0.25, x, 0)


slip = rateproof.audit(forgotten, unbiased=True, omega="1/p - 1", p=0.25, d=4, samples=500)
wrong = slip.frame.query("about == 'claim' and outcome == 'refuted'")
print("without the factor:", "refuted" if slip.refuted else "not refuted")
print(wrong[["claim", "evidence"]].to_string(index=False))

# %% What was measured, by dimension and vector, as tidy data; `mine.figure()` draws it.
print(mine.measured.groupby("d")["ratio"].max().round(2).to_string())

# %% An operator of the catalogue is checked by exact arithmetic where its law can be read off.
checked = rateproof.check("QSGD(s=4)", d=8)
print(checked.frame["outcome"].value_counts().to_string())
