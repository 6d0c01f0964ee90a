"""Models of a log never see the row that they predict, and are fitted to a bounded sample."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from leaderboards.ope import Log, evaluate, log_models
from leaderboards.ope.log_models import LogModels

from .known_truth import LOGGING, MEANS, TARGET, VALUE, drawn
from .small_logs import log, policy, rows


def predicted(models, opened, what="predictions", size=170):
    return np.concatenate([getattr(models, what)(chunk) for chunk in opened.chunks(size)])


@pytest.mark.parametrize(("first", "learns"), [(0, False), (200, False), (0, True), (200, True)])
def test_a_row_is_predicted_by_the_other_folds_or_the_batches_before(first, learns):
    contexts, _, _, actions, rewards = rows()
    opened = log()
    found = predicted(LogModels(opened, first, learns), opened)
    for t in (0, 3, 199, 200, 207, 333, 599):
        if t < first:  # of the rows that policies learn from nothing is predicted
            continue
        if learns:
            batch = [(s - first) * 10 // (600 - first) if s >= first else -1 for s in range(600)]
            seen = [s for s in range(600) if batch[s] < batch[t]]
        else:
            seen = [s for s in range(600) if s < first or s % 5 != t % 5]
        for arm in range(3):
            own = [s for s in seen if actions[s] == arm]
            expected = 0.0
            if own:
                expected = Ridge().fit(contexts[own], rewards[own]).predict(contexts[[t]])[0]
            assert found[t, arm] == pytest.approx(expected, abs=1e-9)


def test_the_sample_is_bounded_and_has_whole_blocks_of_folds(monkeypatch):
    monkeypatch.setattr(log_models, "MOST_ROWS", 100)
    contexts, _, _, actions, rewards = rows()
    opened = log()
    models = LogModels(opened)
    assert models.n_sampled == 100
    kept = [s for s in range(600) if s // 5 % 6 == 0 and s % 5 != 2 and actions[s] == 1]
    expected = Ridge().fit(contexts[kept], rewards[kept]).predict(contexts[[7]])[0]
    assert predicted(models, opened)[7, 1] == pytest.approx(expected)
    monkeypatch.setattr(log_models, "MOST_NUMBERS", 60)
    assert LogModels(opened).n_sampled == 30


def test_estimated_propensities_are_a_logistic_regression_of_the_other_folds():
    contexts, _, _, actions, _ = rows()
    opened = log(propensity=False)
    found = predicted(LogModels(opened), opened, "propensities")
    own = [s for s in range(600) if s % 5 != 4]
    scale = StandardScaler().fit(contexts[own])
    fitted = LogisticRegression(max_iter=1000).fit(scale.transform(contexts[own]), actions[own])
    expected = fitted.predict_proba(scale.transform(contexts[[9]]))[0]
    np.testing.assert_allclose(found[9], 0.001 + 0.997 * expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_without_contexts_propensities_are_frequencies():
    actions = rows()[3]
    opened = log(propensity=False, context=False)
    found = predicted(LogModels(opened), opened, "propensities")
    counts = np.bincount(actions[np.arange(600) % 5 != 1], minlength=3)
    np.testing.assert_allclose(found[1], 0.001 + 0.997 * counts / counts.sum())


def hidden_context(seed, n_rounds=2000):
    """A log without propensities, whose policies have a known value, and what hides a context."""
    import pandas

    from banditgym.logs import open_log

    rng = np.random.default_rng(seed)
    places = rng.integers(3, size=n_rounds)
    actions = drawn(rng, LOGGING[places])
    rewards = (rng.random(n_rounds) < MEANS[places, actions]).astype(float)
    columns = {f"x{i}": (places == i).astype(float) for i in range(3)}
    told = pandas.DataFrame({"action": actions, "reward": rewards, **columns})
    seen = open_log(told, {"context": list(columns)}, n_arms=3)
    hidden = open_log(told[["action", "reward"]], n_arms=3)
    return seen, hidden, actions, rewards, TARGET[places]


def test_estimated_propensities_suffice_if_the_context_is_seen_and_fail_if_it_is_not():
    """95 % of 60 logs: 4 sqrt(0.95 0.05 / 60) = 0.113. Where what actions and rewards have in
    common is not seen, every interval misses."""
    covered, missed = [], []
    for seed in range(60):
        seen, hidden, actions, rewards, target = hidden_context(seed)
        for opened, found in ((seen, covered), (hidden, missed)):
            propensities = predicted(LogModels(opened), opened, "propensities", 5000)
            one = evaluate(Log(actions, rewards, propensities), target, estimator="snips")
            found.append(one.low <= VALUE <= one.high)
    assert np.mean(covered) > 0.95 - 0.113
    assert np.mean(missed) < 0.2


def test_features_of_the_action_played_are_not_those_of_all():
    opened = log()
    opened.metadata["context"] = "played"
    found = predicted(LogModels(opened), opened)
    assert np.ptp(found[::5], axis=0) == pytest.approx(0, abs=1e-9)
    assert policy().shape == (600, 3)
