"""Evidence by family: the rooms are named as the catalogue's families."""
