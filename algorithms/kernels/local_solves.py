"""Minimisers of one worker's function and a square, as parts of compiled steps (kind "solve").

A loop takes what a problem publishes, or where it publishes nothing gradient steps from the start,
which is what ``Problem.proximal_point`` does by itself.
"""

from __future__ import annotations

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def no_solve(numbers, v, weight, start, worker, out):  # type: ignore[no-untyped-def]
    """In place of a solve that gradient steps are taken for."""


@njit(cache=True, nogil=True, error_model="numpy")
def quadratic_point(numbers, v, weight, start, worker, out):  # type: ignore[no-untyped-def]
    """(weight v + c_i) / (a_i + weight): a ``[1 or n, d]``, c ``[n, d]``; the number of rows of
    a."""
    d, rows = v.shape[1], numbers[3][0]
    second_derivative = worker if rows > 1 else 0
    a, c = (
        numbers[0][second_derivative * d : (second_derivative + 1) * d],
        numbers[1][worker * d : (worker + 1) * d],
    )
    for j in range(d):
        out[0, j] = (weight[0] * v[0, j] + c[j]) / (a[j] + weight[0])


@njit(cache=True, nogil=True, error_model="numpy")
def solve_one(  # type: ignore[no-untyped-def]
    solve, snum, gradient, gnum, smooth, count, v, weight, start, replica, worker, g, out
):
    """argmin f_i + weight/2 ||x - v||^2 of one worker into out ``[1, d]``: by its problem's own
    solve, or by ``count`` gradient steps of 1/(smooth + weight)."""
    if count == 0:
        solve(snum, v, weight, start, worker, out)
        return
    out[:] = start
    pull = weight[0]
    for _ in range(count):
        gradient(gnum, out, 0, 0, replica, worker, g)
        for j in range(out.shape[1]):
            slope = g[0, j] + pull * (out[0, j] - v[0, j])
            out[0, j] = out[0, j] - slope / (smooth + pull)
