"""Conjectures: bounds of methods that no source states one of, as sharp as nothing could break."""
