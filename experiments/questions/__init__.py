"""Questions that people ask of methods, each answered by comparisons that are kept."""
