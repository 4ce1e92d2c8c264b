"""Methods: error feedback on differences to what was sent before."""
