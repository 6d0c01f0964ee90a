"""Play the corpus in a separate process: ``python -m tools.portability.child GROUP ..``.

It writes lines of JSON to stdout: first ``machine`` and ``controls``, then for each group its
``entries`` or its ``error``; without groups, only the first line. All other output goes to stderr.
"""

import json
import os
import sys


def main() -> None:
    """Play the groups named on the command line, or all of them with ``--all``."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)

        def tell(**content: object) -> None:
            print(json.dumps(content), file=lines, flush=True)

        from tools.portability import dispatch

        tell(machine=dispatch.machine(), controls=dispatch.controls())
        chosen = sys.argv[1:]
        if not chosen:
            return
        from leaderboards.portability import corpus

        for group, found in corpus.hashes(None if chosen == ["--all"] else chosen):
            if isinstance(found, str):
                tell(group=group, error=found)
            else:
                tell(group=group, entries=found)


if __name__ == "__main__":
    main()
