"""Rows of our agents in a revealed epoch are replayed and compared."""

from dataclasses import replace

import pytest

from leaderboards.submit.epochs import stages as holding
from leaderboards.submit.epochs.auditing import rows_of
from leaderboards.submit.epochs.epoch import load
from leaderboards.submit.epochs.stages import replay_ours as replay
from leaderboards.submit.published import pack, packed_rows


def test_every_row_of_ours_comes_out_the_same_and_a_changed_one_does_not(held):
    held.new()
    held.open()
    with pytest.raises(ValueError, match="until then no seed is known"):
        replay(held.path)
    held.reveal()
    _, rows = holding.replayable(held.path)
    played = [row for row in rows if not row.refused]
    assert replay(held.path, workers=1) == (len(played), [])
    assert replay(held.path, ["UCB1"], workers=1) == (2 * 3, [])
    with pytest.raises(ValueError, match="has no rows of 'UBC1'; did you mean UCB1"):
        replay(held.path, ["UBC1"])

    path, expected = rows_of(held.path), {"suite": load(held.path).hash}
    rows = packed_rows(path, expected)
    i = next(i for i, row in enumerate(rows) if (row.spec, row.task) == ("UCB1", "one/1"))
    curve = rows[i].measures["regret"]
    measures = rows[i].measures | {"regret": [*curve[:-1], curve[-1] + 1e-9]}
    pack(path, [*rows[:i], replace(rows[i], measures=measures), *rows[i + 1 :]])
    count, (line,) = replay(held.path, ["UCB1"], workers=1)
    assert count == 6
    assert line.startswith(f"UCB1 on one/1, seed {rows[i].seed}: regret ends at ")
