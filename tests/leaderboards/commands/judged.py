"""The command, with packages that are not locked: to lock them takes a network. A program."""

import sys

from leaderboards.submit.epochs import lock


def _write(path):
    path.write_text(f"numpy==1.0 \\\n    --hash=sha256:{'0' * 64}\n")


lock.write, lock.differences = _write, lambda path: []

if __name__ == "__main__":
    from leaderboards.cli import main

    sys.argv[0] = "banditgym"
    main()
