"""The checks pointed at anybody's compressor: a callable, a pair, a class, or a hook of torch."""
