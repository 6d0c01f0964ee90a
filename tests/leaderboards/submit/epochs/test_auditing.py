"""The public files of the repository's epochs agree, and their rows can be replayed."""

from dataclasses import replace

import pytest

from leaderboards.run.cell import play_cell
from leaderboards.run.entrants import entrants
from leaderboards.run.plan import cells_of
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs import stages as holding
from leaderboards.submit.epochs.auditing import faults, rows_of
from leaderboards.submit.published import pack


@pytest.mark.parametrize("name", epochs.available())
def test_the_published_epochs_are_in_order(name):
    assert faults(name) == []


def test_a_reveal_that_the_ledger_lacks_and_a_seed_of_no_epoch_are_told(held):
    held.new()
    held.open()
    secret = epochs.read_secret(held.secret).hex()
    untold = epochs.load(held.path).model_copy(update={"secret": secret})
    epochs.write(untold, held.path)
    assert "the secret is revealed, and the ledger does not say so" in faults(held.path)
    rows = held.reveal()
    assert faults(held.path) == []
    row = next(row for row in rows if not row.refused)
    others = [replace(one, seed_hex="0" * 32) if one is row else one for one in rows]
    pack(rows_of(held.path), others)
    told = f"{row.agent} on {row.task}, {row.seed}: its seed is not the epoch's"
    assert told in faults(held.path)


@pytest.mark.parametrize(
    ("spec", "task"),
    [("KLUCB", "coins/0"), ("LinUCB", "fresh-arms/1"), ("Forward", "adversary/1"),
     ("GPTS", "rough/0"), ("AdaptiveDescent", "sign/1"), ("RankingBanditron", "three-slots/0")],
)  # fmt: skip
def test_rows_of_the_demonstration_play_again_to_the_bit(spec, task):
    suite, rows = holding.replayable("demonstration")
    (own,) = (each for each in suite.tasks if each.name == task)
    before = {row.seed: row for row in rows if row.spec == spec and row.task == task}
    assert len(before) == 3
    (entrant,) = entrants([spec])
    for cell in cells_of(suite, own, entrant, sorted(before)):
        for row in play_cell(cell).rows:
            assert row.error is None
            # Measures that were not there when they were played may be there now.
            assert row.measures.items() >= before[row.seed].measures.items()
