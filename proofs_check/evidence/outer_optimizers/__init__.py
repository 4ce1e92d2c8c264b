"""Evidence of server optimisers over local steps."""
