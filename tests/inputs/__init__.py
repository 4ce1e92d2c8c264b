"""Inputs, drawn: command lines, files, objects and Python calls, sound and spoilt, for one oracle.

``python -m tests.inputs --draws 500 --seed 1`` draws and prints what came. The grammar is read off
what commands, members and functions say of themselves, so that a new one is in it by itself.
"""
