"""Evidence of averages of models, once, now and then, or by time."""
