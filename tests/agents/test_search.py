"""Search spaces: every ranked agent declares its own, of values that it takes."""

import dataclasses
from typing import ClassVar

import pytest

import agents
from agents.agent import Agent
from agents.naming import label, own_agents, resolve
from agents.search import Choice, Linear, Log, as_plain, value_of, with_values

RANKED = [kind for kind in own_agents().values() if not kind.full_information]


def without_a_space(kinds):
    """The agents that declare no space of their own: what they inherit may be another's."""
    return [kind.__name__ for kind in kinds if "search" not in vars(kind)]


def test_every_ranked_agent_declares_its_own_space():
    assert without_a_space(RANKED) == []
    assert len(RANKED) > 50
    # The default of the base class, or the space of a parent, hides no agent.
    forgotten = [type("New", (parent,), {}) for parent in (Agent, agents.OFUL)]
    assert without_a_space(forgotten) == ["New", "New"]


@pytest.mark.parametrize("kind", [kind for kind in RANKED if kind.search], ids=lambda k: k.__name__)
def test_an_agent_takes_every_value_of_its_space(kind):
    default = kind()
    for name, among in kind.search.items():
        value_of(default, name)
        values = among.options if isinstance(among, Choice) else (among.low, among.high)
        for value in values:
            agent = with_values(default, {name: value})
            assert value_of(agent, name) == value
            again = resolve(label(agent))  # a setting is published as a text
            assert again.hyperparameters() == agent.hyperparameters()
    assert default.hyperparameters() == kind().hyperparameters()


def test_a_space_is_no_hyperparameter():
    assert "search" not in agents.LinUCB().hyperparameters()
    assert label(agents.LinUCB()) == "LinUCB"


def test_values_are_short_and_within_the_range():
    assert Log(0.01, 10.0).nearest(0.123456) == 0.123
    assert Linear(0.0001234, 1.0).nearest(0.0001234) == 0.0001234
    assert Log(5, 60).nearest(17) == 17
    assert isinstance(Log(5, 60).nearest(17), int)
    assert Choice(("a", 2)).nearest("a") == "a"


def test_what_lies_in_a_range():
    assert Log(0.1, 1.0).contains(1.0)
    assert not Log(0.1, 1.0).contains(1.5)
    assert not Log(0.1, 1.0).contains(None)
    assert not Log(0.1, 1.0).contains("theory")
    assert not Linear(0.0, 1.0).contains(True)
    assert not Log(1, 9).contains(2.5)
    assert Choice((1.0, 2.0)).contains(2.0)
    assert not Choice((1.0, 2.0)).contains(3.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Log(0.0, 1.0), "must begin above 0, got 0.0"),
        (lambda: Log(1.0, 0.5), r"low < high, got \(1.0, 0.5\)"),
        (lambda: Linear(0.0, float("inf")), r"two finite numbers, .* got \(0.0, inf\)"),
        (lambda: Linear(0.0, float("nan")), "got"),
        (lambda: Choice((1,)), "two or more different values"),
        (lambda: Choice((1, 2, 1)), "two or more different values"),
    ],
)
def test_a_range_that_is_none_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_name_that_is_no_hyperparameter_is_refused():
    for name in ("aplha", "estimator.stpe"):
        with pytest.raises(ValueError, match=rf"has no hyperparameter '{name.split('.')[-1]}'"):
            value_of(agents.FastLinUCB(), name)


def test_a_space_as_plain_data():
    @dataclasses.dataclass(kw_only=True, eq=False)
    class Mine(Agent):
        search: ClassVar = {"a": Linear(0, 1), "b": Choice(("x", "y"))}

    assert as_plain(Mine.search) == {"a": ["Linear", 0, 1], "b": ["Choice", "x", "y"]}
