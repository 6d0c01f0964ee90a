"""What a referee opens: the files that an agent's rounds reach, and no more."""

import sys

import pytest

from tools import audit


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("UCB1", {"armed/ucb1.py", "parts/pulled_arms.py"}),
        # A kernel that a kernel calls, the bodies of its rule, and the part that its base class is.
        (
            "EpsilonGreedyLogistic",
            {
                "multiclass/epsilon_greedy_logistic.py", "parts/one_label.py",
                "parts/exploring_label.py", "numerics/label_scores.py",
                "parts/logistic/shared_regression.py",
            },
        ),
    ],
)  # fmt: skip
def test_the_files_that_rounds_reach(name, files):
    lines = audit.opened(name)
    assert set(lines) == files
    for file, count in lines.items():
        assert count == len((audit.ROOT / "agents" / file).read_text().splitlines())
    assert sys.getprofile() is None


@pytest.mark.parametrize("name", ["DelayedLinUCB", "Pending", "Restarting"])
def test_agents_of_late_rewards_and_agents_around_another_have_their_files(name):
    assert any(f"/{name.lower()}.py" in file.replace("_", "") for file in audit.opened(name))


def test_blocks_fixed_arms_and_checks_do_not_count():
    lines = audit.opened("LinUCB")
    for reached in ("numerics/ridge/factor.py", "parts/estimators/ridge.py", "linear/linucb.py"):
        assert reached in lines
    assert {"linear/greedy.py", *lines} == set(audit.opened("Greedy"))  # it is made of LinUCB
    for other in ("optimistic_rules", "fixed_arms", "conf", "agent.py", "learning_inputs"):
        assert not [file for file in lines if other in file]


def test_prints_a_line_for_each_agent_and_with_files_for_each_file(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["audit", "UCB1", "Halving", "--files"])
    audit.main()
    told = capsys.readouterr().out.splitlines()
    total = sum(audit.opened("UCB1").values())
    beside = (audit.ROOT / "tests/agents/definitions/armed/ucb1.py").read_text().splitlines()
    words = ["UCB1", "2", "files", str(total), "lines,", "definition", str(len(beside))]
    assert told[0].split() == words
    assert [line.split()[0] for line in told if not line.startswith(" ")] == ["UCB1", "Halving"]
    assert told[1].split()[0] == "armed/ucb1.py"
