"""Equal bits on every CPU: a corpus of draws and decisions, whose hashes are published.

``hashed_environments`` and ``players`` list what is played, ``corpus`` plays and hashes it, and
``published_hashes`` compares the hashes with those in ``corpus.json``. Those are frozen: changing
one takes a reason.
"""
