"""What ``import banditgym`` loads, measured in a fresh interpreter."""

import subprocess
import sys

HEAVY = ("numba", "scipy", "sklearn", "pandas", "matplotlib", "plotly", "torch", "typer", "agents")


def fresh(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


def test_importing_banditgym_loads_nothing_heavy():
    code = (
        "import gymnasium, sys; before = set(sys.modules); import banditgym; "
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = fresh(code)
    ours = {
        "banditgym",
        "banditgym.files",
        "banditgym.files.other_agents",
        "banditgym.registration",
    }
    assert set(filter(lambda name: name.startswith("banditgym"), loaded)) == ours
    assert {name.split(".")[0] for name in loaded} - {"banditgym"} <= sys.stdlib_module_names


def test_gymnasium_itself_is_not_what_loads_them():
    loaded = fresh("import banditgym, sys; print(*sys.modules)")
    assert "banditgym" in loaded
    assert not {name.split(".")[0] for name in loaded} & set(HEAVY)


def test_making_an_environment_loads_no_agent_and_no_other_environment():
    code = "import banditgym, gymnasium, sys; gymnasium.make('ArmedBandit-v0'); print(*sys.modules)"
    loaded = fresh(code)
    assert "banditgym.envs.armed" in loaded
    assert "banditgym.envs.linear" not in loaded
    assert not {"agents", "leaderboards", "pandas", "matplotlib"} & set(loaded)
