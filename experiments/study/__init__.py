"""Study: from a row, one's own or built in, to the evidence section of a paper in one folder."""
