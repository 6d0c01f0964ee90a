"""What agents are shown of a row, what their answers mean, and encoders that JSON holds."""

import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from banditgym.data.columns import Reading
from banditgym.data.table_encoder import NumberColumn, TableEncoder, TextColumn
from banditgym.data.table_encoding import encoded
from leaderboards.choosing.row_encoder import RowEncoder, for_numbers, from_plain

from .small_tables import separable

FRAME = separable().drop(columns="label")
COLUMNS = encoded(FRAME, np.arange(60)).encoder
SIZE = NumberColumn("size", Reading(), 0, median=3.0, mean=2.0, deviation=0.5)
GAPS = NumberColumn(
    "gaps", Reading(1, ("", "€")), 0, 3.0, 2.0, 0.5, gap_mean=0.1, gap_deviation=1.0
)
OF_ALL_KINDS = TableEncoder((SIZE, GAPS), (TextColumn("town", ("Bonn", "Ulm"), others=False),))


def test_an_observation_has_a_constant_and_the_length_of_one_feature():
    encoder = RowEncoder(COLUMNS, "label", ("a", "b"))
    features = COLUMNS(FRAME)
    assert encoder.dim == features.shape[1] + 1
    expected = np.hstack([features, np.ones((60, 1))]) / math.sqrt(features.shape[1] + 1)
    np.testing.assert_array_equal(encoder(FRAME), expected)
    np.testing.assert_array_equal(encoder(FRAME.iloc[5].to_dict()), expected[5])


def test_an_absurd_number_counts_as_ten_deviations_from_the_mean():
    encoder = RowEncoder(TableEncoder((SIZE,), ()), "label", ("a", "b"))
    shown = [encoder({"size": size})[0] for size in (1e308, 7.5, 6.5, -1e9)]
    assert shown == [deviations / math.sqrt(2.0) for deviations in (10.0, 10.0, 9.0, -10.0)]


def test_actions_of_classes_are_their_names():
    encoder = RowEncoder(COLUMNS, "label", ("a", "b"))
    assert encoder.meaning(np.int64(1)) == "b"
    for action in (-1, 0.5, True, "a"):
        with pytest.raises(ValueError, match="the action must be an integer"):
            encoder.meaning(action)
    with pytest.raises(ValueError, match="the action must be below 2, got 2"):
        encoder.meaning(2)


@pytest.mark.parametrize("unit", [1.0, 2.0**700, 2.0**-700])
def test_numbers_are_scaled_by_those_given_and_predictions_scaled_back(unit):
    numbers = np.array([150.0, 170.0, 160.0, 190.0])
    encoder = for_numbers(COLUMNS, "y", unit * numbers)
    assert encoder.mean == unit * numbers.mean()
    assert encoder.deviation == unit * numbers.std()
    shown = encoder.outcome(unit * numbers)
    np.testing.assert_allclose(shown, (numbers - numbers.mean()) / numbers.std(), rtol=1e-12)
    assert encoder.meaning(float(shown[3])) == pytest.approx(unit * 190.0)
    constant = for_numbers(COLUMNS, "y", np.full(3, 7.0))
    assert constant.outcome(9.0) == 2.0  # the deviation is 0: not scaled
    with pytest.raises(ValueError, match="the action must be a number"):
        encoder.meaning("1")


def test_an_encoder_stays_the_same_in_json():
    for encoder in (
        RowEncoder(COLUMNS, "label", ("a", "b")),
        RowEncoder(OF_ALL_KINDS, "label", ("a", "b")),
        for_numbers(COLUMNS, "y", np.array([1 / 3, 2.0, 0.1])),
    ):
        assert from_plain(json.loads(json.dumps(asdict(encoder)))) == encoder


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.clear(),
        lambda plain: plain.pop("mean"),
        lambda plain: plain.update(labels=None),
        lambda plain: plain.update(mean=None),
        lambda plain: plain.update(mean=float("inf")),
        lambda plain: plain.update(deviation=0.0),
        lambda plain: plain.update(deviation=float("nan")),
        lambda plain: plain.update(more=1),
        lambda plain: plain.update(columns=[]),
        lambda plain: plain["columns"].clear(),
        lambda plain: plain["columns"]["numbers"][0].pop("mean"),
        lambda plain: plain["columns"]["numbers"][0].update(more=1),
        lambda plain: plain["columns"]["numbers"][0].update(mean=float("nan")),
        lambda plain: plain["columns"]["numbers"][0].update(mean="a"),
        lambda plain: plain["columns"]["numbers"][0].update(mean="2.0"),
        lambda plain: plain["columns"]["numbers"][0].update(deviation=0.0),
        lambda plain: plain["columns"]["numbers"][1].update(gap_mean=None, mean=None),
        lambda plain: plain["columns"]["numbers"][1].update(gap_deviation=0.0),
        lambda plain: plain["columns"]["numbers"][0]["reading"].update(way=3),
        lambda plain: plain["columns"]["numbers"][0].update(reading=None),
        lambda plain: plain["columns"]["numbers"][0].update(power=10**30),
        lambda plain: plain["columns"]["text"][0].update(values=3),
        lambda plain: plain["columns"].update(text=3),
    ],
)
def test_a_malformed_encoder_is_refused_in_a_line(change):
    plain = json.loads(json.dumps(asdict(RowEncoder(OF_ALL_KINDS, "label", ("a", "b")))))
    change(plain)
    with pytest.raises(ValueError, match="it describes no encoder of rows") as caught:
        from_plain(plain)
    assert "\n" not in str(caught.value)
