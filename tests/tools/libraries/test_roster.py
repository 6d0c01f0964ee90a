"""Who plays the suite of other libraries. Their modules are read, not imported."""

import ast
from pathlib import Path

import agents
from agents.naming import find
from banditgym.files.class_paths import place_of
from leaderboards import peers
from leaderboards.suites.suite import load
from tools.libraries.roster import OURS, ROSTER, THEIRS

LEFT_OUT = {"BootstrappedTS"}  # ten classifiers a label, as BootstrappedUCB: ten minutes more


def adapters():
    """The classes of ``leaderboards.peers`` without subclasses there, by module."""
    found, bases = set(), set()
    for path in Path(peers.__path__[0]).glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                names = {base.id for base in node.bases if isinstance(base, ast.Name)}
                bases |= names
                if names & {"Peer", *(name for _, name in found)} or names & bases:
                    found.add((f"leaderboards.peers.{path.stem}", node.name))
    return {(module, name) for module, name in found if name not in bases}


def test_every_agent_of_other_libraries_plays():
    named = {place_of(one.spec) for one in THEIRS}
    assert {one for one in adapters() if one[1] not in LEFT_OUT} <= named
    assert {name for module, name in named if not module} == set(agents.LIBRARY_AGENTS)


def test_ours_are_a_handful_that_play_by_default():
    assert {one.spec for one in OURS} < set(agents.AGENTS)
    families = {task.family for task in load("libraries-v1").tasks}
    for family in families:
        plays = [one.name for one in OURS if family in {t.family for t in find(one.spec).accepts}]
        assert 2 <= len(plays) <= 5, family


def test_each_agent_is_named_once_and_reasons_belong_to_rankings():
    assert len({one.spec for one in ROSTER}) == len({one.name for one in ROSTER}) == len(ROSTER)
    rankings = {task.ranking for task in load("libraries-v1").tasks}
    assert all(one.reasons.keys() <= rankings for one in ROSTER)


def test_a_name_has_no_module():
    names = [one.name for one in THEIRS]
    assert "VWCover" in names
    assert "RiverRegression(model='LinearRegression')" in names
    assert "PPO" in names
