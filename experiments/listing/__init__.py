"""Listing of the catalogue, and where it is kept between two calls."""
