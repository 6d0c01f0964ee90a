"""The Perceptron is a reference line."""

import pytest

from agents.multiclass.perceptron import Perceptron


def test_is_a_reference_line():
    assert Perceptron.full_information


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="Perceptron cannot play this task: .*one label"):
        Perceptron().reset(task(slots=1))
