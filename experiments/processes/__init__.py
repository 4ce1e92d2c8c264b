"""Work in other processes, and how far it is."""
