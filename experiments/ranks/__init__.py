"""Simulation against real ranks, for rows and for objects of the user's own."""
