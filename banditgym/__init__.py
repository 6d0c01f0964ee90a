"""Bandit worlds as Gymnasium environments, natively batched over replicates.

Importing this package registers the environments with Gymnasium and nothing more: worlds, and
the compiled code in them, are loaded when an environment is made.
"""

from banditgym.registration import WORLDS, register_worlds
from banditgym.wrappers import BoxActions

__version__ = "0.1.0"
__all__ = ["WORLDS", "BoxActions"]

register_worlds()
