"""Halving: its mistake bound, and hypotheses as data and files."""

import numpy as np
import pytest

from agents.check import check_agent
from agents.multiclass.halving import Halving
from agents.parts.bounds import halving_mistakes


def play(agent, task, in_pairs, rows, true, n=2):
    """Mistakes (n,) on rows (T, d) of labels (T,), the same for every replicate."""
    agent.reset(task(agent_labels(agent), rows.shape[1]), n=n)
    mistakes = np.zeros(n, int)
    for x, y in zip(rows, true, strict=True):
        contexts = in_pairs(np.tile(x, (n, 1)))
        labels = agent._choose(contexts)
        agent._learn(contexts, labels, (labels == y).astype(float), np.ones(n, bool))
        mistakes += labels != y
    return mistakes


def agent_labels(agent):
    return len(agent.hypotheses[0])


@pytest.mark.parametrize("k", [2, 3, 6])
def test_mistakes_stay_below_the_bound_on_random_classes(k, task, in_pairs):
    """Lemma 6, for every one of 20 classes of 2 to 400 members, of which one is always right."""
    rng = np.random.default_rng(k)
    largest = 0.0
    for _ in range(20):
        hypotheses = rng.normal(size=(int(rng.integers(2, 400)), k, 5))
        rows = rng.normal(size=(150, 5))
        true = (rows @ hypotheses[-1].T).argmax(axis=1)
        mistakes = play(Halving(hypotheses=hypotheses), task, in_pairs, rows, true)
        bound = halving_mistakes(n_labels=k, hypotheses=len(hypotheses))
        assert mistakes.max() <= bound
        largest = max(largest, mistakes.max() / bound)
    assert largest > 0.1  # the bound is not vacuous


def test_hypotheses_are_plain_data_or_a_file(tmp_path, task, in_pairs):
    array = np.random.default_rng(0).normal(size=(6, 4, 7))
    np.save(tmp_path / "class.npy", array)
    contexts = in_pairs(np.random.default_rng(1).normal(size=(5, 7)))
    given = [Halving(hypotheses=h) for h in (array, array.tolist(), str(tmp_path / "class.npy"))]
    assert isinstance(given[0].hypotheses, list)
    labels = [agent.reset(task(), n=5)._choose(contexts).tolist() for agent in given]
    assert labels[0] == labels[1] == labels[2]


@pytest.mark.parametrize(
    ("hypotheses", "named"),
    [
        ([[1.0, 2.0]], "shape"),
        ([], "shape"),
        ([[[]]], r"shape .*got \(1, 1, 0\)"),
        ([[[1.0, float("nan")]]], "finite.*nan"),
        ([[[1.0, 2.0]], [[1.0]]], "hypotheses"),
        ("nowhere.npy", "nowhere.npy"),
    ],
)
def test_bad_hypotheses_are_refused(hypotheses, named, task):
    with pytest.raises((ValueError, FileNotFoundError), match=named):
        Halving(hypotheses=hypotheses).reset(task())


def test_refuses_hypotheses_of_another_shape_and_slots(task):
    agent = Halving(hypotheses=np.zeros((3, 4, 7)))
    with pytest.raises(ValueError, match=r"of shape \(4, 7\), and this task needs \(4, 8\)"):
        agent.reset(task(4, 8))
    with pytest.raises(ValueError, match="one label"):
        agent.reset(task(4, 7, slots=2))


def test_keeps_the_contract(small_env):
    check_agent(Halving(hypotheses=np.random.default_rng(0).normal(size=(30, 2, 2))))


def test_there_may_be_fewer_hypotheses_than_labels(task, in_pairs):
    hypotheses = np.zeros((2, 6, 3))
    hypotheses[:, 5] = 1.0
    agent = Halving(hypotheses=hypotheses).reset(task(6, 3), n=4)
    assert agent._choose(in_pairs(np.ones((4, 3)))).tolist() == [5] * 4
