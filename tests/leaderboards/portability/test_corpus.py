"""The corpus is complete, detects every bit, and equals the frozen one. 30 seconds."""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from agents.naming import families_of, label
from banditgym.data.bundled import BUNDLED
from banditgym.envs.losses import _KINDS as LOSSES
from banditgym.envs.noise import Noise
from banditgym.functions.covariances import KINDS
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.registration import ENVIRONMENTS as IDS
from leaderboards.portability import corpus
from leaderboards.portability.hashed_environments import ENVIRONMENTS
from leaderboards.portability.players import SCENES, VARIANTS
from leaderboards.portability.published_hashes import known

FROZEN = known()
HOW = "python -m tools.freeze adds what is new; what moved takes --alter too"
ADD = "add the id to leaderboards/portability/hashed_environments.py"


@pytest.mark.parametrize("group", corpus.groups())
def test_the_corpus_is_what_is_frozen(group):
    found = corpus.entries(group)
    name = group.partition("/")[2]
    own = {k for k in FROZEN if k == group or (k[:4] != "env/" and k.split("/")[1] == name)}
    assert found.keys() == own, HOW
    moved = [k for k in found if found[k] != FROZEN[k]]
    assert not moved, HOW


def test_nothing_is_frozen_that_is_not_played():
    parts = {name.partition("/")[2].partition("/")[0] for name in FROZEN if name[:4] != "env/"}
    assert parts == SCENES.keys()
    assert {name[4:] for name in FROZEN if name[:4] == "env/"} == ENVIRONMENTS.keys()


def settings_of(name: str) -> list[Any]:
    return [w.settings.get(name) for w in ENVIRONMENTS.values() if isinstance(w.settings, dict)]


def test_every_id_and_every_kind_of_draw_is_in_the_corpus():
    assert {entry.env for entry in ENVIRONMENTS.values()} == IDS.keys(), ADD
    for env in IDS:
        assert f"{env}/default" in ENVIRONMENTS or any(
            name.startswith(f"{env}/") for name in ENVIRONMENTS
        )
    assert set(Noise.additive) <= {*settings_of("noise"), "gaussian"}
    assert {"sphere", "ball", "cube", "gaussian"} <= {str(c) for c in settings_of("contexts")}
    assert OBJECTIVES.keys() <= {str(name) for name in settings_of("function")}
    kinds = {c["kind"] for c in settings_of("covariance") if isinstance(c, dict)}
    assert kinds == set(KINDS)
    assert {c.get("nu") for c in settings_of("covariance") if c} >= {0.5, 1.5, 2.5}
    assert {"grid", "sobol"} <= {str(arms) for arms in settings_of("arms")}
    assert set(BUNDLED) <= {str(data) for data in settings_of("data")}
    assert set(LOSSES) <= {*settings_of("losses"), "curved"}


def test_every_agent_plays_in_every_family_that_it_accepts():
    families: dict[str, set[str]] = {name: set() for name in agents.AGENTS}
    for scene in SCENES.values():
        for agent in corpus.cast(scene, []):
            families[type(agent).__name__].add(corpus._made(scene).unwrapped.task.family)
    for name in agents.AGENTS:
        assert families[name] == set(families_of(getattr(agents, name))), name


def test_variants_are_off_their_defaults_and_of_scenes():
    assert VARIANTS.keys() <= SCENES.keys()
    for scene, specs in VARIANTS.items():
        names = [label(agents.resolve(spec)) for spec in specs]
        assert len(set(names)) == len(specs), scene
        plain = [name for name in names if "(" not in name]
        assert set(plain) <= set(agents.ON_REQUEST), scene  # these are in no other group


@dataclass(kw_only=True, eq=False)
class Stubborn(agents.UniformRandom):
    """Plays another arm than UniformRandom in one round."""

    def _start(self):
        super()._start()
        self.rounds = 0

    def _choose(self, contexts):
        arms = super()._choose(contexts)
        self.rounds += 1
        if self.rounds == 50:
            arms[0] = (arms[0] + 1) % self.task.n_arms
        return arms


def test_a_trace_depends_on_each_action_and_a_state_on_each_number():
    scene = SCENES["armed"]
    trace, state = corpus._followed(scene, agents.UniformRandom())
    assert corpus._followed(scene, agents.UniformRandom()) == (trace, state)
    assert corpus._followed(scene, Stubborn())[0] != trace
    one, other = agents.UCB1(), agents.UCB1(noise_std=0.5 + 2.0**-52)
    assert corpus._followed(scene, one)[1] != corpus._followed(scene, other)[1]


def test_first_rounds_depend_on_what_is_drawn(monkeypatch, tmp_path):
    entry = ENVIRONMENTS["LinearBandit-v0/default"]
    before = corpus._first_rounds(entry, tmp_path)
    assert corpus._first_rounds(entry, tmp_path) == before
    make = gymnasium.make_vec

    def off_by_a_bit(*args, **settings):
        env = make(*args, **settings)
        begin = env.unwrapped._begin

        def began():
            observation = begin()
            env.unwrapped._theta[0, 0] = np.nextafter(env.unwrapped._theta[0, 0], 9.0)
            return observation

        env.unwrapped._begin = began
        return env

    monkeypatch.setattr(gymnasium, "make_vec", off_by_a_bit)
    assert corpus._first_rounds(entry, tmp_path) != before


def test_an_unknown_group_is_refused_and_a_failing_one_is_told(monkeypatch):
    with pytest.raises(ValueError, match="no group of the corpus is called 'env/Armd'"):
        list(corpus.hashes(["env/Armd"]))
    monkeypatch.setattr(corpus, "entries", lambda name: 1 / 0)
    assert dict(corpus.hashes(["play/armed"])) == {
        "play/armed": "ZeroDivisionError: division by zero"
    }


def test_patterns_choose_groups():
    assert corpus.matching(["env/Armed*", "play/armed"])[-1] == "play/armed"
    assert corpus.matching() == corpus.matching(["env/*", "play/*"])
    with pytest.raises(ValueError, match="no group of the corpus fits 'armed'; there are env/"):
        corpus.matching(["armed"])
