"""Bandit worlds as Gymnasium environments, natively batched over replicates.

Importing this package registers the environments with Gymnasium and nothing more: worlds, and
the compiled code in them, are loaded when an environment is made.
"""

import warnings

from banditgym.installed import other_agents
from banditgym.registration import WORLDS, register_worlds
from banditgym.wrappers import BoxActions

__version__ = "0.1.0"
__all__ = ["WORLDS", "BoxActions"]

register_worlds()

# The environments work all the same, so this is no error before an agent is asked for.
if (_other := other_agents()) is not None:
    warnings.warn(_other, stacklevel=2)
