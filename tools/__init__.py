"""Programs for maintainers: they freeze, publish, and measure. They are not part of the wheel."""
