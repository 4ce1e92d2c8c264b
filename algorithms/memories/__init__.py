"""Memory of a sender between messages."""
