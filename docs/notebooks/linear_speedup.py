# %% [markdown]
# # Does my method reach linear speedup: do n workers divide the error by n?
#
# One stepsize, one number of steps, more and more workers: the exponent of n is the answer. Where
# all workers have one objective, averaging divides the noise by n.

# %%
import rateproof

options = {"gamma": 0.4, "steps": 300, "replicas": 64, "values": [2, 4, 8, 16]}
alike = rateproof.rate("local-sgd", "quadratic-sc-iid", "n", **options)
alike

# %% [markdown]
# Where the workers' objectives differ, local steps drift apart, and more workers do not average
# that away.

# %%
unequal = rateproof.rate("local-sgd", "quadratic-unequal", "n", **options)
unequal

# %% [markdown]
# What counts is the whole interval of the exponent, not the fitted number alone.


# %%
def speedup(found):
    """Linear, none, or less than linear, as far as the interval tells."""
    at, half = found.verdict.statistic, found.verdict.uncertainty
    if at + half < -0.9:
        return "linear speedup"
    return "no speedup" if at - half > -0.1 else "less than linear speedup"


answers = {"equal workers": speedup(alike), "unequal workers": speedup(unequal)}
answers

# %% [markdown]
# The points as data; `alike.figure()` is the picture above as a matplotlib figure, and `points,
# verdict = alike` takes the result apart.

# %%
alike.frame.groupby("n")[["error"]].mean().round(5)

# %%
points, verdict = alike
verdict
