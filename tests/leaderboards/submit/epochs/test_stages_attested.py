"""Another machine plays an epoch's rows again and signs; the check sees who signed what."""

import json
import shutil
import subprocess

import pytest

from leaderboards.submit.epochs import stages as holding
from leaderboards.submit.epochs.auditing import attestations_of, faults, rows_of
from leaderboards.submit.epochs.epoch import load
from leaderboards.submit.published import pack, packed_rows

from ...small_files import REVEALS


# CI has it, where a skip is a failure; on other machines only those who sign need it.
@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_an_attestation_is_checked_with_the_epoch(held, tmp_path):
    key = tmp_path / "own"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    held.new()
    held.open()

    def attest():
        return holding.attest(held.path, key, "me@example.org", workers=1, today=REVEALS)

    with pytest.raises(ValueError, match="until then no seed is known"):
        attest()
    held.reveal()
    count, differ = attest()
    assert (count > 6, differ) == (True, [])
    (file,) = attestations_of(held.path)
    assert file.name == "first.me@example.org.attested"
    stated = json.loads(file.read_text())
    assert (stated["epoch"], stated["rows"]) == (load(held.path).hash, count)
    assert faults(held.path) == [
        f"{file.name}: there is no file allowed_signers that lists who may sign"
    ]
    allowed = file.with_name("allowed_signers")
    allowed.write_text(f"me@example.org {key.with_suffix('.pub').read_text()}")
    assert faults(held.path) == []

    text = file.read_text()
    file.write_text(text.replace('"rows": ', '"rows": 1'))
    (fault,) = faults(held.path)
    assert "ncorrect signature" in fault
    for contents, said in {
        text.replace(stated["rows_sha256"], "0" * 64): "it is not about the published rows",
        "[]": "it is no attestation",
        "{": "it is no attestation",
    }.items():
        file.write_text(contents)
        assert faults(held.path) == [f"{file.name}: {said}"]
    file.write_text(text)
    file.with_name(f"{file.name}.sig").unlink()
    assert faults(held.path) == [f"{file.name}: there is no signature {file.name}.sig"]
    file.unlink()

    path = rows_of(held.path)
    rows = packed_rows(path, {"suite": load(held.path).hash})
    next(row for row in rows if row.measures).measures["regret"][-1] += 1.0
    pack(path, rows)
    assert len(attest()[1]) == 1
    assert attestations_of(held.path) == []
