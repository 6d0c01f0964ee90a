"""What Confidit refuses."""

import pytest

from agents.multiclass.confidit import Confidit


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"ridge": 0.0}, "ridge"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        Confidit(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        Confidit().reset(task(slots=1))
