"""The agents' names and places, as their package has them."""

import agents
from agents import naming
from leaderboards.agent_names import LISTS, homes, listed


def test_lists_are_those_of_the_package():
    for members in LISTS:
        assert listed(members) == getattr(agents, members)


def test_every_agent_that_can_be_named_has_its_place():
    found = {name: f"{kind.__module__}:{kind.__name__}" for name, kind in naming.named().items()}
    assert homes() == found
    assert list(homes()) == list(found)
