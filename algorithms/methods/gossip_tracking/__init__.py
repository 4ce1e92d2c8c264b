"""Gossip methods whose fixed point does not depend on how the data are spread."""
