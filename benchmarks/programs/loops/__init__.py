"""Plain numpy loops over workers for rows of different families: what one writes in an afternoon."""
