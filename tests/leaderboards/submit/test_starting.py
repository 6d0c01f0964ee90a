"""The example that a new submission starts from."""

import tomllib

import pytest

from agents.check import check_agent
from leaderboards.submit import starting
from leaderboards.submit.catalogue import opened
from leaderboards.submit.example.agent import MyAgent


def test_the_example_is_in_order(example, root):
    found = opened(example, root)
    assert found.manifest.title == "example==1.0.0"
    assert sorted(found.folder.files) == ["agent.py", "submission.toml"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("LinUCB", "my-linucb"),
        ("My Great Agent!", "my-great-agent"),
        ("3rd", "agent-3rd"),
        ("été", "t"),
        ("__", "agent"),
        ("x" * 60, "x" * 30),
        ("taken", "taken"),
    ],
)
def test_the_name_is_the_folders_as_far_as_it_can_be(tmp_path, root, folder, name):
    (root / "taken").mkdir()
    starting.write(tmp_path / folder, root)
    text = (tmp_path / folder / "submission.toml").read_text()
    assert tomllib.loads(text)["name"] == name
    opened(tmp_path / folder, tmp_path / "nowhere")


def test_what_is_still_the_examples_is_named(example, root):
    assert starting.unchanged(opened(example, root).manifest) == [*starting.PERSONAL]
    path = example / "submission.toml"
    text = path.read_text().replace("Your Name", "A. Name").replace("you@", "name@")
    path.write_text(text)
    assert starting.unchanged(opened(example, root).manifest) == ["paper", "link"]


def test_check_names_what_is_still_the_examples(example, monkeypatch, capsys):
    from leaderboards.commands import submitting
    from leaderboards.submit import checking

    monkeypatch.setattr(submitting, "_confinement", lambda: None)
    monkeypatch.setattr(checking, "check", lambda *given, **options: [])
    submitting.check(example)
    assert "the example's authors, contact, paper, link" in capsys.readouterr().out


def test_a_folder_that_is_there_is_left_alone(mine, root, tmp_path):
    with pytest.raises(ValueError, match="already exists"):
        starting.write(mine, root)
    with pytest.raises(ValueError, match="already exists"):
        starting.write(mine / "agent.py", root)
    with pytest.raises(ValueError, match="cannot be written"):
        starting.write(mine / "agent.py" / "below", root)


def test_the_example_keeps_the_contract():
    check_agent(MyAgent())


@pytest.mark.parametrize(("name", "value"), [("epsilon", 1.5), ("epsilon", -0.1), ("ridge", 0.0)])
def test_the_example_checks_its_hyperparameters(name, value):
    with pytest.raises(ValueError, match=f"{name} must .*, got {value}"):
        MyAgent(**{name: value})
