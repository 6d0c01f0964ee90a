"""What SOBA refuses."""

import pytest

from agents.multiclass.soba import SOBA


@pytest.mark.parametrize(
    ("given", "named"), [({"gamma": 0.0}, "gamma"), ({"ridge": float("nan")}, "ridge")]
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        SOBA(**given)


def test_refuses_slots(task):
    with pytest.raises(ValueError, match="one label"):
        SOBA().reset(task(slots=1))
