"""Every kind of problem has a measure, and all but arms a fixed action of the same units."""

from agents.naming import resolve
from leaderboards.choosing.bandit_problem import ROUNDS
from leaderboards.choosing.fixed_actions import FIXED, MEASURES


def test_every_kind_has_a_measure_and_its_reference_exists():
    assert MEASURES.keys() == ROUNDS.keys()
    assert MEASURES.keys() - FIXED.keys() == {"KernelBandit-v0"}
    for one in FIXED.values():
        assert resolve(one.spec).full_information
        assert one.note.startswith(type(resolve(one.spec)).__name__)
        assert one.always.count("{}") == 1
