import numpy as np

from banditgym.rounds.open_rows import OpenRows


def test_rows_are_returned_as_they_were_and_memory_is_used_again():
    kept = OpenRows({"x": np.empty((0, 2)), "k": np.empty(0, np.int64)})
    rng, expected = np.random.default_rng(0), {}
    for t in range(500):
        rows = {"x": rng.random((5, 2)), "k": np.arange(5) + 10 * t}
        which = np.flatnonzero(rng.random(5) < 0.6)
        for i, place in zip(which, kept.put(rows, which), strict=True):
            assert place not in expected
            expected[place] = rows["x"][i].copy(), rows["k"][i]
        taken = [place for place in sorted(expected) if rng.random() < 0.3]
        found = kept.take(taken)
        assert found["x"].tolist() == [expected[place][0].tolist() for place in taken]
        assert found["k"].tolist() == [expected[place][1] for place in taken]
        for place in taken:
            del expected[place]
    assert max(expected) < 60  # 3 rows come a round, and each stays for about 3 rounds
