"""The command: its outputs, and one line for every usage error. 20 seconds."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import leaderboards
from leaderboards.commands import submitting


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
        (["run", "xyz", "--agent", "LinUCB"], "there are ArmedBandit-v0, DriftingArmedBandit-v0"),
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
        (["leaderboard", "run", "linear-v3"], "did you mean linear-v2?"),
        (["leaderboard", "run", "small.toml", "--agent", "UBC1"], "did you mean UCB1?"),
        (["leaderboard", "run", "small.toml", "--seeds", "5"], "got 5"),
        (["leaderboard", "run", "small.toml", "--limit", "0"], "limit"),
        (["leaderboard", "run", "small.toml", "--workers", "0"], "workers"),
        (["leaderboard", "run", "small.toml", "--store", "small.toml"], "Not a directory"),
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
        (["speed", "LinUCB", "--all"], "name rows or give --all, not both"),
        (["reproduce", "ouhama2021"], "did you mean ouhamma2021?"),
        (
            ["reproduce", "nonsense"],
            "there are audibert2010, auer2002, balagopalan2025, besson2019",
        ),
        (
            ["reproduce", "ouhamma2021", "--claim", "figure-3-ordre"],
            "did you mean figure-3-order?",
        ),
        (["reproduce", "--claim", "qqqq"], "no paper has a claim 'qqqq'; there are"),
        (["reproduce", "--out", "small.toml"], "--out small.toml is a file"),
        (["reproduce", "--out", "small.toml/in"], "--out small.toml/in cannot be made: Not a dir"),
        (["portability", "--part", "nothing"], "no group of the corpus fits 'nothing'"),
        (["leaderboard", "baselines", "core-v2", "--workers", "0"], "workers must be >= 1, got 0"),
        (["reproduce", "--ful"], "--ful"),
    ],
)
def test_an_error_of_use_is_one_line_and_exit_2(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err


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


DRAWING = {"matplotlib", "plotly", "jinja2"}
SLOW = DRAWING | {"torch", "pandas", "sklearn", "scipy.stats", "scipy.optimize", "loky", "dask"}
COMPILED = {"numba", "llvmlite", "agents", "banditgym.compiled", "leaderboards.references"}


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        ("leaderboard show --store {}", SLOW | COMPILED),
        ("leaderboard show --store {} --json", SLOW | COMPILED),
        ("list envs", SLOW | COMPILED | {"scipy"}),
        ("list suites", SLOW | COMPILED | {"scipy"}),
        ("list suites linear", SLOW | COMPILED | {"scipy"}),
        ("list agents", SLOW),
        ("list agents linear", SLOW),
        ("list papers", {"matplotlib", "pandas", "scipy.special", "scipy.optimize"}),
    ],
)
def test_lists_and_boards_import_nothing_that_they_do_not_need(command, absent, tmp_path):
    """What takes long: a board of stored rows needs no agent, and no compiled code."""
    published = Path(leaderboards.__file__).with_name("results") / "core-v3.jsonl.gz"
    lines = gzip.decompress(published.read_bytes()).splitlines(keepends=True)
    (tmp_path / "some.jsonl").write_bytes(b"".join(lines[::40]))
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        "from leaderboards.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command.format(tmp_path).split()],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert {"leaderboards.cli", "numpy"} <= loaded
    if "store" in command:
        assert {"leaderboards.run.store.store", "leaderboards.run.keys.sources"} <= loaded
        assert "LinUCB" in done.stdout
    assert not loaded & absent


def test_a_command_hardly_ever_searches_for_garbage():
    """Of some 200,000 objects that a board makes none is garbage until its end."""
    code = (
        "import atexit, gc; from leaderboards.cli import main; before = gc.get_stats(); "
        "atexit.register(lambda: print(gc.get_freeze_count() > 0, "
        "*(now['collections'] - then['collections'] for now, then in zip(gc.get_stats(), before))))"
        "; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "agents"], capture_output=True, text=True, check=True
    )
    frozen, *collections = done.stdout.split()[-4:]
    assert frozen == "True"
    assert sum(map(int, collections)) < 20


def test_the_package_offers_compare_lazily():
    code = "import sys, leaderboards; assert 'numpy' not in sys.modules; leaderboards.compare"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert leaderboards.compare is leaderboards.compare
    with pytest.raises(AttributeError, match="no attribute 'compaer'"):
        _ = leaderboards.compaer  # pyright: ignore[reportAttributeAccessIssue]


def test_whoever_watches_sees_each_familys_table_before_the_end(call, monkeypatch, tmp_path):
    task = '[[task]]\nname = "{0}"\nenv = "{1}"\nhorizon = 30\n'
    text = 'title = "two"\nseeds = 2\n' + task.format("arms", "ArmedBandit-v0")
    (tmp_path / "two.toml").write_text(text + task.format("features", "LinearBandit-v0"))
    run = ["leaderboard", "run", "two.toml", "--in-process", "--agent", "UCB1", "--agent", "LinUCB"]
    for watched in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda watched=watched: watched)
        code, out, err = call(*run, "--store", f"store-{watched}")
        assert code == 0
        assert "armed: arms" in out
        assert "linear: features" in out
        assert (": arms" in err) == (": features" in err) == watched  # the names before are bold


POSIX = ("fcntl", "grp", "pwd", "resource", "termios")


@pytest.mark.parametrize("command", ["submit new {}/mine", "list agents linear", "show LinUCB"])
def test_commands_that_work_on_windows_import_nothing_that_it_lacks(command, tmp_path):
    """The modules that run, choose and tune agents likewise."""
    code = (
        "import sys, optuna, portalocker\n"  # these know how to do without
        f"sys.modules |= dict.fromkeys({POSIX})\n"
        "import leaderboards.choosing.choose, leaderboards.comparison.compare_function\n"
        "import leaderboards.run.runner, leaderboards.tuning.tune\n"
        "from leaderboards.cli import main; main()"
    )
    given = command.format(tmp_path).split()
    subprocess.run([sys.executable, "-c", code, *given], check=True, capture_output=True)


def test_one_line_says_what_does_not_work_on_windows(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ValueError, match="on Linux and macOS alone"):
        submitting.check(tmp_path)
