"""The environments, one family per file; each is made by its Gymnasium id."""
