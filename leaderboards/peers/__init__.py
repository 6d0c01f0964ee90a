"""Adapters that let agents of other libraries play the same tasks as this package's agents.

Each module imports and wraps one library, so it is imported only if it is named, as in
``leaderboards.peers.mabwiser:MABWiserLinUCB``. The judge treats these agents as third-party code.
"""
