"""Pick a method for my cluster: who has the smallest error after equal seconds?

Cells as notebooks read them (``# %%``); run it whole by ``python docs/notebooks/NAME.py``.
"""

# %% Steps are those of a small problem; seconds are those of a model of real size on my cluster.
import rateproof
from experiments.compare.clustered import OnCluster

rows = ["bsp-sgd", "local-sgd", "top-k"]
options = {"axis": "seconds", "n": 8, "steps": 200, "replicas": 16, "seed": 1}
slow = OnCluster("survey-001-10gbe", model="bert-large")
found = rateproof.compare(rows, "quadratic-sc", place=slow, **options)
for one in found.standings:
    print(f"{one.key}: {one.error:.3g} +- {one.half_width:.1g}, {one.verdict}")
print("on 10 Gb/s Ethernet:", found.standings[0].key)

# %% On a fast network, and with a model that computes long for what it sends, communication hides
# behind computing: local steps save next to nothing, and plain SGD is not told apart from them.
fast = OnCluster("survey-001-100gbib", model="resnet-50")
again = rateproof.compare(rows, "quadratic-sc", place=fast, **options)
for one in again.standings:
    print(f"{one.key}: {one.error:.3g} +- {one.half_width:.1g}, {one.verdict}")
alike = [one.key for one in again.standings if one.verdict != "worse"]
print("on 100 Gb/s InfiniBand:", " or ".join(sorted(alike)))
