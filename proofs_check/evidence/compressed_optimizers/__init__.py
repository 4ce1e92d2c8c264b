"""Evidence of optimizers whose moments are compressed."""
