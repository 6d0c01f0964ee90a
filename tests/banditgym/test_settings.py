"""Tables of settings: checks, signature and documentation of a constructor come from one row."""

import inspect
from typing import Annotated

import numpy as np
import pytest
from gymnasium import spaces

from banditgym.settings import Settings, configured, least, one_of, setting, within
from banditgym.tasks import ArmedTask
from banditgym.validation import flag, reals, whole
from banditgym.vector_env import BanditVectorEnv, settings_of

# Of late rewards, in every table.
LATE = ("delay", "missing", "window", "update_every", "at_end", "law_known")


class Shared(Settings):
    """A table that another one extends."""

    width: Annotated[float, "Width w."] = setting(within(0.0, 2.0, "lie within 0 .. 2"), 1.0)
    kind: Annotated[str, "The kind."] = setting(one_of(("a", "b")), "a")


class Mine(Shared):
    """A table with rows of its own, one of which replaces an inherited one."""

    n_arms: Annotated[int | None, "Number of arms K."] = setting(whole, otherwise=3)
    seed: Annotated[int | None, "The seed."] = setting(least(0))
    even: Annotated[bool, "Whether " + "w " * 60 + "is even."] = setting(flag, False)
    means: Annotated[np.ndarray | None, "array (K,), optional", "The means."] = setting(reals)
    kind: str = setting(one_of(("a", "b")), "b")


@configured(Mine)
class MyBandit(BanditVectorEnv):
    r"""What it is.

    More of it, :math:`\theta`.

    References
    ----------
    A. Author. A Title.
    """

    def _set_up(self, num_envs, given):
        self.given = given
        task = ArmedTask(
            n_arms=given.filled("n_arms"), horizon=given.rounds, noise_std=None, subgaussian=0.5,
            bernoulli=True,
        )  # fmt: skip
        super().__init__(num_envs, task, spaces.Discrete(1), spaces.Discrete(task.n_arms))


def test_the_constructor_has_the_signature_of_the_table():
    parameters = inspect.signature(MyBandit).parameters
    assert next(iter(parameters)) == "num_envs"
    defaults = {name: one.default for name, one in parameters.items()}
    assert defaults == {
        "num_envs": 1, "horizon": None, "max_episode_steps": None, "width": 1.0, "kind": "b",
        "n_arms": None, "seed": None, "even": False, "means": None,
        **dict.fromkeys(LATE),
    }  # fmt: skip
    assert settings_of(MyBandit) == {k: v for k, v in defaults.items() if k != "num_envs"}
    with pytest.raises(TypeError, match=r"MyBandit.__init__\(\) got an unexpected keyword .*'n'"):
        MyBandit(2, n=3)
    with pytest.raises(TypeError):
        MyBandit(2, 3)


def test_values_are_converted_and_defaults_stay():
    env = MyBandit(2, n_arms=np.int64(4), means=[1, 2], width=2, max_episode_steps=7)
    assert (env.num_envs, env.task.n_arms, env.task.horizon) == (2, 4, 7)
    assert type(env.given.n_arms) is int
    assert type(env.given.width) is float
    assert env.given.means.dtype == np.float64
    assert (env.given.kind, env.given.seed) == ("b", None)
    assert MyBandit().task.n_arms == 3
    assert Mine.own == ("kind", "n_arms", "seed", "even", "means")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be an integer >= 1, got 0"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"kind": "c"}, "kind must be one of a, b, got 'c'"),
        ({"kind": None}, "kind must be one of a, b, got None"),  # None is not its default
        ({"even": None}, "even must be true or false, got None"),
        ({"width": 2.1}, "width must lie within 0 .. 2, got 2.1"),
        ({"width": float("nan")}, "width must lie within 0 .. 2, got nan"),
        ({"width": "1"}, "width must be a number, got '1'"),
        ({"horizon": 5, "max_episode_steps": 6}, "two names of one setting, got 5 and 6"),
    ],
)
def test_bad_values_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MyBandit(2, **settings)


def test_what_does_not_belong_together_is_refused():
    given = Mine(seed=3)
    given.refuse_given(("n_arms",), "has no meaning")
    with pytest.raises(ValueError, match="seed has no meaning, got 3"):
        given.refuse_given(("n_arms", "seed"), "has no meaning")


def test_the_docstring_has_the_parameters_of_the_table():
    before, _, rest = MyBandit.__doc__.partition("Parameters\n----------\n")
    assert before == "What it is.\n\nMore of it, :math:`\\theta`.\n\n"
    entries, _, after = rest.partition("\n\nReferences\n----------\n")
    assert after == "A. Author. A Title."
    assert max(map(len, entries.splitlines())) <= 96
    joined = entries.replace("\n    ", " ").splitlines()
    assert joined == [
        "num_envs : int Number of independent replicates, n.",
        "n_arms : int, default 3 Number of arms K.",
        "seed : int, optional The seed.",
        "even : bool, default False Whether " + "w " * 60 + "is even.",
        "means : array (K,), optional The means.",
        "width : float, default 1 Width w.",
        'kind : {"a", "b"} The kind.',
        "horizon : int, default 1000 Rounds per episode, T; ``max_episode_steps`` is Gymnasium's "
        "name for it.",
        *(entry for entry in joined if entry.split()[0] in LATE),
    ]
    assert joined[-6].startswith("delay : int or mapping, optional How many rounds after its own")
    assert [entry.split()[0] for entry in joined[-6:]] == list(LATE)
