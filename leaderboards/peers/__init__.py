"""Agents of other libraries, so that they play the same tasks as this package's.

A module wraps one library, which it imports; so nothing here imports a module of this package
unless somebody names one, as in ``leaderboards.peers.mabwiser:MABWiserLinUCB``. To the judge they
are third-party code.
"""
