"""The instances of an epoch, against their definition."""

import hashlib
import hmac
import json
from dataclasses import replace

import pytest

from leaderboards import report
from leaderboards.rank.board import build
from leaderboards.run.cell import Cell, play_cell
from leaderboards.run.entrants import entrants
from leaderboards.run.plan import cells_of
from leaderboards.submit.epochs.instances import instances
from leaderboards.suites.suite import load

SECRET = bytes(range(32))


@pytest.fixture
def drawn(held):
    """The instances under a secret that is known."""
    epoch = held.new()
    epoch = epoch.model_copy(update={"secret_sha256": hashlib.sha256(SECRET).hexdigest()})
    return epoch, instances(epoch, SECRET)


def plain_seed(suite_hash, task, index):
    message = b"banditgym held-out 1"
    for field in (suite_hash, task, str(index)):
        message += len(field.encode()).to_bytes(8, "big") + field.encode()
    return int.from_bytes(hmac.new(SECRET, message, "sha256").digest()[:16], "big")


def test_each_draw_is_a_task_with_seeds_of_its_own(held, drawn):
    epoch, found = drawn
    assert [task.name for task in found.suite.tasks] == ["one/0", "one/1", "other/0", "other/1"]
    assert found.suite.seeds == (0, 1, 2)
    assert found.suite.hash == epoch.hash
    public = load(held.suite).hash
    for task in found.suite.tasks:
        name, _, draw = task.name.partition("/")
        indices = [3 * int(draw) + j for j in range(3)]
        assert task.hidden == tuple(plain_seed(public, name, index) for index in indices)
        assert found.seed_hex(task.name, 1) == f"{task.hidden[1]:032x}"
    every = [seed for task in found.suite.tasks for seed in task.hidden]
    assert len(set(every)) == len(every) == 12


def test_settings_are_drawn_and_the_rest_is_the_suites(held, drawn):
    _, found = drawn
    before = {task.name: task for task in load(held.suite).tasks}
    for task in found.suite.tasks:
        own = before[task.name.partition("/")[0]]
        assert (task.env, task.horizon, task.ranking) == (own.env, own.horizon, own.ranking)
        assert task.settings.keys() == own.settings.keys()
    assert all(2 <= task.settings["n_arms"] <= 6 for task in found.suite.tasks[:2])
    other = [task.settings["noise_std"] for task in found.suite.tasks[2:]]
    assert all(0.5 <= value <= 2.0 for value in other)
    assert other[0] != other[1]


def test_another_suite_or_other_ranges_are_refused(held, drawn):
    epoch, _ = drawn
    path = held.folder / "small.held-out.toml"
    path.write_text(path.read_text().replace("[2, 6]", "[2, 7]"))
    with pytest.raises(ValueError, match=f"epoch first is of ranges {epoch.ranges}, and here"):
        instances(epoch, SECRET)
    held.suite.write_text(held.suite.read_text().replace("60", "61"))
    with pytest.raises(ValueError, match=f"epoch first is of suite {epoch.suite_hash}"):
        instances(epoch, SECRET)


def test_a_draw_that_its_environment_refuses_is_named(held, monkeypatch):
    path = held.folder / "small.held-out.toml"
    # A mean above 1 is no Bernoulli's; integers may be so drawn.
    path.write_text(path.read_text().replace("n_arms = [2, 6]", "n_arms = [-9, -8]"))
    epoch = held.new()
    found = instances(epoch, SECRET)
    assert [task.name for task in found.suite.tasks] == ["other/0", "other/1"]
    refused = {task.name: reason for task, reason in found.refused}
    assert refused.keys() == {"one/0", "one/1"}
    assert "n_arms" in refused["one/0"]


def cell(found, spec, task="one/0"):
    (own,) = (each for each in found.suite.tasks if each.name == task)
    (entrant,) = entrants([spec])
    (only, *_) = cells_of(found.suite, own, entrant, found.suite.seeds)
    return replace(only, seeds=found.suite.seeds)


def hidden_forms(found):
    for task in found.suite.tasks:
        for seed in task.hidden:
            yield from (str(seed), f"{seed:x}", f"{seed:032x}", hex(seed))


def test_rows_names_and_boards_hold_no_seed(drawn):
    _, found = drawn
    played = cell(found, "UCB1")
    rows = play_cell(played).rows
    assert [row.seed for row in rows] == [0, 1, 2]
    assert all(row.error is None for row in rows)
    board = build(found.shown, rows)
    shown = [repr(rows), played.name, repr(played), repr(found.suite), report.json(board)]
    shown += [report.markdown(board), report.csv(board), json.dumps(played.failed("x")[0].error)]
    for form in hidden_forms(found):
        assert not any(form in text for text in shown)


def test_what_is_played_are_the_hidden_seeds(drawn):
    import gymnasium

    import agents

    _, found = drawn
    rows = play_cell(cell(found, "UCB1")).rows
    (task,) = (each for each in found.suite.tasks if each.name == "one/0")
    env = gymnasium.make_vec(task.env, num_envs=3, horizon=60, **task.settings)
    trace = agents.play(env, agents.UCB1(), seed=list(task.hidden))
    assert [row.measures["regret"] for row in rows] == trace.regret.tolist()


@pytest.mark.parametrize("form", ["{0}", "{0:x}", "0x{0:032X}", "seed={0}!", "[{0}, 1]"])
def test_errors_hold_no_seed_however_it_got_there(drawn, form):
    _, found = drawn
    task = found.suite.tasks[0]
    played: Cell = cell(found, "UCB1")
    for row in played.failed("it broke: " + form.format(task.hidden[1])):
        assert "(hidden)" in row.error
        assert not any(text.lower() in row.error.lower() for text in hidden_forms(found))


def test_code_of_others_plays_no_hidden_seed_beside_its_environment(drawn, mine):
    _, found = drawn
    played = cell(found, "UCB1")
    played = replace(played, blank=replace(played.blank, spec=f"{mine / 'agent.py'}:Turns"))
    for limit in (None, 100.0):
        done = play_cell(played, limit=limit)
        assert {row.error for row in done.rows} == {
            "third-party code plays held-out seeds only in the sandbox"
        }


def test_no_traceback_of_hidden_seeds_is_told(drawn, monkeypatch):
    from leaderboards.run import outcomes

    _, found = drawn
    monkeypatch.setattr(outcomes, "make", lambda task, n: 1 / 0)
    done = play_cell(cell(found, "UCB1"))
    assert done.traceback is None
    assert "ZeroDivisionError" in done.rows[0].error
