"""The environments, one family a file; each is made through its Gymnasium id."""
