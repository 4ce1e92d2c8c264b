"""Evidence of methods that shift, skip or refine what they send."""
