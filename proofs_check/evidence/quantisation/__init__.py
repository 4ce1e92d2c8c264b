"""Evidence of quantised means and gradients."""
