"""Pages of agents say what the code and the board say."""

import pytest

import agents
from leaderboards.defaults import SUITE
from leaderboards.suites.suite import load
from tools import publish

pytest.importorskip("numpydoc", reason="needs the extra [docs]")

from docs.site import agent_pages


@pytest.fixture(scope="module")
def boards():
    return [publish.published(load(name), publish.FOLDER) for name in (SUITE, "armed-v2")]


def test_a_page_has_hyperparameters_places_bounds_and_rows(boards):
    page = agent_pages.page("OFUL", agents.OFUL, boards)
    for name in agents.OFUL().hyperparameters():
        assert f"* - ``{name}``" in page
    assert ":doc:`/environments/LinearBandit-v0`" in page
    assert "SphereBandit-v0" not in page
    assert ":py:func:`oful <agents.parts.bounds.oful>`" in page
    assert "forward_oful" not in page  # which is another agent's
    (standing,) = [
        standing
        for section in boards[0].sections
        if section.name == "linear"
        for standing in section.standings
        if standing.label == "OFUL"
    ]
    assert f"{standing.rank[0]} to {standing.rank[1]}" in page
    assert f"{standing.score.value:.4g}" in page


def test_a_page_has_the_definition(boards):
    page = agent_pages.page("LinUCB", agents.LinUCB, boards)
    definition = page.partition("Definition\n")[2]
    assert "``tests/agents/definitions/linear/linucb.py``" in definition
    assert "   class Definition:\n" in definition
    assert "self.gram + np.outer(x[arm], x[arm])" in definition
    assert "Definition\n" not in agent_pages.page("DQN", agents.DQN, boards)


def test_an_agent_that_is_played_on_request_says_so(boards):
    page = agent_pages.page("Halving", agents.Halving, boards)
    assert "to be given" in page
    assert "only if it is named" in page


def test_every_bound_has_at_most_one_agent_and_most_have_one():
    owners = {bound: agent_pages._owners().get(bound) for bound in agents.bounds.__all__}
    assert [bound for bound, agent in owners.items() if agent is None] == ["log_det_closed"]
    assert owners["forward_oful"] == "ForwardOFUL"
    assert owners["forward_leading"] == "Forward"


def test_every_agent_is_on_the_page_of_one_family(boards):
    pages = agent_pages.pages(boards[:1])
    of_families = [text for path, text in pages.items() if path.endswith("-agents.rst")]
    for name in agent_pages.naming.named():
        assert sum(f"\n   {name}\n" in text for text in of_families) == 1, name
        assert f":doc:`{name} <{name}>`" in pages["agents/index.rst"]
    assert "   linear-agents\n" in pages["agents/index.rst"]
