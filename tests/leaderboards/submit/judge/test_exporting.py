"""An exported folder is a submission whose agent works; its instances are those that are played."""

import importlib.util
import json
import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.run.confinement import Confinement
from leaderboards.submit.catalogue import opened
from leaderboards.submit.epochs import ranges
from leaderboards.submit.judge import exporting, judged_tasks
from leaderboards.submit.judge.judgement import rehearse
from leaderboards.suites.suite import load

SUITE = load(judged_tasks.SUITE)
DRAWN = ranges.load(SUITE, ranges.path_of(SUITE.name)).tasks
RANKINGS = [*dict.fromkeys(task.ranking for task in SUITE.tasks if task.name in DRAWN)]
PAGE = Path(__file__).parents[4] / "docs/how-to/judge-programs.md"


def made(folder):
    """The class of a folder's agent."""
    spec = importlib.util.spec_from_file_location("starter", folder / "agent.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MyAgent


def test_a_wrong_name_lists_all_that_is_drawn_from_ranges_and_the_page_all_rankings():
    with pytest.raises(ValueError, match="no task 'liner'; did you mean linear?") as error:
        judged_tasks.chosen("liner")
    named = str(error.value).partition("there are ")[2].split(", ")
    assert named == list(dict.fromkeys([*RANKINGS, *DRAWN]))
    assert not {"digits", "few-articles", "news"} & set(named)  # their labels are known
    assert [name for name in RANKINGS if f"`{name}`" not in PAGE.read_text()] == []


@pytest.mark.parametrize("name", RANKINGS)
def test_a_starter_plays_every_instance(name, few, tmp_path):
    folder = tmp_path / "own"
    exporting.export(name, folder)
    submission = opened(folder, tmp_path / "nowhere")
    assert submission.manifest.written_by == "program"
    agent = made(folder)
    agents.check_agent(agent)
    for instance in json.loads((folder / "public.json").read_text()):
        settings = instance["settings"]
        if "contexts" in settings and settings["contexts"].endswith(".csv"):
            settings["contexts"] = str(folder / settings["contexts"])
        envs = gymnasium.make_vec(
            instance["env"], num_envs=3, horizon=instance["horizon"], **settings
        )
        trace = agents.play(envs, agent(), seed=instance["seeds"], horizon=30)
        assert np.isfinite(trace.regret).all()
    text = (folder / "README.md").read_text()
    assert f"# Write an agent for {name}\n" in text
    assert all(f"| {task.name} |" in text for task in judged_tasks.chosen(name)[0].tasks)
    assert not re.search(r"\{[a-z]+\}", text)


def test_the_score_is_that_of_the_definition(few, tmp_path, unconfined):
    """Recomputed from the public file alone, by playing it outside the judge."""
    folder = tmp_path / "own"
    exporting.export("strongly_convex", folder)
    said = []
    found = rehearse(
        folder,
        "strongly_convex",
        confinement=Confinement(isolation="process"),
        workers=1,
        say=said.append,
    )
    scores = {}
    for instance in json.loads((folder / "public.json").read_text()):
        regret = {}
        for agent in (made(folder)(), agents.UniformRandom()):
            envs = gymnasium.make_vec(
                instance["env"], num_envs=3, horizon=instance["horizon"], **instance["settings"]
            )
            trace = agents.play(envs, agent, seed=instance["seeds"])
            regret[type(agent).__name__] = trace.regret[:, -1].mean()
        scores[instance["name"]] = 1 - regret["MyAgent"] / regret["UniformRandom"]
    assert found["scores"] == pytest.approx(scores, abs=6e-4)
    assert found["score"] == pytest.approx(sum(scores.values()) / len(scores), abs=6e-4)
    assert found["interval"][0] < found["score"] < found["interval"][1]
    assert (said, found["faults"]) == ([], [])


def test_a_folder_that_is_there_is_not_written_to(tmp_path):
    (tmp_path / "mine.py").write_text("")
    with pytest.raises(ValueError, match="already exists: name a new folder"):
        exporting.export("armed", tmp_path)
