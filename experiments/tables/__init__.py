"""The surveys' tables beside what was measured: read from a survey's results, printed, drawn."""
