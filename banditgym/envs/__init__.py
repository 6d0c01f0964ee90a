"""The environments, one family per file; each is made through its Gymnasium id."""
