"""The first lines of an agent's process: it is locked in before anything else is imported."""

import ctypes
import json
import os
import signal
import sys
from typing import NoReturn

from leaderboards.sandbox.limits import Limits, lock_down

_PR_SET_PDEATHSIG = 1  # the signal to get when the judge dies, by the kernel


def main(argument: str) -> NoReturn:
    """Lock this process in, if it is to be, and serve.

    Parameters
    ----------
    argument : str
        JSON: ``limits`` or None, ``user`` or None, the file numbers ``down``, ``up``, ``control``,
        and ``probe``, limits to try instead of playing, or None.
    """
    what = json.loads(argument)
    limits = None if what["limits"] is None else Limits(**what["limits"])
    if limits is not None:
        lock_down(limits, what["user"])
    elif sys.platform == "linux":  # bubblewrap does it within the sandbox
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if limits is not None and what["probe"] is not None:
        from leaderboards.sandbox.probes import run

        run(what["up"], Limits(**what["probe"]))
    else:
        from leaderboards.sandbox.guest import Guest  # with numpy and numba

        guest = Guest(what["down"], what["up"], what["control"])
        # What was printed up to here says why there is no start; what agents print is nobody's.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        guest.serve()
    os._exit(0)
