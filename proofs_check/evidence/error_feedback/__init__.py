"""Evidence of methods that send differences to what was sent before."""
