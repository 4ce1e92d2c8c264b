"""Implementation of the command line's commands; imported only when one is given."""
