"""Methods: optimizers whose moments are compressed, of the age of language models."""
