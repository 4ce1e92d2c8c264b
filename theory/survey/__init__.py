"""The surveys' own tables: rows, errata, influences."""
