import importlib
import re
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agents
from agents.open_decisions import MOST
from banditgym.files.class_paths import names_own
from banditgym.tasks import MulticlassTask
from leaderboards.peers.peer import Kept, Peer, draw, library, seed_of
from leaderboards.run.entrants import entrants

ROOT = Path(__file__).parents[3]


def test_adapters_are_short():
    for path in (ROOT / "leaderboards/peers").glob("*.py"):
        assert len(path.read_text().splitlines()) < 150, path.name


@pytest.mark.peers
def test_the_page_names_every_agent():
    named, there = set(), set()
    for line in (ROOT / "docs/other-libraries.md").read_text().splitlines():
        row = re.match(r"\| `(\w+)` \| (`[^|]+`) \|", line)
        if row is not None and row[1] != "contextualbandits":  # see the lane of its own
            module = importlib.import_module(f"leaderboards.peers.{row[1]}")
            classes = [vars(module)[name] for name in re.findall(r"`(\w+)`", row[2])]
            assert all(cls().library_version() for cls in classes)
            named.update(classes)
            kinds = [value for value in vars(module).values() if isinstance(value, type)]
            there.update(kind for kind in kinds if issubclass(kind, Peer))
    assert named == {kind for kind in there if not kind.__subclasses__()}
    assert len(named) == 19


def test_a_library_is_found():
    assert library("math").pi > 3


def test_a_library_that_is_missing_is_told_in_one_line_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mabwiser", None)
    monkeypatch.delitem(sys.modules, "mabwiser.mab", raising=False)
    with pytest.raises(ImportError, match=r"^mabwiser is missing .*cpu, then .*banditgym\[peers\]"):
        library("mabwiser.mab")
    with pytest.raises(ImportError, match=re.escape("'banditgym[peers-compiled]'")):
        library("mabwiser.mab", "peers-compiled")


def test_a_missing_library_is_told_where_agents_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mabwiser", None)
    monkeypatch.delitem(sys.modules, "mabwiser.mab", raising=False)
    monkeypatch.delitem(sys.modules, "leaderboards.peers.mabwiser", raising=False)
    with pytest.raises(ValueError, match=r"mabwiser is missing.*pip install 'banditgym\[peers\]'"):
        agents.resolve("leaderboards.peers.mabwiser:MABWiserLinUCB")


def test_to_the_judge_adapters_are_the_code_of_others_and_nothing_of_them_is_imported(monkeypatch):
    for spec in ("leaderboards.peers.mabwiser:MABWiserLinUCB(alpha=0.5)", "leaderboards.peers:X"):
        monkeypatch.delitem(sys.modules, "leaderboards.peers.mabwiser", raising=False)
        assert not names_own(spec)
        assert "leaderboards.peers.mabwiser" not in sys.modules
    assert names_own("agents.scalar:ScalarAgent")


def test_the_judge_asks_a_process_of_its_own_and_tells_its_error():
    with pytest.raises(ValueError, match="leaderboards.peers.peer has no agent 'Nobody'"):
        entrants(["leaderboards.peers.peer:Nobody"])


def test_several_labels_a_round_are_refused():
    class OneLabel(Peer):
        accepts = (MulticlassTask,)

    task = gymnasium.make("SynSep-v0", slots=3).unwrapped.task
    assert OneLabel().refusal(task) == "it plays one label per round"
    assert OneLabel().refusal(gymnasium.make("SynSep-v0").unwrapped.task) is None


def test_seeds_are_above_0_and_fit_in_31_bits():
    rng = np.random.default_rng(0)
    seeds = [seed_of(rng) for _ in range(1000)]
    assert min(seeds) >= 1
    assert max(seeds) < 2**31
    assert len(set(seeds)) == 1000


def test_draws_have_their_probabilities():
    rng = np.random.default_rng(1)
    p = np.array([0.5, 0.0, 0.3, 0.2])
    counts = np.bincount([draw(p.astype(np.float32), rng) for _ in range(10_000)], minlength=4)
    assert counts[1] == 0
    # Five standard deviations of a binomial count, at most sqrt(10000 / 4) = 50 each.
    assert np.abs(counts - 10_000 * p).max() < 250


def test_what_is_kept_of_a_decision_is_taken_once():
    kept = Kept()
    kept.keep(3, np.array([0.5]))
    assert kept.take(3) == 0.5
    with pytest.raises(ValueError, match="no open decision 3"):
        kept.take(3)


def test_of_decisions_without_rewards_the_last_ones_are_kept():
    kept = Kept()
    for decision in range(MOST + 2):
        kept.keep(decision, np.zeros(1))
    with pytest.raises(ValueError, match="no open decision 1"):
        kept.take(1)
    assert kept.take(2) == 0
