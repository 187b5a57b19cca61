"""Typed values: find them in what people say, compare them, make them."""
