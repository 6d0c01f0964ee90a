"""The verdict on a claim follows from those on its parts."""

import pytest

from leaderboards.papers.verdicts import MEANINGS, Verdict, at_smaller_size, whole

R, P, N, V = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED, Verdict.VACUOUS
OPEN, UNCLEAR = Verdict.OPEN, Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([R, R], R),
        ([R, N], P),
        ([N, N], N),
        ([R, OPEN], P),
        ([R, UNCLEAR], P),
        ([N, OPEN], OPEN),
        ([N, UNCLEAR], UNCLEAR),
        ([OPEN, UNCLEAR], UNCLEAR),
        ([V, V], V),
        ([V, R], R),  # a vacuous part counts neither for the claim nor against it
        ([V, N], N),
        ([V, R, N], P),
    ],
)
def test_parts_decide_a_verdict(parts, verdict):
    for order in (parts, parts[::-1]):
        assert whole(dict(enumerate(order))) is verdict


def test_a_claim_without_parts_has_no_verdict():
    with pytest.raises(ValueError, match="at least one part"):
        whole({})


def test_only_failures_are_open_at_a_smaller_size():
    parts = {"a": R, "b": N, "c": UNCLEAR, "d": V}
    assert at_smaller_size(parts) == {"a": R, "b": OPEN, "c": UNCLEAR, "d": V}


def test_every_verdict_is_explained():
    assert set(MEANINGS) == set(Verdict)
