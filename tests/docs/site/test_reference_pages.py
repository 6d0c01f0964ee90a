"""The API reference has everything public."""

import agents
import banditgym
import leaderboards
from docs.site import reference_pages


def test_everything_that_the_packages_offer_has_an_entry():
    pages = reference_pages.pages()
    own_pages = agents.AGENTS + agents.ON_REQUEST + agents.LIBRARY_AGENTS
    for package in (banditgym, agents, leaderboards):
        page = pages[f"reference/api/{package.__name__}.rst"]
        for name in set(dir(package)) - set(own_pages) - {"__version__"}:
            module = f"reference/api/{package.__name__}.{name}.rst"
            assert module in pages or f":: {package.__name__}.{name}\n" in page, name


def test_what_a_module_imports_is_not_its_own():
    names = dict(reference_pages.members("banditgym.functions.covariances"))
    assert {"RBF", "Matern", "Linear"} <= names.keys()
    assert "np" not in names
    assert "dataclass" not in names


def test_agents_have_pages_of_their_own():
    names = dict(reference_pages.members("agents"))
    assert "LinUCB" not in names
    assert {"Agent", "ScalarAgent", "play", "load"} <= names.keys()
