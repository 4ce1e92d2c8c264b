"""Evidence of local steps that are corrected for drift."""
