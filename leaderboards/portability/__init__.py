"""Equal bits on every CPU: a corpus of what is drawn and decided, played under forced dispatch.

NumPy, OpenBLAS, the C library and numba each choose their code by the CPU that they find, and round
differently with it. ``hashed_environments`` and ``players`` say what is played, ``corpus`` plays it
and hashes it, ``dispatch`` makes a process choose as another CPU would, and ``compare`` plays the
whole corpus under every setting and holds the hashes against those in ``corpus.json``. They are
frozen: to alter one takes a reason.
"""
