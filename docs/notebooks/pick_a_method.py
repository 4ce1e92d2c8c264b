# %% [markdown]
# # Pick a method for my cluster: which has the smallest error after equal seconds?
#
# Steps are those of a small problem; seconds are those of a model of real size on my cluster.

# %%
import rateproof
from experiments.compare.clustered import OnCluster

rows = ["bsp-sgd", "local-sgd", "top-k"]
options = {"axis": "seconds", "n": 8, "steps": 200, "replicas": 16, "seed": 1}
slow = OnCluster("survey-001-10gbe", model="bert-large")
found = rateproof.compare(rows, "quadratic-sc", place=slow, **options)
found

# %% [markdown]
# On a fast network, and with a model that computes long for what it sends, communication hides
# behind computing: local steps save next to nothing, and plain SGD is not told apart from them.

# %%
fast = OnCluster("survey-001-100gbib", model="resnet-50")
again = rateproof.compare(rows, "quadratic-sc", place=fast, **options)
again

# %% [markdown]
# Which are best, as far as the comparison can tell:

# %%
best = {
    "10 Gb/s Ethernet": [one.key for one in found.standings if one.verdict != "worse"],
    "100 Gb/s InfiniBand": sorted(one.key for one in again.standings if one.verdict != "worse"),
}
best
