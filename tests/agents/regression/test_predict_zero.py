"""PredictZero predicts 0, and what it is handed belongs to the caller."""

import numpy as np

from agents.regression.predict_zero import PredictZero


def test_predicts_zero_whatever_happened(data, play):
    rows, y = data("large", 3)
    np.testing.assert_array_equal(play(PredictZero(), rows, y, hide=0.2), 0.0)


def test_predictions_are_the_callers(task):
    agent = PredictZero().reset(task(2), n=2)
    first = agent.act(np.ones((2, 2)))
    first += 1.0
    np.testing.assert_array_equal(agent.act(np.ones((2, 2))), 0.0)
