"""``--set name=value``: values as in TOML or Python, and one line for what is no setting."""

import re

import pytest

from leaderboards.commands.given_settings import setting_of, settings_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x=20", 20),
        (" x =0.5", 0.5),
        ("x=true", True),
        ("x=[1, 2]", [1, 2]),
        ("x=None", None),
        ("x=(1, 'a')", (1, "a")),
        ("x=uniform", "uniform"),
        ("x=a=b", "a=b"),
        ("x=", ""),
    ],
)
def test_values_are_toml_or_python_or_text(text, value):
    assert setting_of(text) == ("x", value)


@pytest.mark.parametrize("text", ["x", "=3", "1x=3", "a b=3"])
def test_what_has_no_name_and_value_is_refused(text):
    with pytest.raises(ValueError, match=re.escape(f"name=value, got {text!r}")):
        setting_of(text)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["horizon=3"], "horizon is not a setting: use --horizon"),
        (["num_envs=3"], "num_envs is not a setting: use --seeds"),
        (["env=3"], "env is not a setting: use the argument"),
        (["dim=3", "dim=4"], "dim is given twice: 3 and 4"),
        (["dim=" + "[" * 100_000], "the setting dim is nested too deeply"),
    ],
)
def test_settings_with_an_option_of_their_own_and_repeated_ones_are_refused(texts, message):
    with pytest.raises(ValueError, match=message):
        settings_of(texts)


def test_settings_are_in_the_order_of_the_command():
    assert list(settings_of(["b=1", "a=2"]).items()) == [("b", 1), ("a", 2)]
