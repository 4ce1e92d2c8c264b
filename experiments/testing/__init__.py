"""For other people's test suites: Hypothesis strategies, and checks that raise AssertionError."""
