"""Worst cases: programmes over Gram matrices of points and gradients, solved to the digit."""
