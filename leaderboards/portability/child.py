"""Play the corpus in a process of its own: ``python -m leaderboards.portability.child GROUP ..``.

Lines of JSON on stdout: first ``machine`` and ``controls``, then for each group its ``entries`` or
its ``error``. Without groups the first line alone. Whatever else is printed goes to stderr.
"""

import json
import os
import sys


def main() -> None:
    """Play the groups that are named, all of them for ``--all``."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)

        def tell(**content: object) -> None:
            print(json.dumps(content), file=lines, flush=True)

        from leaderboards.portability import dispatch

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
