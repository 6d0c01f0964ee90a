"""The command: its outputs, and one line for every usage error. 20 seconds."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import leaderboards
from leaderboards import publish
from leaderboards.cli import main
from leaderboards.commands import options
from leaderboards.processes.workers import Here
from leaderboards.run import runner
from leaderboards.store import DEFAULT_FOLDER, Store
from leaderboards.suite import available, load

TOYS = f"{Path(__file__).parent / 'toys.py'}:"
SUITE = """
title = "small"
seeds = 4

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""
LINEAR = """
[[task]]
name = "other"
env = "LinearBandit-v0"
horizon = 60
settings = { dim = 3 }
"""


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run the command in this process: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SUITE)
    monkeypatch.setenv("COLUMNS", "150")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["banditgym", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lits"], "No such command 'lits'"),
        (["list", "agnets"], "cannot list 'agnets'; did you mean agents?"),
        (["list", "agents", "liner"], "did you mean linear?"),
        (["show"], "Missing argument"),
        (["show", "LinUBC"], "nothing is called 'LinUBC'; did you mean LinUCB?"),
        (["run", "SynSep-v0", "--agent", "Halving"], "Halving(hypotheses=..), in quotes"),
        (["list"], "name what to list, one of envs, agents, suites, papers"),
        (["leaderboard", "run", "armed-v1", "--agent", "LinUCB"], "no agent named with --agent"),
        (["run", "LinBandit-v0", "--agent", "LinUCB"], "did you mean LinearBandit-v0?"),
        (["run", "xyz", "--agent", "LinUCB"], "there are ArmedBandit-v0, LinearBandit-v0"),
        (["run", "LinearBandit-v0"], "name at least one agent"),
        (["run", "LinearBandit-v0", "--agent", "LinUBC"], "did you mean LinUCB?"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB(alpha=-1)"], "got -1"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB(alfa=1)"], "did you mean alpha?"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB", "--set", "dim"], "name=value, got 'dim'"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB", "--set", "dmi=3"], "'dmi'"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB", "--set", "dim=0"], "got 0"),
        (["run", "LinearBandit-v0", "--agent", "LinUCB", "--horizon", "x"], "--horizon"),
        (
            ["run", "LinearBandit-v0", "--agent", "LinUCB", "--set", "horizon=3", "--horizon", "4"],
            "horizon is not a setting: use --horizon",
        ),
        (
            ["run", "LinearBandit-v0", "--agent", "LinUCB", "--set", "dim=3", "--set", "dim=4"],
            "dim is given twice: 3 and 4",
        ),
        (["leaderboard", "run", "linear-v2"], "did you mean linear-v1?"),
        (["leaderboard", "run", "small.toml", "--agent", "UBC1"], "did you mean UCB1?"),
        (["leaderboard", "run", "small.toml", "--seeds", "5"], "got 5"),
        (["leaderboard", "run", "small.toml", "--limit", "0"], "limit"),
        (["leaderboard", "run", "small.toml", "--workers", "0"], "workers"),
        (["leaderboard", "run", "small.toml", "--store", "small.toml"], "cannot be written"),
        (["leaderboard", "run", "small.toml", "--in-process", "--workers", "2"], "drop --workers"),
        (["leaderboard", "run", "--stroe", "x"], "--stroe"),
        (["leaderboard", "show", "small.toml"], "holds no results of small"),
        (
            ["leaderboard", "report", "small.toml", "--out", "small.toml"],
            "--out small.toml is a file",
        ),
        (["leaderboard", "report", "small.toml"], "holds no results of small"),
        (["leaderboard", "baselines", "smal.toml"], "smal.toml cannot be read"),
        (["leaderboard", "baselines"], "Missing argument"),
        (["speed", "nonsense"], "nonsense"),
        (["reproduce", "ouhama2021"], "did you mean ouhamma2021?"),
        (["reproduce", "nonsense"], "there are calandriello2019, kakade2008"),
        (
            ["reproduce", "ouhamma2021", "--claim", "figure-3-ordre"],
            "did you mean figure-3-order?",
        ),
        (["reproduce", "--claim", "qqqq"], "no paper has a claim 'qqqq'; there are"),
        (["reproduce", "--out", "small.toml"], "--out small.toml is a file"),
        (["reproduce", "--out", "small.toml/in"], "--out small.toml/in cannot be made: Not a dir"),
        (["portability", "--out", "small.toml/in"], "--out small.toml/in cannot be made: Not a"),
        (["leaderboard", "baselines", "core-v2", "--workers", "0"], "workers must be >= 1, got 0"),
        (["reproduce", "--ful"], "--ful"),
    ],
)
def test_an_error_of_use_is_one_line_and_exit_2(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err


def test_run_then_show_then_report(call, tmp_path):
    agents = ["--agent", "UCB1", "--agent", "UniformRandom", "--agent", "LinUCB"]
    agents += ["--agent", TOYS + "Raises", "--agent", TOYS + "Slow(seconds=0.0)"]
    code, ran, err = call("leaderboard", "run", "small.toml", "--in-process", *agents)
    assert code == 0
    assert "--limit is off" in err
    for word in ("UCB1", "UniformRandom", "LinUCB", "Raises", "no idea"):
        assert word in ran
    assert len(Store("banditgym-results").rows()) == 4 * 4 + 1  # UniformRandom is the baseline

    code, shown, _ = call("leaderboard", "show", "small.toml")
    assert (code, shown) == (0, ran.replace("noise on stdout\n", ""))
    code, out, _ = call("leaderboard", "show", "small.toml", "--json")
    assert code == 0
    assert "UCB1" in json.dumps(json.loads(out))

    code, out, _ = call("leaderboard", "report", "small.toml", "--out", "deep/report")
    assert code == 0
    names = {"leaderboard.md", "leaderboard.csv", "leaderboard.json", "curves.png", "index.html"}
    assert {path.name for path in (tmp_path / "deep/report").iterdir()} == names
    assert all((tmp_path / "deep/report" / name).stat().st_size > 100 for name in names)


def test_a_suite_of_two_families_has_two_rankings(call, tmp_path):
    (tmp_path / "two.toml").write_text(SUITE + LINEAR)
    agents = ["--agent", "UCB1", "--agent", "LinUCB"]
    code, ran, _ = call("leaderboard", "run", "two.toml", "--in-process", *agents)
    assert code == 0
    _, armed, linear = re.split("armed: one\n|linear: other\n", ran)
    assert "UCB1" in armed
    assert "LinUCB" not in armed
    assert "LinUCB" in linear
    assert "UCB1" not in linear
    assert "cannot play" not in ran  # nor is it said who plays other families alone
    code, out, _ = call("leaderboard", "report", "two.toml", "--out", "report")
    assert code == 0
    figures = {"curves-armed.png", "curves-linear.png"}
    names = {"leaderboard.md", "leaderboard.csv", "leaderboard.json", "index.html"} | figures
    assert {path.name for path in (tmp_path / "report").iterdir()} == names
    assert all(name in out for name in names)


def test_failures_that_are_final_are_told(call):
    for _ in range(2):
        call("leaderboard", "run", "small.toml", "--in-process", "--agent", TOYS + "Raises")
    code, _, err = call(
        "leaderboard", "run", "small.toml", "--in-process", "--agent", TOYS + "Raises"
    )
    assert code == 0
    assert "4 results of banditgym-results are failures that were tried twice" in err


def test_rows_of_earlier_sources_are_shown_with_a_warning(call, monkeypatch):
    from leaderboards.run import sources

    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1", "--seeds", "2")
    code, shown, err = call("leaderboard", "show", "small.toml")
    assert (code, err) == (0, "")
    monkeypatch.setattr(sources, "of_agent", lambda spec: "0" * 16)
    code, out, err = call("leaderboard", "show", "small.toml")
    assert (code, out) == (0, shown)
    said = "warning: played with earlier sources, run them again: "
    assert err.removeprefix(said).strip().split(", ") == ["UniformRandom", "UCB1"]
    assert err.startswith(said)


@pytest.mark.filterwarnings("default")
def test_a_foreign_line_is_a_warning_of_one_line(call, tmp_path):
    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1", "--seeds", "2")
    (tmp_path / "banditgym-results" / "0.jsonl").write_text("hello\n")
    code, out, err = call("leaderboard", "show", "small.toml")
    assert code == 0
    assert "UCB1" in out
    assert (
        err == "warning: skipped 1 line(s) of banditgym-results that are not results: 0.jsonl:1\n"
    )


@pytest.mark.parametrize("command", ["run", "show", "report", "baselines"])
def test_a_suite_with_code_asks_for_trust_on_every_command(call, command, tmp_path):
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (tmp_path / "mine.py").write_text(source + "open(__file__ + '.ran', 'w').close()\n")
    (tmp_path / "small.toml").write_text(SUITE.replace("ArmedBandit-v0", "mine.py:Mine"))
    code, out, err = call("leaderboard", command, "small.toml")
    assert (code, out) == (2, "")
    assert "mine.py:Mine is code that is not banditgym's: read it, then run it with --trust" in err
    assert not (tmp_path / "mine.py.ran").exists()
    if command in ("show", "report"):
        run = ["run", "small.toml", "--trust", "--in-process", "--agent", "UCB1"]
        assert call("leaderboard", *run)[0] == 0
    extra = {"run": ["--in-process", "--agent", "UCB1"], "baselines": ["--workers", "1"]}
    code, out, _ = call("leaderboard", command, "small.toml", "--trust", *extra.get(command, []))
    assert code == 0
    assert ("UCB1" in out) is (command in ("run", "show"))


def test_an_environment_of_ones_own_is_compared(call, tmp_path):
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (tmp_path / "mine.py").write_text(source)
    shared = ["--agent", "UCB1", "--horizon", "50", "--seeds", "3", "--set", "n_arms=4", "--json"]
    code, out, _ = call("run", "mine.py:Mine", *shared)
    assert code == 0
    (own,), (ours,) = json.loads(out), json.loads(call("run", "ArmedBandit-v0", *shared)[1])
    assert own["mean"] == ours["mean"]


def test_json_stays_clean_whatever_agents_print(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    done = subprocess.run(
        [sys.executable, "-c", "from leaderboards.cli import main; main()", "leaderboard", "run"]
        + ["small.toml", "--json", "--workers", "1", "--agent", TOYS + "Slow(seconds=0.0)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert "noise on stdout" in done.stderr


def test_a_quick_comparison(call, tmp_path):
    arguments = ["run", "LinearBandit-v0", "--agent", "LinUCB", "--agent", "UniformRandom"]
    arguments += ["--set", "dim=3", "--set", "noise=uniform", "--set", "fixed_arms=true"]
    arguments += ["--horizon", "100", "--seeds", "5"]
    code, out, err = call(*arguments)
    assert code == 0
    assert "LinUCB" in out
    assert "fixed_arms=True" in out
    assert "noise='uniform'" in out
    assert "wrote curves.png" in err
    assert (tmp_path / "curves.png").stat().st_size > 1000
    code, out, _ = call(*arguments, "--json", "--out", "other.png")
    assert code == 0
    assert [row["agent"] for row in json.loads(out)] == ["LinUCB", "UniformRandom"]


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


@pytest.mark.parametrize(
    ("what", "entry"),
    [
        ("envs", "LinearBandit-v0"),
        ("agents", "OFUL"),
        ("suites", "linear-v1"),
        ("papers", "ouhamma2021"),
    ],
)
def test_lists(call, what, entry):
    code, out, _ = call("list", what)
    assert code == 0
    assert entry in out
    code, out, _ = call("list", what, "--json")
    assert entry in {next(iter(row.values())) for row in json.loads(out)}


def test_lists_of_a_family_and_with_citations(call):
    code, out, _ = call("list", "agents", "linear")
    assert code == 0
    assert "OFUL" in out
    assert "UCB1" not in out.split()
    assert "Abbasi-Yadkori" not in out
    assert "Abbasi-Yadkori" in call("list", "agents", "linear", "--cite")[1]


def test_what_is_shown_of_a_name(call, tmp_path):
    code, out, _ = call("show", "LinUCB")
    assert code == 0
    assert "alpha  float, default 1.0" in out
    code, out, _ = call("show", "LinearBandit-v0", "--json")
    assert (code, json.loads(out)["family"]) == (0, "linear")
    (tmp_path / "mine.py").write_text(
        "print('noise')\nfrom banditgym.envs.armed import ArmedBandit\n"
        "class Mine(ArmedBandit): pass\n"
    )
    code, out, err = call("show", "mine.py:Mine", "--json")
    assert (code, json.loads(out)["family"], err) == (0, "armed", "noise\n")
    (tmp_path / "small.toml").write_text(SUITE.replace("ArmedBandit-v0", "mine.py:Mine"))
    code, out, err = call("show", "small.toml")
    assert (code, out) == (2, "")
    assert "--trust" in err
    assert "mine.py:Mine, 60 rounds" in call("show", "small.toml", "--trust")[1]


@pytest.fixture
def papers(monkeypatch, tiny):
    """A tiny paper that replaces ours, run in this process."""
    from leaderboards import papers
    from leaderboards.papers import reproduce

    monkeypatch.setattr(papers, "NAMES", ("tiny2030",))
    monkeypatch.setattr(papers, "load", lambda name: tiny.PAPER)
    monkeypatch.setattr(reproduce, "Processes", lambda workers: Here())
    return tiny


def test_a_reproduction(call, papers, tmp_path):
    code, out, err = call("reproduce")
    assert code == 0
    for word in (
        "half",
        "tenth",
        "theory",
        "not reproduced",
        "cannot be run here",
        "no simulation",
    ):
        assert word in out
    assert "wrote tiny2030.md, tiny2030.json, tiny2030-race.png to banditgym-papers" in err
    written = {path.name for path in (tmp_path / "banditgym-papers").iterdir()}
    assert written == {"tiny2030.md", "tiny2030.json", "tiny2030-race.png"}

    arguments = ["tiny2030", "--claim", "tenth", "--full", "--json", "--out", "deep/er"]
    code, out, _ = call("reproduce", *arguments)
    assert code == 0
    records = json.loads(out)
    assert [(r["claim"], r["full"], r["seeds"]) for r in records] == [("tenth", True, 9)]
    assert (tmp_path / "deep/er/tiny2030.md").exists()


def test_an_interrupted_reproduction_is_one_word(call, papers, monkeypatch, tmp_path):
    from leaderboards import papers as package

    monkeypatch.setattr(package, "load", lambda name: papers.one_claim(papers.interrupted))
    code, out, err = call("reproduce")
    assert (code, out) == (130, "")
    assert err.endswith("interrupted: nothing was written\n")
    assert not (tmp_path / "banditgym-papers").exists()


def test_help_imports_nothing_that_is_slow():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from leaderboards.cli import main; main()"]
        + ["--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "leaderboard" in done.stdout
    for heavy in ("numpy", "numba", "gymnasium", "pandas", "matplotlib", "scipy", "plotly", "loky"):
        assert f" {heavy}\n" not in done.stderr


def test_baselines_are_written_beside_the_suite(call):
    code, out, _ = call("leaderboard", "baselines", "small.toml", "--workers", "1")
    assert (code, out) == (0, "wrote small.baselines.json\n")
    known = load("small.toml").ends["one"].uniform
    assert list(known) == [0, 1, 2, 3]
    # A run that finds them plays no baseline.
    call("leaderboard", "run", "small.toml", "--in-process", "--agent", "UCB1")
    assert {row.agent for row in Store("banditgym-results").rows()} == {"UCB1"}


def test_the_package_offers_compare_lazily():
    code = "import sys, leaderboards; assert 'numpy' not in sys.modules; leaderboards.compare"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert leaderboards.compare is leaderboards.compare
    with pytest.raises(AttributeError, match="no attribute 'compaer'"):
        _ = leaderboards.compaer  # pyright: ignore[reportAttributeAccessIssue]


def test_defaults_are_those_of_the_library():
    assert (options.STORE, options.LIMIT) == (DEFAULT_FOLDER, runner.LIMIT)
    assert options.SUITE == publish.SUITE
    assert max(name for name in available() if name.startswith("core-")) == options.SUITE
