"""Defaults that commands and the functions that they call share; it imports nothing slow."""

STORE = "banditgym-results"  # folder of results
SUITE = "core-v3"
LIMIT = 120.0  # CPU seconds that a cell may take
VERIFICATION = 7200.0  # seconds that a verification may take, summed over its workers
TUNED = "banditgym-tuned"  # folder of tuning
TRIALS = 32  # of every agent on every family
CHOSEN = "banditgym-choose"  # folder of choices on own data
