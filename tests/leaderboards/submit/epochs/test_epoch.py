"""The public file of an epoch, and the file of its secret."""

import json
import os
import stat

import pytest

from leaderboards.submit.epochs import epoch as module
from leaderboards.submit.epochs.epoch import load, new_secret, read_secret

from ...small_files import CLOSES, FIRST, REVEALS


def test_a_new_epoch_commits_to_a_secret(held):
    epoch = held.new()
    text = held.path.read_text()
    secret = read_secret(held.secret)
    assert secret.hex() not in text
    assert load(held.path) == epoch
    assert epoch.secret_sha256 == module.digest(secret)
    assert (epoch.committed, epoch.closes, epoch.reveals) == (FIRST, CLOSES, REVEALS)
    assert (epoch.maintainer, epoch.draws, epoch.replicates) == ("M. Aintainer", 2, 3)
    assert epoch.unlocked(held.secret) == secret
    with pytest.raises(ValueError, match="already exists: an epoch is never written twice"):
        held.new()


def test_the_hash_is_of_what_was_committed_to(held):
    epoch = held.new()
    revealed = epoch.model_copy(update={"secret": read_secret(held.secret).hex()})
    assert revealed.hash == epoch.hash
    for change in ({"draws": 3}, {"suite_hash": "0" * 16}, {"secret_sha256": "0" * 64}):
        assert epoch.model_copy(update=change).hash != epoch.hash


def test_a_secret_has_256_bits_and_one_reader(tmp_path):
    old = os.umask(0)
    try:
        secret = new_secret(tmp_path / "s")
    finally:
        os.umask(old)
    assert len(secret) == 32
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
    assert read_secret(tmp_path / "s") == secret
    assert new_secret(tmp_path / "t") != secret
    with pytest.raises(ValueError, match="cannot be written"):
        new_secret(tmp_path / "s")
    old = os.umask(0o777)  # its owner may read it even so
    try:
        new_secret(tmp_path / "u")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "u").stat().st_mode) == 0o600
    for mode in (0o640, 0o604, 0o660):
        (tmp_path / "s").chmod(mode)
        with pytest.raises(ValueError, match="can be read by others: chmod 600"):
            read_secret(tmp_path / "s")


@pytest.mark.parametrize("depth", ["", "a", "a/b"])
def test_no_secret_lies_in_a_repository(tmp_path, depth):
    (tmp_path / ".git").write_text("gitdir: elsewhere")  # a worktree's
    folder = tmp_path / depth
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.raises(ValueError, match="a secret is never committed"):
        new_secret(folder / "x.secret")
    assert not (folder / "x.secret").exists()


def test_a_wrong_secret_is_told_without_either(held, tmp_path):
    epoch = held.new()
    other = new_secret(tmp_path / "other")
    with pytest.raises(ValueError, match="does not hold the secret of epoch first") as caught:
        epoch.unlocked(tmp_path / "other")
    assert other.hex() not in str(caught.value)
    (tmp_path / "text").write_text("not a secret")
    (tmp_path / "text").chmod(0o600)
    with pytest.raises(ValueError, match="holds no secret"):
        epoch.unlocked(tmp_path / "text")
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        epoch.unlocked(tmp_path / "missing")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"closes": "2031-01-01"}, "committed to, then closes, and then is revealed"),
        ({"secret": "0" * 64}, "not the one that it committed to"),
        ({"secret": "x"}, "secret: "),
        ({"draws": 0}, "draws: "),
        ({"draws": True}, "draws: "),
        ({"id": "../up"}, "id: "),
        ({"maintainer": "a\x1b[2J"}, "without control characters"),
        ({"more": 1}, "more: "),
        ({"version": 2}, "version: "),
        ({"version": True}, "version: "),
        ({"version": 1.0}, "version: "),
    ],
)
def test_a_file_that_breaks_a_rule_is_one_line(held, change, said):
    held.new()
    data = json.loads(held.path.read_text()) | change
    held.path.write_text(json.dumps(data))
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is looked at below)
        load(held.path)
    assert str(caught.value).startswith("first.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_epoch_that_does_not_exist_is_told():
    with pytest.raises(ValueError, match="there is no epoch 'nonsense'; there are "):
        load("nonsense")


def test_dates_out_of_order_leave_nothing_behind(held):
    with pytest.raises(ValueError, match="committed to, then closes"):
        held.new(closes=REVEALS, reveals=CLOSES)
    assert not held.secret.exists()
    assert not held.path.exists()
