"""Rounds: what one shows, takes and reveals, many at once, and arrays that nobody may write to."""
