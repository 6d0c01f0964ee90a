"""A submission's code: its description of itself, and errors when it runs."""

import os

import pytest

from leaderboards.submit import asking, playing
from leaderboards.submit.catalogue import opened
from leaderboards.submit.problems import SubmissionError
from leaderboards.suites.suite import load

from ..small_files import replaced


@pytest.fixture
def ask(mine, root, small):
    """Ask the submission what it plays."""

    def ask(isolation="none"):
        submission = opened(mine, root)
        with playing.staged(submission) as folder:
            return asking.described(submission, folder, load(small).tasks, isolation)

    return ask


@pytest.fixture
def check(mine, root):
    """Check the submission's contract."""

    def check(isolation="none"):
        submission = opened(mine, root)
        with playing.staged(submission) as folder:
            asking.check(submission, folder, isolation)

    return check


BOTH = pytest.mark.parametrize("isolation", ["none", "process"])


@BOTH
def test_a_description(ask, isolation):
    assert ask(isolation) == asking.Description(plays=("one",))


@BOTH
def test_refusals_come_with_their_reasons(ask, mine, isolation):
    refusal = "    def refusal(self, task):\n        return 'it is: not\\ntoday'\n\n"
    replaced(mine, "    def _start", f"{refusal}    def _start", "agent.py")
    assert ask(isolation) == asking.Description(refusals={"one": "it is: not today"})


def test_staged_files_are_gone_afterwards(mine, root):
    submission = opened(mine, root)
    with playing.staged(submission) as folder:
        assert sorted(os.listdir(folder)) == ["agent.py", "submission.toml"]
    assert not folder.exists()
    assert not folder.parent.exists()


@BOTH
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "submission.toml",
            "first = 0",
            "frist = 0\nstpe = 2",
            "no hyperparameter 'frist'; did you mean first?, and none 'stpe'; did you mean step?",
        ),
        ("agent.py", "import agents\n", "import agents\nimport torhc\n", "No module named 'torhc'"),
        ("agent.py", "import agents\n", "import agents\n1 / 0\n", "ZeroDivisionError"),
        ("agent.py", "class Turns(agents.Agent)", "class Turns", "it must be a dataclass that"),
        (
            "agent.py",
            "    first: int = 0",
            "    full_information: ClassVar = True\n    first: int = 0",
            "it has full information",
        ),
    ],
)
def test_what_goes_wrong_is_one_line_with_a_remedy(ask, mine, isolation, file, old, new, said):
    replaced(mine, old, new, file)
    with pytest.raises(SubmissionError) as caught:
        ask(isolation)
    (problem,) = caught.value.problems
    assert said in str(problem)
    assert str(problem).startswith("agent.py: ")
    assert problem.remedy
    assert "\n" not in str(problem)
    assert "Questioned" not in str(problem)
    assert "/tmp/" not in str(problem)


@BOTH
def test_facts_are_those_that_the_agent_takes(ask, mine, isolation):
    replaced(mine, "facts = []", 'facts = ["noise_std"]')
    with pytest.raises(SubmissionError) as caught:
        ask(isolation)
    assert str(caught.value) == (
        "submission.toml, facts: the agent takes nothing from the task, not noise_std; "
        "write facts = []"
    )


@BOTH
def test_an_agent_that_breaks_its_contract_is_told_how(check, mine, isolation):
    check(isolation)
    replaced(
        mine, "_start(self):\n        pass", "_start(self):\n        self.seen = 0", "agent.py"
    )
    replaced(mine, "observed):\n        pass", "observed):\n        self.seen += 1", "agent.py")
    with pytest.raises(SubmissionError, match=r"agent.py: Turns on .* changes its state") as caught:
        check(isolation)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [("os._exit(3)", "3"), ("raise SystemExit", ""), ("os.kill(os.getpid(), 9)", "SIGKILL")],
)
def test_an_agent_whose_process_ends_is_told(ask, mine, line, said):
    replaced(mine, "import agents\n", f"import agents, os\n{line}\n", "agent.py")
    with pytest.raises(SubmissionError, match=f"agent.py: .*{said}"):
        ask("process")


def test_its_process_sees_nothing_of_the_judge(ask, mine, monkeypatch):
    monkeypatch.setenv("BANDITGYM_DECOY", "secret")
    replaced(mine, "import agents\n", "import agents, os\nraise ValueError(sorted(os.environ))\n",
             "agent.py")  # fmt: skip
    with pytest.raises(SubmissionError) as caught:
        ask("process")
    assert "BANDITGYM_DECOY" not in str(caught.value)
    assert "does not run" in str(caught.value)


def test_what_an_agent_prints_is_not_the_answer(ask, mine, capfd):
    replaced(mine, "import agents\n", "import agents, os\nos.write(1, b'rank 1')\n", "agent.py")
    assert ask("process").plays == ("one",)
    assert "rank 1" not in capfd.readouterr().out
