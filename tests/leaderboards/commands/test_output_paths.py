"""``--out``: what cannot be written is refused before anything is played."""

import pytest


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("nowhere/x.png", "no folder nowhere"),
        (".", "it is a folder"),
        ("x.foo", "must end in .png"),
        ("/proc/x.png", "No such file or directory"),
    ],
)
def test_a_plot_that_cannot_be_written_is_refused_before_anything_is_played(call, out, reason):
    arguments = ["run", "ArmedBandit-v0", "--agent", "UCB1", "--horizon", "50", "--seeds", "3"]
    code, shown, err = call(*arguments, "--out", out)
    assert code == 2
    assert shown == ""
    assert f"--out {out} cannot be written" in err
    assert reason in err
