"""Does my method reach linear speedup: do n workers divide the error by n?

Cells as notebooks read them (``# %%``); run it whole by ``python docs/notebooks/NAME.py``.
"""

# %% One stepsize, one number of steps, more and more workers: the exponent of n is the answer.
# Where all workers have one objective, averaging divides the noise by n.
import rateproof

options = {"gamma": 0.4, "steps": 300, "replicas": 64, "values": [2, 4, 8, 16]}
alike = rateproof.rate("local-sgd", "quadratic-sc-iid", "n", **options)
points, verdict = alike  # as before: what was measured, and the verdict on its exponent
print(f"equal workers: n^{verdict.statistic:.2f} +- {verdict.uncertainty:.2f}")

# %% Where they differ, local steps drift apart, and more workers do not average that away.
unequal = rateproof.rate("local-sgd", "quadratic-unequal", "n", **options)
print(f"unequal workers: n^{unequal.verdict.statistic:.2f} +- {unequal.verdict.uncertainty:.2f}")


# %% What counts is the whole interval, not the fitted number alone.
def speedup(found):
    """Linear, none, or less than linear, as far as the interval tells."""
    at, half = found.verdict.statistic, found.verdict.uncertainty
    if at + half < -0.9:
        return "linear speedup"
    return "no speedup" if at - half > -0.1 else "less than linear speedup"


print("equal workers:", speedup(alike))
print("unequal workers:", speedup(unequal))

# %% The points; `alike.figure()` draws them with the fitted power law.
print(alike.frame.groupby("n")["error"].mean().round(5).to_string())
