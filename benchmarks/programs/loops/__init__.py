"""Plain numpy loops over workers for rows of different families, as one writes them first."""
