"""Local steps that are corrected for drift: control variates, proximal terms, normalised sums."""
