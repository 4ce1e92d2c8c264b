"""The checks pointed at anybody's method: a function from states and gradients to states."""
