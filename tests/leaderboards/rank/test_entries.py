"""An agent's entry on some of the tasks."""

import dataclasses
import itertools

from leaderboards.rank.entries import Entry
from leaderboards.run.store.store import Row
from leaderboards.suites.suite import SuiteTask

TASKS = {
    name: SuiteTask(name=name, env="x", settings={}, horizon=2, family="armed")
    for name in ("one", "two", "three", "four")
}
ROW = Row(
    suite="s", task="one", agent="A", spec="A", hyperparameters={}, seed=0, sources="", data={},
    error=None, rounds=[1, 2], measures={"regret": [1.0, 2.0]}, seconds=None, bytes=None, facts=[],
    paper=None,
)  # fmt: skip


def rows():
    """Results, a contradiction, invalid curves, a failure, a refusal; full information on one."""
    yield ROW
    yield dataclasses.replace(ROW, seed=1, measures={"regret": [1.0, 3.0]}, full_information=True)
    yield dataclasses.replace(ROW, seed=1)
    for seed, curve in enumerate(([2.0, 1.0], [1.0, None], [1.0], [0.0, float("nan")], [1.0, 1.0])):
        yield dataclasses.replace(ROW, task="two", seed=seed, measures={"regret": curve})
    yield dataclasses.replace(ROW, task="three", seed=3, error="ValueError: no", measures=None)
    for reason in ("z", "a"):
        yield dataclasses.replace(ROW, task="four", seed=-1, error=reason, refused=True)


ROWS = tuple(rows())


def test_on_some_tasks_it_is_the_entry_of_their_rows():
    whole = Entry("A", list(ROWS), TASKS)
    assert whole.contradictions == [("one", 1)]
    assert whole.errors["two", 0].startswith("a regret that falls to 1")
    assert [whole.errors["two", seed] for seed in (1, 3)] == ["its regret is not finite"] * 2
    assert whole.errors["two", 2] == "its regret does not end at round 2"
    for many in (1, 2, 3, 4):
        for names in itertools.combinations(TASKS, many):
            own = [row for row in ROWS if row.task in names]
            part = whole.on([TASKS[name] for name in names])
            if names == ("four",):  # which it refuses
                assert part is None
            else:
                assert part is not None
                assert vars(part) == vars(Entry("A", own, TASKS))
    assert whole.on([dataclasses.replace(TASKS["one"], name="five")]) is None
    assert vars(whole) == vars(Entry("A", list(ROWS), TASKS))
