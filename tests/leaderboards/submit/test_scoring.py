"""Self-run scores: rows, resuming, packing, and replays. 20 seconds."""

import gzip
import hashlib
import json
import math
import shutil
from dataclasses import replace
from datetime import date

import pytest

import leaderboards.submit.catalogue as catalogue
from leaderboards.processes.workers import Here
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.run.store.row_schema import as_line
from leaderboards.run.store.store import Store
from leaderboards.submit import asking, playing, published, replaying, scoring, submission_tables
from leaderboards.submit.catalogue import opened
from leaderboards.submit.problems import SubmissionError
from leaderboards.suites.suite import load

from ..small_files import replaced

DAY = date(2030, 1, 1)


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Cells are played in this process, which starts no other one: the agents are this file's."""
    monkeypatch.setattr(playing, "Processes", lambda workers: Here())


@pytest.fixture
def run(mine, root, small):
    """Score the submission; the rows."""

    def run():
        return scoring.self_run(
            opened(mine, root), load(small), confinement=HERE, workers=1, today=DAY
        )

    return run


def test_rows_say_what_was_played_and_where(mine, root, small, run):
    rows = run()
    submission = opened(mine, root)
    assert [(row.task, row.seed) for row in sorted(rows, key=lambda r: r.seed)] == [
        ("one", 0), ("one", 1), ("one", 2),
    ]  # fmt: skip
    for row in rows:
        assert row.error is None
        assert (row.agent, row.spec, row.isolation) == ("turns", submission.spec, "none")
        assert (row.paper, row.facts, row.full_information) == ("nobody 2030", [], False)
        assert row.sources == submission.sources
        assert "/tmp" not in as_line(row).decode()
    assert published.published_rows(submission, load(small)) == sorted(rows, key=lambda r: r.seed)
    (entry,) = submission.ledger.entries()
    assert (entry["event"], entry["rows"], entry["failed"]) == ("self-run", 3, 0)
    assert entry["date"] == "2030-01-01"
    assert [path.name for path in submission.results.iterdir()] == ["1.0.0.small.jsonl.gz"]


def test_the_same_play_in_the_judge_gives_the_same_bits(mine, run):
    import gymnasium

    import agents
    import banditgym  # noqa: F401

    rows = sorted(run(), key=lambda row: row.seed)
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, horizon=60, means=[0.2, 0.9])
    trace = agents.play(env, agents.resolve(f"{mine / 'agent.py'}:Turns"), seed=0)
    assert [row.measures["regret"] for row in rows] == trace.regret.tolist()


def test_a_run_goes_on_where_it_was(mine, root, small, run, monkeypatch):
    rows = run()
    path = published.rows_file(opened(mine, root), "small")
    path.unlink()
    with Store(path.parent) as store:
        store.append(rows[:1])
    played = []
    original = playing.rows

    def watched(submission, folder, suite, wanted, *args, **kwargs):
        played.append(dict(wanted))
        return original(submission, folder, suite, wanted, *args, **kwargs)

    monkeypatch.setattr(playing, "rows", watched)
    again = run()
    assert played == [{"one": [seed for seed in range(3) if seed != rows[0].seed]}]
    strip = [replace(row, seconds=None) for row in sorted(again, key=lambda r: r.seed)]
    assert strip == [replace(row, seconds=None) for row in sorted(rows, key=lambda r: r.seed)]
    assert run() == again  # nothing is left to play
    assert played[-1] == {"one": []}


def test_an_audit_has_rows_and_a_file_of_its_own(mine, root, small, run, monkeypatch):
    """The rows in lockstep stay, and neither are taken for the other."""
    submission, suite = opened(mine, root), load(small)
    original = playing.played

    def here(game):
        return original(replace(game, confinement=HERE))

    asked = asking.described
    monkeypatch.setattr(playing, "played", here)
    monkeypatch.setattr(asking, "described", lambda *given: asked(*given[:3], "none"))
    rows = {}
    for audit in (False, True):
        confinement = Confinement(isolation="process", audit=audit, bound=("memory",))
        rows[audit] = scoring.self_run(
            submission, suite, confinement=confinement, workers=1, today=DAY
        )
        assert {(row.isolation, row.audit, *row.bound) for row in rows[audit]} == {
            ("process", audit, "memory")
        }
        assert len(rows[audit]) == 3
        assert sorted(rows[audit], key=lambda r: r.seed) == published.published_rows(
            submission, suite, audit=audit
        )
    assert published.rows_file(submission, "small", audit=True).name == "1.0.0.small.audit.jsonl.gz"
    events = [(e["isolation"], e["audit"], e["rows"]) for e in submission.ledger.entries()]
    assert events == [("process", False, 3), ("process", True, 3)]
    scored = submission_tables.scored(submission, suite, rows[True], "2030-01-01")
    assert scored.isolations == ("process, audit",)


def test_rows_of_another_isolation_are_played_again(mine, root, small, run):
    rows = run()
    submission = opened(mine, root)
    published.pack(
        published.rows_file(submission, "small"),
        [replace(row, isolation="process") for row in rows],
    )
    assert {row.isolation for row in run()} == {"none"}


def test_rows_of_other_sources_are_played_again(mine, root, small, run):
    """A file of ours that it uses may have changed, with its numbers."""
    rows = run()
    submission = opened(mine, root)
    others = [replace(row, sources="0" * 16, bytes=12345) for row in rows]
    published.pack(published.rows_file(submission, "small"), others)
    again = run()
    assert {row.sources for row in again} == {submission.sources}
    assert 12345 not in {row.bytes for row in again}


def test_a_damaged_file_of_published_rows_is_not_written_over(mine, root, small, run):
    run()
    path = published.rows_file(opened(mine, root), "small")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SubmissionError, match="cut or damaged"):
        run()


def test_a_measure_that_is_not_finite_is_an_error(mine, root, small, run, monkeypatch):
    found = {"rounds": [60], "measures": {"regret": [[math.nan]] * 3}, "seconds": [0.0, 0.0]}
    monkeypatch.setattr(playing, "outcome", lambda *a, **k: found | {"bytes": 8})
    assert {row.error for row in run()} == {"the measure 'regret' is not finite"}


def test_a_row_of_no_task_was_not_played(mine, root, small, run):
    rows = run()
    submission, suite = opened(mine, root), load(small)
    gone = replace(rows[0], task="gone")
    (found,) = replaying.replay(submission, suite, [*rows, gone], confinement=HERE, workers=1)
    assert found == f"{gone.agent} on gone, seed {gone.seed}: it was not played"


def test_a_refusal_is_a_row(mine, root, small, run):
    refusal = "    def refusal(self, task):\n        return 'not today'\n\n"
    replaced(mine, "    def _start", f"{refusal}    def _start", "agent.py")
    with pytest.raises(SubmissionError, match="it plays no task of small"):
        run()
    replaced(mine, "'not today'", "'odd' if task.n_arms == 2 else None", "agent.py")
    text = small.read_text() + '\n[[task]]\nname = "three"\nenv = "ArmedBandit-v0"\nhorizon = 9\n'
    small.write_text(text + "settings = { n_arms = 3 }\n")
    rows = run()
    assert [(r.task, r.error) for r in rows if r.refused] == [("one", "odd")]
    assert {r.task for r in rows if not r.refused} == {"three"}


def test_an_error_is_a_row_without_folders(mine, run):
    replaced(mine, "% self.task.n_arms", "% self.nothing", "agent.py")
    rows = run()
    assert {row.task for row in rows} == {"one"}
    for row in rows:
        assert "has no attribute 'nothing'" in row.error
        assert "/tmp" not in row.error


@pytest.mark.parametrize("change", ["measures", "seed", "rounds"])
def test_replay_compares_every_bit(mine, root, small, run, change):
    rows = run()
    submission, suite = opened(mine, root), load(small)
    assert replaying.replay(submission, suite, rows, confinement=HERE, workers=1) == []
    first = rows[0]
    if change == "measures":
        curve = [*first.measures["regret"][:-1], first.measures["regret"][-1] + 1e-12]
        first = replace(first, measures=first.measures | {"regret": curve})
    elif change == "seed":
        first = replace(first, measures=rows[1].measures)
    else:
        first = replace(first, rounds=[*first.rounds[:-1], 61])
    (difference,) = replaying.replay(
        submission, suite, [first, *rows[1:]], confinement=HERE, workers=1
    )
    assert difference.startswith(f"{first.agent} on one, seed {rows[0].seed}: ")


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"no gzip", "cut or damaged"),
        (gzip.compress(b"{}\n"), "a line that is not a result"),
        (gzip.compress(b"x" * 1000)[:-10], "cut or damaged"),
        (gzip.compress(b'{"schema": 99}\n'), "a later version of banditgym"),
    ],
    ids=["no gzip", "no row", "cut", "later"],  # the packed bytes hold the time
)
def test_published_rows_are_not_believed(mine, root, small, contents, said):
    submission = opened(mine, root)
    path = published.rows_file(submission, "small")
    path.parent.mkdir()
    path.write_bytes(contents)
    with pytest.raises(SubmissionError, match=said):
        published.published_rows(submission, load(small))


def test_rows_of_somebody_else_are_told(mine, root, small, run):
    rows = run()
    submission = opened(mine, root)
    forged = [replace(rows[0], spec="LinUCB")]
    published.pack(published.rows_file(submission, "small"), forged)
    with pytest.raises(SubmissionError, match="a row whose spec is not turns==1.0.0@"):
        published.published_rows(submission, load(small))


def test_a_link_in_the_place_of_rows_is_not_followed(mine, root, small, tmp_path):
    submission = opened(mine, root)
    path = published.rows_file(submission, "small")
    path.parent.mkdir()
    (tmp_path / "secret").write_bytes(gzip.compress(b"secret"))
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(SubmissionError, match="cannot be read: Too many levels of symbolic links"):
        published.published_rows(submission, load(small))
    shutil.move(path.parent, tmp_path / "elsewhere")
    path.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SubmissionError, match="its folder is a symbolic link"):
        published.published_rows(submission, load(small))


def test_a_packed_file_that_unpacks_to_too_much_is_refused(mine, root, small, monkeypatch):
    monkeypatch.setattr(published, "LARGEST", 1000)
    submission = opened(mine, root)
    path = published.rows_file(submission, "small")
    path.parent.mkdir()
    path.write_bytes(gzip.compress(bytes(10**6)))
    with pytest.raises(SubmissionError, match="it holds more than"):
        published.published_rows(submission, load(small))


@pytest.mark.parametrize("name", ["imed", "ridge-falcon"])
def test_published_rows_of_the_repository_play_again_to_the_bit(name):
    """The first seed of each task. Bits of BLAS, which ridge-falcon calls, are this machine's."""
    submission, suite = opened(catalogue.ROOT / name), load("core-v2")
    rows = [row for row in published.published_rows(submission, suite) if row.seed == 0]
    assert len(rows) >= 2
    differences = replaying.replay(submission, suite, rows, confinement=HERE, workers=1)
    if name == "imed":
        assert differences == []
    else:
        for difference in differences:
            assert ": r" in difference  # a measure, never an error


def test_published_ledgers_name_their_rows():
    for submission in catalogue.published():
        entries = submission.ledger.entries()
        assert entries
        packed = published.rows_file(submission, entries[-1]["suite"])
        lines = gzip.decompress(packed.read_bytes())
        assert hashlib.sha256(lines).hexdigest() == entries[-1]["rows_sha256"]
        assert json.loads(lines.splitlines()[0])["spec"] == submission.spec
