"""Methods: averaging by a fixed matrix."""
