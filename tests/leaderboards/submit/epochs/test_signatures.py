"""Signatures hold for one message, one signer and one purpose."""

import shutil
import subprocess

import pytest

from leaderboards.submit.epochs import signatures


@pytest.fixture
def key(tmp_path):
    """A new key, and a file that allows it to ``me``."""
    if shutil.which("ssh-keygen") is None:  # CI has it, where a skip is a failure
        pytest.skip("needs ssh-keygen")
    path = tmp_path / "own"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    public = path.with_suffix(".pub").read_text()
    (tmp_path / "allowed").write_text(f"me {public}other {public}")
    return path


def test_a_signature_is_that_of_the_message_by_the_signer(key, tmp_path):
    allowed, signed = tmp_path / "allowed", signatures.signature(b"text", key)
    assert signatures.fault(b"text", signed, "me", allowed) is None
    assert "incorrect" in str(signatures.fault(b"texts", signed, "me", allowed)).lower()
    assert signatures.fault(b"text", signed, "nobody", allowed) is not None
    assert signatures.fault(b"text", b"no signature", "me", allowed) is not None
    assert "lists who may sign" in str(signatures.fault(b"text", signed, "me", tmp_path / "none"))


def test_a_signature_for_another_purpose_does_not_count(key, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(signatures, "NAMESPACE", "file")
        signed = signatures.signature(b"text", key)
    assert signatures.fault(b"text", signed, "me", tmp_path / "allowed") is not None


@pytest.mark.parametrize("signer", ["", "../me", "a b", "-I"])
def test_a_signer_is_a_plain_name(key, signer):
    signatures.check(key, "me@example.org")
    with pytest.raises(ValueError, match="a signer is a name of letters"):
        signatures.check(key, signer)


def test_what_is_missing_is_an_error_of_one_line(key, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="there is no key .*: make one with ssh-keygen"):
        signatures.check(tmp_path / "none", "me")
    (tmp_path / "text").write_text("no key")
    with pytest.raises(ValueError, match=r"^ssh-keygen cannot sign with .*$"):
        signatures.signature(b"text", tmp_path / "text")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="signatures need ssh-keygen: apt install openssh-client"):
        signatures.check(key, "me")
