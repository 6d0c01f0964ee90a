"""Compares agents of other libraries with this package's: roster, measurements and page."""
