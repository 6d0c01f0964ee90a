"""Entry point of an agent's process: it is confined before it imports anything else."""

import ctypes
import json
import os
import signal
import sys
from typing import NoReturn

from leaderboards.sandbox.limits import Limits, lock_down

_PR_SET_PDEATHSIG = 1  # the signal that the kernel sends when the judge dies


def main(argument: str) -> NoReturn:
    """Confine this process, if it has limits, and serve.

    Parameters
    ----------
    argument : str
        JSON: ``limits`` or None, ``user`` or None, the file numbers ``down``, ``up``, ``control``,
        and ``probe``, limits to try to exceed instead of playing, or None.
    """
    what = json.loads(argument)
    limits = None if what["limits"] is None else Limits(**what["limits"])
    if limits is not None:
        lock_down(limits, what["user"])
    elif sys.platform == "linux":  # inside the sandbox bubblewrap does this
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if limits is not None and what["probe"] is not None:
        from leaderboards.sandbox.probes import run

        run(what["up"], Limits(**what["probe"]))
    else:
        from leaderboards.sandbox.guest import Guest  # with numpy and numba

        guest = Guest(what["down"], what["up"], what["control"])
        # Output up to here explains a failed start; what agents print is discarded.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        guest.serve()
    os._exit(0)
