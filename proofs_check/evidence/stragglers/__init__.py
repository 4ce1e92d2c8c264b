"""Evidence of servers that say what a late gradient is worth."""
