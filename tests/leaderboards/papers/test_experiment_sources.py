"""An experiment's hash changes with its computation, and not with texts and rules beside it."""

from dataclasses import replace

import gymnasium
import pytest

from leaderboards import papers
from leaderboards.papers import experiment_sources, load
from leaderboards.papers.experiment_sources import of_simulation
from leaderboards.papers.pieces import play
from leaderboards.run.keys import source_files

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
    return Sample(helper(seeds), {"a": UCB1()}), "BallBandit-v0"


def judge(numbers):
    return OFUL() and numbers > LIMIT


def total(values):  # which ``helper`` has as a variable's name
    return sum(values)


CLAIM = "a text"
"""


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """The hash of ``simulate`` in a module of a paper with some text replaced."""
    real = experiment_sources.file_of

    def found(old="", new=""):
        text = MODULE.replace(old, new) if old else MODULE
        assert not old or text != MODULE
        path = tmp_path / "claims.py"
        path.write_text(text)
        experiment_sources._part.cache_clear()
        own = "leaderboards.papers.tiny2030.claims"
        monkeypatch.setattr(
            experiment_sources,
            "file_of",
            lambda name, root: path if name == own else real(name, root),
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
        ('"BallBandit-v0"', '"SphereBandit-v0"'),
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
    assert "scores_and_ranks.py" not in files  # of the numbers, not of the samples


SIMULATIONS = {
    (name, experiment.name): experiment.simulate
    for name in papers.NAMES
    for experiment in papers.load(name).experiments()
}
LINEAR = {
    ("calandriello2019", "sketching"), ("calandriello2019", "linear-kernel"),
    ("korda2015", "widths"), ("ouhamma2021", "figure-3"), ("ouhamma2021", "coverage"),
    ("ouhamma2021", "bandit-regret"), ("russac2019", "widths"), ("vernade2020", "growth"),
}  # fmt: skip
DRIFTING = {
    ("ouhamma2021", "drift"), ("russac2019", "abrupt-changes"), ("russac2019", "slow-changes"),
    ("russac2019", "theorem-rate"),
}  # fmt: skip
REGRESSION = {
    ("ouhamma2021", "figure-1"), ("ouhamma2021", "bounded-outcomes"),
    ("ouhamma2021", "gaussian-outcomes"), ("ouhamma2021", "coins"), ("ouhamma2021", "figure-2"),
    ("rakhlin2008", "ridge"),
}  # fmt: skip
POINTS = {("korda2015", "regret"), ("korda2015", "pege-time")}
DRIFTING_ARMS = {("besson2019", "problems"), ("besson2019", "theorem-rate")}
ARMED = {
    ("auer2002", "seven-problems"), ("garivier2011", "scenarios"), ("sutton2018", "figure-2-2"),
    ("sutton2018", "longer"), ("sutton2018", "figure-2-3"), ("sutton2018", "figure-2-4"),
    ("sutton2018", "figure-2-5"), ("zimmert2021", "regimes"),
    ("garivier2018", "problems"),
    ("audibert2010", "problems"), ("audibert2010", "long-runs"),
    ("garivier2016", "stopping-times"),
}  # fmt: skip
LOGISTIC = {("lee2024", "norms"), ("lee2024", "flat-slopes")}
KERNELIZED = {
    ("calandriello2019", name)
    for name in (
        *("figure-2", "theorems", "sums", "qbar", "dictionaries", "fixed", "round-cost", "time"),
        "algorithm",
    )
}


@pytest.fixture
def changed(monkeypatch):
    """The experiments with another hash once some text is added to a source."""
    before = {key: of_simulation(simulate) for key, simulate in SIMULATIONS.items()}
    read = source_files.read

    def found(file, text):
        path = experiment_sources.ROOT / file
        assert path.is_file()

        def altered(other):
            if other != path:
                return read(other)
            package = ".".join(path.relative_to(experiment_sources.ROOT).parts[:-1])
            return source_files.kept(path.read_bytes() + text, package)

        monkeypatch.setattr(source_files, "read", altered)
        return {key for key, own in SIMULATIONS.items() if of_simulation(own) != before[key]}

    return found


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("banditgym/envs/armed.py", ARMED | DRIFTING_ARMS),
        ("banditgym/envs/adversarial.py", {("zimmert2021", "regimes")}),
        ("banditgym/envs/logistic.py", LOGISTIC),
        ("banditgym/envs/drifting.py", DRIFTING),
        ("banditgym/envs/changes.py", DRIFTING | DRIFTING_ARMS | {("zimmert2021", "regimes")}),
        ("banditgym/envs/kernelized.py", KERNELIZED),
        ("banditgym/envs/losses.py", {("rakhlin2008", "descent")}),
        ("banditgym/envs/news.py", {("korda2015", "news")}),
        ("banditgym/envs/regression.py", REGRESSION),
        ("banditgym/envs/strongly_convex.py", POINTS),
        (
            "banditgym/envs/noise.py",
            ARMED | DRIFTING_ARMS | LINEAR | LOGISTIC | DRIFTING | REGRESSION | POINTS | KERNELIZED,
        ),
        ("agents/linear/oful.py", None),
    ],
)
def test_an_environment_counts_for_the_experiments_that_make_it(changed, file, expected):
    assert changed(file, b"\n# only a comment\n") == set()
    found = changed(file, b"\nADDED = 1\n")
    if expected is None:  # an agent; which experiments play it is not listed here
        assert ("ouhamma2021", "figure-3") in found
        assert not found & ARMED
    else:
        assert found == expected


def test_the_settings_that_an_id_fixes_count(monkeypatch):
    before = {key: of_simulation(simulate) for key, simulate in SIMULATIONS.items()}
    known = experiment_sources.ENVIRONMENTS["SynNonSep-v0"]
    other = replace(known, settings={"label_noise": 0.06})
    monkeypatch.setitem(experiment_sources.ENVIRONMENTS, "SynNonSep-v0", other)
    found = {
        name for (_, name), own in SIMULATIONS.items() if of_simulation(own) not in before.values()
    }
    assert found == {"figure-1", "theorem-1", "reference"}


def test_an_environment_that_the_hash_leaves_out_cannot_be_made(hashed, tiny):
    hashed()  # its text has the id of the ball alone

    def simulate(seeds, kind):
        gymnasium.make_vec(f"{kind}Bandit-v0", len(seeds))
        return tiny.Sample([1], {})

    simulate.__module__, simulate.__qualname__ = "leaderboards.papers.tiny2030.claims", "simulate"
    before = dict(gymnasium.registry)
    assert play(simulate, [0], {"kind": "Ball"}).sample.measures == {}
    with pytest.raises(
        ValueError, match="simulate must name each environment's id as a whole text"
    ):
        play(simulate, [0], {"kind": "Sphere"})
    assert gymnasium.registry == before
