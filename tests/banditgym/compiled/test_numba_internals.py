"""Without what is not numba's public interface, numbers are the same, and there is no error."""

import os
import subprocess
import sys

import pytest

# What a later numba may do: drop a name, or an option, which a compilation finds out.
CHANGES = {
    "a name": "import numba.core.codegen as there; del there.JITCodeLibrary",
    "an option": """
import numba
from numba.core import cpu
numba.version_info = numba.version_info._replace(short=(99, 0))
del cpu._options_mixin.forceinline
""",
}
PLAY = """
import hashlib
{change}
import gymnasium, numpy as np
import agents, banditgym
from banditgym.compiled import decorators, inlined
from banditgym.compiled.cache import keep
digest = hashlib.sha256()
for agent, env, settings in (
    (agents.LinUCB(), "LinearBandit-v0", {{"n_arms": 5, "dim": 3}}),
    (agents.Banditron(), "SynSep-v0", {{}}),
    (agents.FastPEGE(), "SphereBandit-v0", {{"dim": 3}}),
):
    envs = gymnasium.make_vec(env, num_envs=2, horizon=30, **settings)
    digest.update(np.ascontiguousarray(agents.play(envs, agent, seed=0).regret))
print(digest.hexdigest(), decorators.translated.__module__)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Hash of some plays, and the module that translated the kernels, after a change of numba."""

    def play(change):
        folder = tmp_path_factory.mktemp("cache")
        apart = {"NUMBA_CACHE_DIR": str(folder)} if change else {}
        done = subprocess.run(
            [sys.executable, "-c", PLAY.format(change=change)],
            env=os.environ | apart,
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return done.stdout.split()

    return play


@pytest.fixture(scope="module")
def usual(played):
    return played("")


KEYS = """
from numba import types
keys = types.NamedTuple.key, types.NamedUniTuple.key
{change}
from banditgym.compiled import decorators
print(decorators.translated.__module__, (types.NamedTuple.key, types.NamedUniTuple.key) == keys)
"""


@pytest.mark.parametrize(
    ("change", "left"),
    [("", "numba_internals False"), *((CHANGES[name], "decorators True") for name in CHANGES)],
)
def test_where_numba_has_changed_its_own_types_are_left_as_they_are(change, left):
    done = subprocess.run(
        [sys.executable, "-c", KEYS.format(change=change)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == f"banditgym.compiled.{left}\n", done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("change", CHANGES)
def test_where_numba_has_changed_the_numbers_are_equal(played, usual, change):
    hashed, translated_by = played(CHANGES[change])
    assert usual == [hashed, "banditgym.compiled.numba_internals"]
    assert translated_by == "banditgym.compiled.decorators"
