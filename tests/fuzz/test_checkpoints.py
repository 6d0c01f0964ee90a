"""Damaged files of saved agents, in a process of its own, which a fault would end. 6 seconds."""

import subprocess
import sys
from pathlib import Path


def test_damaged_files_of_agents_are_refused_or_played_on(tmp_path):
    script = Path(__file__).parent / "checkpoints.py"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(script), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
