# %% [markdown]
# # Check my compressor: is it what I believe it to be?
#
# A compressor is any function of a vector. Mine keeps every coordinate with probability 1/4, four
# times as large, so that the mean is x.

# %%
import numpy as np

import rateproof

rng = np.random.default_rng(0)


def quarter(x):
    """A random quarter of the coordinates, four times as large."""
    return np.where(rng.random(x.shape) < 0.25, 4 * x, 0)


# %% [markdown]
# I believe: unbiased, with E||C(x) - x||^2 = 3 ||x||^2. Both are asked at hard vectors.

# %%
mine = rateproof.audit(quarter, unbiased=True, omega="1/p - 1", p=0.25, d=4, samples=500)
mine

# %% [markdown]
# The same with a slip: without the factor it is a contraction, and not unbiased.


# %%
def forgotten(x):
    """The same quarter as it is."""
    return np.where(rng.random(x.shape) < 0.25, x, 0)


slip = rateproof.audit(forgotten, unbiased=True, omega="1/p - 1", p=0.25, d=4, samples=500)
slip

# %% [markdown]
# Results are tidy data too. What was refuted:

# %%
wrong = slip.frame.query("about == 'claim' and outcome == 'refuted'")
wrong[["claim", "evidence"]]

# %% [markdown]
# What was measured, by dimension: the distortion E||C(x) - x||^2 / ||x||^2 at the worst vector.

# %%
mine.measured.groupby("d")["ratio"].max().round(2).to_frame()

# %% [markdown]
# An operator of the catalogue is checked by exact arithmetic where its law can be read off. The
# result is a tuple of verdicts; each shows itself.

# %%
checked = rateproof.check("QSGD(s=4)", d=8)
checked[0]
