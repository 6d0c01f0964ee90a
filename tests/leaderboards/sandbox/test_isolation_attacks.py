"""Every listed attack on the judge succeeds without the sandbox, and fails inside it."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import attacks
import pytest

pytestmark = pytest.mark.sandbox

IN_THE_PROCESS = ("find_theta", "find_theta_in_frames", "patch_environment", "write_observation")
FROM_A_PROCESS = tuple(name for name in attacks.ATTACKS if name not in IN_THE_PROCESS)


def decoy(level, names, folder, mark):
    """What a decoy judge, a process of its own, says of attacks by its agent; and its output."""
    secret = folder / "store" / "secret"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text(f"file {attacks.SECRET}")
    secret.chmod(0o600)
    # The user's own folder, in which compiled code is kept too.
    named = folder / "named"
    named.mkdir(mode=0o700, exist_ok=True)
    (named / "private").write_text(f"file {attacks.SECRET}")
    (named / "private").chmod(0o600)
    command = [sys.executable, attacks.__file__, level, ",".join(names), str(secret), mark]
    done = subprocess.run(
        [*command, f"--secret={attacks.SECRET}"],
        env={**os.environ, "DECOY": attacks.SECRET, "NUMBA_CACHE_DIR": str(named)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert [path.stat().st_mode & 0o777 for path in (named, named / "private")] == [0o700, 0o600]
    *noise, result = done.stdout.splitlines()
    return json.loads(result.removeprefix("RESULT ")), noise, secret.parent


@pytest.fixture(scope="module")
def mark():
    """A name of files that attacks leave, removed at the end from where they could write it."""
    name = f"attack-{secrets.token_hex(8)}"
    yield name
    for left in Path("/tmp").glob(f"{name}*"):
        left.unlink()


@pytest.fixture(scope="module")
def without(tmp_path_factory, mark):
    """What attacks get in the environment's process, and in one without the sandbox."""
    folder = tmp_path_factory.mktemp("without")
    within, noise, _ = decoy("none", IN_THE_PROCESS, folder, mark)
    assert noise == ["noise on stdout", "more noise"]  # the judge's own output is spoilt
    # Twice, for what is kept from one to the next.
    decoy("process", ("keep_state",), folder, mark)
    beside, _, store = decoy("process", FROM_A_PROCESS, folder, mark)
    assert (store / "written").exists()
    return within | beside


@pytest.fixture(scope="module")
def within(full, tmp_path_factory, mark):
    """What attacks get in the sandbox."""
    for left in Path("/tmp").glob(f"{mark}*"):
        left.unlink()
    folder = tmp_path_factory.mktemp("within")
    names = tuple(attacks.ATTACKS)
    decoy("full", ("keep_state",), folder, mark)
    got, noise, store = decoy("full", names, folder, mark)
    assert noise == []
    assert os.listdir(store) == ["secret"]
    return got


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_the_attack_works_without_the_sandbox_and_fails_within(name, without, within):
    assert without[name][0], without[name]
    assert not within[name][0], within[name]
