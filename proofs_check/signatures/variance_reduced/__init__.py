"""Methods that shift, skip or refine what they send: what each row is for."""
