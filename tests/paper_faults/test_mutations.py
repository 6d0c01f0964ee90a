"""Deliberate faults change verdicts: seven of them are played here."""

import sys

import pytest

from banditgym.files.class_paths import ROOT
from leaderboards import papers
from tests.paper_faults import mutations
from tests.paper_faults.fault import Fault, faults
from tests.paper_faults.mutations import Bench, Outcome, faults_of

NAMED = [(paper, fault) for paper in papers.NAMES for fault in faults_of(paper)]
PLAYED = (  # seconds each
    ("kakade2008", "the label played is kept as the guess"),
    ("kakade2008", "P has gamma/k^2"),
    ("ouhamma2021", "forward predicts as ridge regression does"),
    ("ouhamma2021", "online regression has no ridge"),
    ("rakhlin2008", "online ridge regression with half of its ridge"),
    ("rakhlin2008", "the forward algorithm's prediction in place of ridge regression's"),
    ("russac2019", "noise is 5 % too loud"),
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("bench"))


def test_there_are_many_faults_each_with_its_own_name_and_claims():
    assert len(NAMED) >= 40
    assert len({(paper, fault.name) for paper, fault in NAMED}) == len(NAMED)
    for paper, fault in NAMED:
        known = {claim.id for claim in papers.load(paper).claims if claim.experiment is not None}
        assert fault.claims
        assert known.issuperset(fault.claims)


@pytest.mark.parametrize(("paper", "fault"), NAMED, ids=lambda part: getattr(part, "name", part))
def test_a_fault_is_a_change_of_the_present_source(paper, fault):
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.old) == 1
    changed = text.replace(fault.old, fault.new)
    assert changed != text
    compile(changed, fault.file, "exec")


@pytest.mark.nightly
@pytest.mark.parametrize(("paper", "name"), PLAYED)
def test_a_fault_changes_a_verdict(bench, paper, name):
    (fault,) = [fault for fault in faults_of(paper) if fault.name == name]
    outcome = bench.play(paper, fault)
    assert outcome.seen, outcome.words
    assert (bench.sources / fault.file).read_bytes() == (ROOT / fault.file).read_bytes()


def fault(**changes):
    given = {"name": "wrong", "file": "a.py", "old": "x = 1", "new": "x = 2", "claims": ("one",)}
    return Fault(**{**given, **changes})


def test_a_fault_that_is_not_in_the_source_is_an_error(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ny = 1\n")
    fault().apply(tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 2\ny = 1\n"
    with pytest.raises(ValueError, match=r"wrong: the old text occurs 0 times in a\.py"):
        fault().apply(tmp_path)
    with pytest.raises(ValueError, match="occurs 2 times"):
        fault(old=" = ").apply(tmp_path)


def test_faults_are_read_from_differences():
    text = """
        --- a.py
        too
        large [one, two]
        - x = 1
        -     y = -2
        + x = 2

        gone [two]
        -     y = 3
        -

        --- folder/b.py
        swapped [one]
        - x - y
        + y
        +     - x
    """
    assert [vars(one) for one in faults(text)] == [
        vars(fault(name="too large", claims=("one", "two"), old="x = 1\n    y = -2", new="x = 2")),
        vars(fault(name="gone", claims=("two",), old="    y = 3\n", new="")),
        vars(fault(name="swapped", file="folder/b.py", old="x - y", new="y\n    - x")),
    ]


def test_an_outcome_in_words():
    before = {"one": "reproduced", "two": "partly"}
    seen = Outcome(fault=fault(), before=before, after={**before, "two": "not reproduced"})
    assert (seen.seen, seen.words) == (True, "seen: two partly -> not reproduced")
    unseen = Outcome(fault=fault(), before=before, after=before)
    assert (unseen.seen, unseen.words) == (False, "NOT SEEN by one, two")
    failed = Outcome(fault=fault(), before=before, after={}, error="error: no")
    assert (failed.seen, failed.words) == (False, "no verdict: error: no")


@pytest.mark.parametrize("seen", [True, False])
def test_the_command_fails_if_a_fault_is_not_seen(monkeypatch, capsys, seen):
    paper, chosen = NAMED[0]
    after = {"one": "partly" if seen else "reproduced"}
    outcome = Outcome(fault=chosen, before={"one": "reproduced"}, after=after)

    class Told:
        def __init__(self, folder, full):
            pass

        def play(self, paper, fault):
            return outcome

    monkeypatch.setattr(mutations, "Bench", Told)
    monkeypatch.setattr(sys, "argv", ["mutations", paper, "--fault", chosen.name])
    assert mutations.main() == (0 if seen else 1)
    assert f"{paper}, {chosen.name}: {outcome.words}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["ouhama2021"], "did you mean ouhamma2021?"),
        (["--fault", "qqqq"], "no fault has 'qqqq' in its name"),
    ],
)
def test_a_wrong_choice_is_one_line(monkeypatch, capsys, given, message):
    monkeypatch.setattr(sys, "argv", ["mutations", *given])
    with pytest.raises(SystemExit):
        mutations.main()
    assert message in capsys.readouterr().err
