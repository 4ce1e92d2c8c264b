"""The programs that are compared: each takes so many steps of one job and says how long it took."""
