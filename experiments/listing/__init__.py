"""What the catalogue lists of itself, and where that is kept between two calls."""
