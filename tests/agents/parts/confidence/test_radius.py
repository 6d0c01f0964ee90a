"""What a radius may be."""

from types import SimpleNamespace

import pytest

from agents.parts.confidence import check_radius

GOOD = {"delta": 0.1, "noise_std": None, "param_norm": None}


@pytest.mark.parametrize("radius", ["theory", 0, 0.3])
def test_names_and_numbers_pass(radius):
    check_radius(SimpleNamespace(radius=radius, **GOOD), ("theory", "closed"))
    check_radius(SimpleNamespace(radius=radius, delta=0.1), ("theory", "closed"))


@pytest.mark.parametrize(
    ("radius", "given", "named"),
    [
        ("tight", {}, "radius.*theory, closed.*'tight'"),
        (-0.1, {}, "radius.*-0.1"),
        (None, {}, "radius.*None"),
        (float("inf"), {}, "radius.*inf"),
        (float("nan"), {}, "radius.*nan"),
        ("theory", {"delta": 1.0}, "delta.*1.0"),
        ("theory", {"delta": "small"}, "delta.*'small'"),
        ("theory", {"noise_std": -1.0}, "noise_std.*-1.0"),
        ("theory", {"param_norm": float("nan")}, "param_norm.*nan"),
    ],
)
def test_others_do_not(radius, given, named):
    with pytest.raises(ValueError, match=named):
        check_radius(SimpleNamespace(radius=radius, **GOOD | given), ("theory", "closed"))
