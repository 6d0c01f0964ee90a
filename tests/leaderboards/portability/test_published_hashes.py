"""The hashes of what is played here are compared with the published ones."""

import json

from threadpoolctl import threadpool_info

from leaderboards.portability import corpus, published_hashes
from leaderboards.portability.published_hashes import HASHES, compared, known


def test_the_published_hashes_are_those_of_the_file():
    assert known() == json.loads(HASHES.read_text())["entries"]
    assert len(known()) > 800


def test_equal_and_other_hashes_errors_and_entries_that_are_not_published(monkeypatch):
    played = {
        "env/a": {"env/a": "1"},
        "play/b": {"play/b/C": "2", "state/b/C": "3", "play/b/New": "4"},
    }
    threads = []

    def entries(group):
        threads.extend(each["num_threads"] for each in threadpool_info())
        return played[group]

    monkeypatch.setattr(published_hashes, "known", lambda: {
        "env/a": "1", "play/b/C": "2", "state/b/C": "9", "env/other": "5"
    })  # fmt: skip
    monkeypatch.setattr(corpus, "groups", lambda: ["env/a", "play/b", "env/none"])
    monkeypatch.setattr(corpus, "entries", entries)
    done = []
    found = compared(["env/a", "play/b", "env/none"], done.append)
    assert found == {
        "compared": 3, "differ": ["state/b/C"], "errors": {"env/none": "KeyError: 'env/none'"}
    }  # fmt: skip
    assert done == [1 / 3, 2 / 3, 1.0]
    assert set(threads) == {1}
