"""Pictures of episodes: drawn only on request, and of what was played."""

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import banditgym
from banditgym.single import SingleBandit

IDS = [name for name in banditgym.ids() if name != "Reuters4-v0"]  # needs files


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.filterwarnings("ignore:.*unconventional|.*symmetric and normalized|.*Box observation")
@pytest.mark.filterwarnings("ignore:.*precision lowered|.*Box action space")
def test_gymnasium_checks_rendering(env_id):
    check_env(gymnasium.make(env_id, render_mode="rgb_array", horizon=30).unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_pictures_change_with_the_rounds_and_no_number_does(env_id):
    drawn = gymnasium.make(env_id, render_mode="rgb_array", horizon=30)
    plain = gymnasium.make(env_id, horizon=30)
    assert type(plain.unwrapped) is SingleBandit
    plain.action_space.seed(0)
    shown, told = drawn.reset(seed=4), plain.reset(seed=4)
    first = drawn.render()
    assert first.shape == (256, 640, 3)
    assert first.dtype == np.uint8
    for _ in range(30):
        np.testing.assert_equal(shown, told)
        action = plain.action_space.sample()
        shown, told = drawn.step(action), plain.step(action)
        picture = drawn.render()
    assert (picture != first).any()
    np.testing.assert_array_equal(drawn.render(), picture)
    drawn.reset(seed=4)
    np.testing.assert_array_equal(drawn.render(), first)


def test_a_picture_does_not_depend_on_earlier_ones():
    """The kept pixels of the axes are those of axes drawn at once."""
    often, once = (
        gymnasium.make("ArmedBandit-v0", n_arms=4, horizon=200, render_mode="rgb_array")
        for _ in range(2)
    )
    for env in (often, once):
        env.reset(seed=1)
    for t in range(200):
        for env in (often, once):
            env.step(t % 4)
        often.render()
    limits = [
        [part.axes.get_ylim() for part in env.unwrapped._frames._parts]
        for env in (often, once)
        if env.render() is not None
    ]
    assert all(low == 0 and high >= 50 for low, high in (limits[0][0], limits[1][0]))
    for env in (often, once):
        figure = env.unwrapped._frames._figure
        picture = env.render()
        for part in env.unwrapped._frames._parts:
            for artist in part.artists:
                artist.set_animated(False)
        env.unwrapped._frames._canvas.draw()
        whole = np.asarray(figure.canvas.buffer_rgba())[..., :3]
        assert (np.abs(whole.astype(int) - picture) > 60).mean() < 0.01  # spines lie above curves


def test_no_drawing_library_before_the_first_picture():
    code = (
        "import sys, gymnasium, banditgym\n"
        "env = gymnasium.make('ArmedBandit-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(1)\n"
        "assert 'matplotlib' not in sys.modules\n"
        "env.render()\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_copies_draw_their_own_episode():
    env = gymnasium.make("ArmedBandit-v0", n_arms=3, horizon=50, render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    env.step(0)
    env.render()
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        np.testing.assert_array_equal(copied.render(), env.render())
        copied.step(1)
        assert copied._record.plays.tolist() == [1, 1, 0]
    assert env._record.plays.tolist() == [1, 0, 0]


def test_wrong_modes_are_refused_in_a_line():
    with pytest.raises(ValueError, match="nothing is drawn: make the environment with render_mode"):
        gymnasium.make("ArmedBandit-v0", disable_env_checker=True).unwrapped.render()
    with pytest.raises(ValueError, match="render_mode must be one of ansi, rgb_array, got 'text'"):
        SingleBandit("banditgym.envs.armed:ArmedBandit", render_mode="text")
    with pytest.raises(TypeError, match="make_vec draws nothing, make does"):
        gymnasium.make_vec("ArmedBandit-v0", num_envs=2, render_mode="rgb_array")


def test_late_and_drifting_episodes_are_drawn():
    settings = {"delay": 3, "n_arms": 3, "available": [[0, [0, 1, 2]], [10, [1, 2]]]}
    env = gymnasium.make("ArmedBandit-v0", horizon=20, render_mode="rgb_array", **settings)
    env.reset(seed=0)
    for _ in range(20):
        env.step(env.action_space.sample())
    assert env.render().std() > 0
