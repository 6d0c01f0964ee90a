"""Equal bits on every CPU: a corpus of draws and decisions, played under forced CPU dispatch.

NumPy, OpenBLAS, the C library and numba each choose code for the CPU they run on, and different
code rounds differently. ``hashed_environments`` and ``players`` list what is played, ``corpus``
plays and hashes it, ``dispatch`` makes a process choose code for another CPU, and ``compare`` plays
the whole corpus under every setting and compares the hashes with those in ``corpus.json``. Those
are frozen: changing one takes a reason.
"""
