"""The chosen agent learns all rows as in a service, and comes back from its folder unchanged."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import agents
import leaderboards
from agents.naming import resolve
from leaderboards.choosing.bandit_problem import bandit_problem
from leaderboards.choosing.choose import choose
from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.choosing.saved_choice import load_choice, task_of, trained

from .small_tables import separable


def regression(n_rows=80):
    frame = separable(n_rows).drop(columns="label")
    noise = np.random.default_rng(0).standard_normal(n_rows)
    return frame.assign(y=150 + 30 * frame["z"] + 5 * (frame["town"] == "Ulm") + noise)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    given = {"trials": 1, "seeds": 5, "store": store}
    classes = choose(separable(160), "label", ["Confidit(alpha=0.7)"], **given)
    numbers = choose(regression(), "y", ["OnlineRidge(ridge=0.3)"], kind="predicted", **given)
    return {"classes": classes, "numbers": numbers}


@pytest.mark.parametrize("spec", ["Banditron(gamma=0.2)", "SOBA", "SquareCB"])
def test_the_agent_has_played_every_row_once(tmp_path, spec):
    problem = bandit_problem(labelled_table(separable(), "label"), tmp_path, 2)
    agent = trained(problem, spec)
    rows = problem.encoder(problem.table.features)
    plain = resolve(spec).reset(task_of(problem), seed=agents.derived_seeds(0))
    for place in np.random.default_rng(0).permutation(60):
        action = plain.act(rows[place])
        plain.observe(rows[place], action, float(action == problem.table.labels[place]))
    assert agent.decisions[0] == plain.decisions[0] == 60
    probes = np.random.default_rng(1).standard_normal((30, rows.shape[1]))
    assert [agent.act(x) for x in probes] == [plain.act(x) for x in probes]
    task = agent.task
    assert (task.horizon, task.labels, task.n_labels) == (None, ("high", "low", "mid"), 3)
    assert task.feature_norm == pytest.approx(np.linalg.norm(rows, axis=1).max())
    assert task.fault() is None


def test_the_agent_of_numbers_is_the_ridge_regression_of_all_rows(found):
    """Of the rows, scaled by the tuning rows, in whichever order: it is a batch regression."""
    numbers, frame = found["numbers"], regression()
    agent, encoder = numbers.agent, numbers.encoder
    tuning = numbers.problem.split.tuning
    y = (frame["y"] - frame["y"][tuning].mean()) / frame["y"][tuning].std(ddof=0)
    x = encoder(frame)
    theta = np.linalg.solve(x.T @ x + 0.3 * np.eye(x.shape[1]), x.T @ y)
    row = {"x": 0.4, "z": None, "town": "Jena", "unused": 3}
    assert agent.act(encoder(row)) == pytest.approx(encoder(row) @ theta, rel=1e-9)
    predicted = encoder.meaning(agent.act(encoder({**row, "z": 1.0})))
    assert predicted == pytest.approx(180, abs=5)
    assert agent.task.outcome_bound == pytest.approx(np.abs(y).max())
    assert agent.task.fault() is None
    assert found["numbers"].agent is agent  # trained once


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_what_is_saved_comes_back_and_learns_on(found, kind, tmp_path):
    found[kind].save(tmp_path / "made" / "here")
    encoder, agent = leaderboards.load_choice(tmp_path / "made" / "here")
    assert encoder == found[kind].encoder
    rows = regression().to_dict("records")
    for row in rows[:20]:
        x = encoder(row)
        assert agent.act(x) == found[kind].agent.act(x)
        for one in (agent, found[kind].agent):
            more = {"feedback": 0.5} if kind == "numbers" else {}
            one.observe(x, one.act(x), 1.0, **more)
    plain = json.loads((tmp_path / "made/here/choice.json").read_text())
    assert plain["take"] == found[kind].best.spec
    assert plain["versions"].keys() == {"banditgym", "numpy"}
    assert plain["encoder"]["target"] == ("label" if kind == "classes" else "y")


def test_where_there_is_none_to_serve_nothing_is_saved(found, tmp_path):
    arms = choose(
        regression(), "y", ["GPUCB"], trials=1, seeds=3, horizon=5, store=tmp_path / "store"
    )
    assert arms.encoder is None
    assert arms.agent is None
    with pytest.raises(ValueError, match=r"nothing is saved to .*the rows are the arms, .*predict"):
        arms.save(tmp_path / "arms")
    none = replace(found["classes"], candidates=())
    assert none.agent is None
    with pytest.raises(ValueError, match="nothing is saved to .*: there is no agent to take"):
        none.save(tmp_path / "none")
    assert {path.name for path in tmp_path.iterdir()} == {"store"}


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda folder: shutil.rmtree(folder), "choice.json holds no saved choice: .*No such"),
        (lambda folder: (folder / "agent.npz").unlink(), "No such file"),
        (
            lambda folder: (folder / "choice.json").write_text("{"),
            "choice.json holds no saved choice: ",
        ),
        (lambda folder: (folder / "choice.json").write_text("[1]"), "it is none of this version"),
        (lambda folder: change(folder, format=2), "it is none of this version"),
        (lambda folder: change(folder, encoder={}), "choice: .it describes no encoder"),
        (lambda folder: (folder / "agent.npz").write_bytes(b"x"), "agent.npz"),
    ],
)
def test_a_damaged_folder_is_one_line(found, tmp_path, break_it, message):
    folder = tmp_path / "saved"
    found["classes"].save(folder)
    break_it(folder)
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        load_choice(folder)
    assert "\n" not in str(caught.value)


def change(folder, **values):
    path = folder / "choice.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_files_of_two_choices_are_refused(found, tmp_path):
    found["classes"].save(tmp_path / "one")
    found["numbers"].save(tmp_path / "two")
    (tmp_path / "two/agent.npz").replace(tmp_path / "one/agent.npz")
    with pytest.raises(ValueError, match=r"agent.npz and choice.json of .*one are of two choices"):
        load_choice(tmp_path / "one")


def test_labels_of_any_writing_come_back(tmp_path):
    names = {"high": "größer, «mehr»", "low": "小", "mid": "a\tb"}
    frame = separable(120).assign(label=lambda f: f["label"].map(names))
    found = choose(frame, "label", ["Confidit"], trials=1, seeds=5, store=tmp_path / "store")
    found.save(tmp_path / "saved")
    encoder, agent = load_choice(tmp_path / "saved")
    assert encoder.labels == agent.task.labels == tuple(sorted(names.values()))
    assert encoder.meaning(agent.act(encoder(frame.iloc[0].to_dict()))) in names.values()
