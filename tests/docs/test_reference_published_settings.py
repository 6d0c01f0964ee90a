"""The table of published settings: each call makes an environment of its row's sizes, and plays."""

import re
from pathlib import Path

import numpy as np
import pytest

import agents

PAGE = Path(__file__).parents[2] / "docs/reference/published-settings.md"
ROWS = re.findall(
    r"^\| \[\d+\].+ \| (\d+) \| (\d+) \| ([\d,]+) \| (.+) \| `(make_vec\(.+\))` \|$",
    PAGE.read_text(),
    flags=re.MULTILINE,
)
ROUNDS = 20


def test_there_are_ten_settings_linear_and_logistic():
    assert len(ROWS) == PAGE.read_text().count("`make_vec(") == 10
    for family in ("Linear", "Logistic"):
        assert any(f'"{family}Bandit-v0"' in call for *_, call in ROWS)


@pytest.mark.parametrize(("dim", "n_arms", "horizon", "noise", "call"), ROWS)
def test_a_call_makes_its_setting_and_plays(dim, n_arms, horizon, noise, call):
    names: dict = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)[0], names)
    envs = eval(call, names)
    task = envs.unwrapped.task
    assert (task.dim, task.n_arms) == (int(dim), int(n_arms))
    assert task.horizon == int(horizon.replace(",", ""))
    largest = re.findall(r"\d+\.?\d*", noise)[-1:]  # none if rewards are 0 or 1
    assert ([] if task.noise_std is None else [task.noise_std]) == [float(std) for std in largest]
    regret = agents.play(envs, agents.LinUCB(), horizon=ROUNDS).regret
    assert regret.shape[0] == envs.num_envs
    assert np.isfinite(regret).all()
    assert (np.diff(regret, axis=1) >= 0).all()
