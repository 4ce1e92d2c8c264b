"""Collectives: is the sum exact, and are the messages those of the closed form?"""
