"""Reports of a run: differences, exceptions, pages; only a group or two is played."""

import json
from pathlib import Path

import pytest

from tools.portability import compare, portability_page
from tools.portability.dispatch import PLAIN, Setting
from tools.portability.setting_runs import PlayedSetting

MACHINE = {
    "python": "3.11.0", "numpy": "2.0.0", "scipy": "1.13.0", "numba": "0.61.0",
    "libc": "glibc-2.36", "cpu": "A CPU", "machine": "x86_64", "features": ["avx"],
    "numpy_dispatch": [],
}  # fmt: skip
NUMPY = Setting("numpy-baseline", "NumPy plain", "numpy", {"NPY_DISABLE_CPU_FEATURES": "X"})


@pytest.fixture
def plain(monkeypatch):
    hashes = {"env/a": "1", "play/b/C": "2", "state/b/C": "3"}
    monkeypatch.setattr(compare, "known", lambda: hashes)
    return PlayedSetting(PLAIN, MACHINE, {"numpy": "x"}, hashes, seconds=2.0)


def other(plain, **changed):
    hashes = plain.hashes | {name.replace("_", "/"): value for name, value in changed.items()}
    return PlayedSetting(NUMPY, MACHINE, {"numpy": "y"}, hashes, seconds=3.0)


def test_equal_hashes_agree(plain):
    records = [compare.record(plain, plain), compare.record(other(plain), plain)]
    assert [r["binds"] for r in records] == [None, True]
    assert [(r["compared"], r["differ"]) for r in records] == [(3, [])] * 2
    assert portability_page.agrees(records)
    assert portability_page.line(records[0]) == "plain: 3 of 3 as the frozen hashes (2 s)"
    assert portability_page.line(records[1]) == "numpy-baseline: 3 of 3 as the plain run (3 s)"


def test_a_difference_is_named(plain):
    differing = other(plain, env_a="9", play_b_C="8")
    row = compare.record(differing, plain)
    assert row["differ"] == ["env/a", "play/b/C"]
    assert not portability_page.agrees([row])
    assert "1 of 3 as the plain run; env/a, play/b/C (3 s)" in portability_page.line(row)


def test_the_plain_run_is_held_against_the_frozen_hashes(plain):
    moved = PlayedSetting(PLAIN, MACHINE, {}, plain.hashes | {"env/a": "7", "env/new": "5"})
    row = compare.record(moved, moved)
    assert (row["played"], row["compared"], row["differ"]) == (4, 3, ["env/a"])
    # A setting is held against the plain run: what moved did so under both.
    same = PlayedSetting(NUMPY, MACHINE, {}, dict(moved.hashes))
    assert compare.record(same, moved)["differ"] == []


def test_what_failed_or_changed_nothing_is_told(plain):
    same = PlayedSetting(NUMPY, MACHINE, {"numpy": "x"}, dict(plain.hashes))
    assert "the setting changes nothing here" in portability_page.line(compare.record(same, plain))
    failed = PlayedSetting(NUMPY, error="pip found nothing")
    rows = [compare.record(failed, plain)]
    assert portability_page.line(rows[0]) == "numpy-baseline: pip found nothing"
    assert not portability_page.agrees(rows)
    untried = PlayedSetting(NUMPY, error="not tried: this CPU has no avx512f")
    assert portability_page.agrees([compare.record(untried, plain)])
    partly = PlayedSetting(
        NUMPY, MACHINE, {"numpy": "y"}, {"env/a": "1"}, {"play/b": "ValueError: no"}
    )
    row = compare.record(partly, plain)
    assert (row["compared"], row["errors"]) == (1, {"play/b": "ValueError: no"})
    assert not portability_page.agrees([row])
    assert "play/b (ValueError: no)" in portability_page.line(row)


def test_the_page_is_drawn_from_the_data_alone(plain):
    records = [
        compare.record(plain, plain),
        compare.record(other(plain, env_a="9", state_b_C="4"), plain),
        compare.record(PlayedSetting(Setting("x", "XX", "none"), error="not tried: no XX"), plain),
    ]
    kept = portability_page.report(records)
    found = portability_page.files(json.loads(json.dumps(kept)))
    assert json.loads(found["portability.json"]) == kept
    page = found["portability.md"]
    assert "3 entries are compared" in page
    assert "on A CPU, glibc-2.36, Python 3.11.0, NumPy 2.0.0" in page
    assert "| `plain` | this machine as it is |  | 3 of 3 | 0 |" in page
    assert "| `numpy-baseline` | NumPy plain | yes | 1 of 3 | 2 |" in page
    assert "| `x` | XX | – | not tried | 0 |" in page
    assert "- `env/a`\n- `state/b/C`\n" in page


def test_a_plain_run_that_did_not_begin_has_a_page_that_says_so(monkeypatch):
    failed = PlayedSetting(PLAIN, error="ModuleNotFoundError: No module named 'numba'")
    monkeypatch.setattr(compare, "play", lambda *arguments, **how: failed)
    records = [compare.record(one, failed) for one in compare.run(groups=[], folder=Path())]
    assert len(records) == 1
    assert not portability_page.agrees(records)
    page = portability_page.files(portability_page.report(records))["portability.md"]
    assert "the plain run did not begin" in page
    assert "- ModuleNotFoundError: No module named 'numba'" in page


def test_the_page_of_an_arm_machine_does_not_say_that_none_was_tried(plain):
    for machine, told in (("x86_64", True), ("aarch64", False)):
        plain.machine = {**MACHINE, "machine": machine}
        kept = portability_page.report([compare.record(plain, plain)])
        assert ("equal under emulation" in portability_page.page(kept)) == told


def test_what_is_published_is_drawn_from_its_data():
    folder = Path(compare.__file__).parents[2] / "leaderboards/results"
    kept = json.loads((folder / "portability.json").read_text(encoding="utf-8"))
    assert (folder / "portability.md").read_text(encoding="utf-8") == portability_page.page(kept)
    assert portability_page.agrees(kept["settings"])
