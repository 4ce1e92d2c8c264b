"""Evidence of rows that split the problem by consensus constraints."""
