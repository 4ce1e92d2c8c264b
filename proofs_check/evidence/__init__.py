"""Evidence by family, in rooms named as the catalogue's files: effects, closed forms, studies,
derivations, runs under bounds, faults. :mod:`proofs_check.registry` collects them."""
