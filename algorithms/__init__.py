"""Parts of a run: randomness, the network seam, compressors, problems, methods.

Legend of axes, everywhere: tensors are ``[..., m, d]``; leading axes are replicas (independent
runs), ``m`` the worker rows held here (all n in the simulation, n / ranks on a rank), ``d``
parameters. A row axis of length 1 means one value shared by all workers.
"""
