"""The surveys' own tables: rows, errata, influences, what theory says of each row."""
