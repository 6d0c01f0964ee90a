"""An experiment's hash changes with its computation, and not with texts and rules beside it."""

import pytest

from banditgym import source_files
from leaderboards.papers import experiment_sources, load
from leaderboards.papers.experiment_sources import of_simulation

MODULE = """
from leaderboards.papers.claim import Sample
from agents import UCB1, OFUL

WIDTH = 3
LIMIT = 0.5
HALF = WIDTH / 2


def helper(x):
    \"\"\"Doc.\"\"\"
    total = HALF * x
    return total


def simulate(seeds):
    return Sample(helper(seeds), {"a": UCB1()})


def judge(numbers):
    return OFUL() and numbers > LIMIT


def total(values):  # which ``helper`` has as a variable's name
    return sum(values)


CLAIM = "a text"
"""


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """The hash of ``simulate`` in a module of a paper with some text replaced."""
    real = source_files.file_of

    def found(old="", new=""):
        text = MODULE.replace(old, new) if old else MODULE
        assert not old or text != MODULE
        path = tmp_path / "claims.py"
        path.write_text(text)
        experiment_sources._part.cache_clear()
        own = "leaderboards.papers.tiny2030.claims"
        monkeypatch.setattr(
            source_files, "file_of", lambda name, root: path if name == own else real(name, root)
        )
        simulate = type("simulate", (), {"__module__": own, "__qualname__": "simulate"})
        return of_simulation(simulate)  # pyright: ignore[reportArgumentType]

    yield found
    experiment_sources._part.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("WIDTH = 3", "WIDTH = 4"),  # through HALF and helper
        ("HALF * x", "HALF + x"),
        ('"a": UCB1()', '"b": UCB1()'),
        ("UCB1, OFUL", "KLUCB as UCB1, OFUL"),
    ],
)
def test_what_is_computed_counts(hashed, old, new):
    assert hashed() != hashed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 0.5", "LIMIT = 0.7"),
        ("sum(values)", "max(values)"),
        ("numbers > LIMIT", "numbers < LIMIT"),
        ("a text", "another text"),
        ("UCB1, OFUL", "UCB1, LinUCB as OFUL"),  # of the judge alone
        ('"""Doc."""', '"""Another."""'),
    ],
)
def test_rules_and_texts_do_not(hashed, old, new):
    assert hashed() == hashed(old, new)


def test_agents_count(monkeypatch):
    simulate = load("rakhlin2008").claims[0].experiment.simulate
    key = of_simulation(simulate)
    assert key == of_simulation(simulate)
    seen = []
    real = experiment_sources.closure_of
    monkeypatch.setattr(
        experiment_sources, "closure_of", lambda roots: seen.append(roots) or real(roots)
    )
    of_simulation(simulate)
    files = {path.name for path in real(*seen).files}
    assert "play.py" in files
    assert any("ridge" in name for name in files)
    assert "statistics.py" not in files  # of the numbers, not of the samples
