"""Docstring examples run, and so does every Python block and every shell line of the pages.

What is run in a shorter form, and what is not run, stands in tables with its reason.
"""

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import gymnasium
import pytest

import agents
import banditgym
import leaderboards
from banditgym.compiled import cache
from tests.banditgym.data.test_open_bandit_dataset import write as write_open_bandit

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MODULES = [
    found.name
    for package in (banditgym, agents, leaderboards)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.name.startswith("leaderboards.peers.")  # their libraries may be missing
]


def python_blocks(text):
    return [textwrap.dedent(block) for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


# What a page or a module's examples need, beyond the extra [test].
LIBRARIES_OF = {
    "stable-baselines3": ["stable_baselines3"],
    "clients": ["stable_baselines3", "sb3_contrib", "torchrl"],
    "banditgym.wrappers": ["stable_baselines3"],
}


def need(libraries):
    for library in libraries:
        pytest.importorskip(library, reason=f"needs {library}")


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    need(LIBRARIES_OF.get(name, ()))
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("block", python_blocks(README))
def test_readme_examples(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("readme")  # an agent is saved under the name of its module
    monkeypatch.setitem(sys.modules, "readme", module)
    exec(compile(block, "README.md", "exec"), vars(module))
    for agent in vars(module).values():
        if isinstance(agent, type) and issubclass(agent, agents.Agent):
            agents.check_agent(agent)


# This one is about a file of the package: it has a test of its own.
WALK = ROOT / "docs/add-an-agent.md"
SITE_PAGES = sorted((ROOT / "docs").rglob("*.md"))
# Lists of pages, and pages of words.
WITHOUT_CODE = {
    *("404", "how-to/index", "how-to/sweeps", "explanation/index", "explanation/exact-numbers"),
    *("reference/index", "reference/bibliography", "reference/coming-from", "reference/versions"),
    *("explanation/defaults", "explanation/scores-before-and-after"),  # they are tables
    "governance",
    *("add-a-suite", "explanation/speed", "explanation/trust", "how-to/commands", "publishing"),
    "reference/glossary",
}
# The others' blocks are parts of files, which have a test of their own below.
LEFT_OUT = {*WITHOUT_CODE, "add-a-paper", "add-an-environment"}


# Libraries whose blocks are run by hand, because they do not install beside the others.
NOT_BESIDE = {"tianshou": "needs pandas below 3", "ray": "needs gymnasium 1.2.2"}


def name_of(page):
    return page.relative_to(ROOT / "docs").with_suffix("").as_posix()


def test_every_page_has_code_but_those_that_need_none():
    assert {name_of(page) for page in SITE_PAGES if not python_blocks(page.read_text())} == (
        WITHOUT_CODE
    )


@pytest.mark.parametrize(
    "page",
    [page for page in SITE_PAGES if page != WALK and name_of(page) not in LEFT_OUT],
    ids=name_of,
)
def test_pages_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    need(LIBRARIES_OF.get(page.stem, ()))
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in python_blocks(page.read_text()):
        if not any(f"from {library}." in block for library in NOT_BESIDE):
            exec(compile(block, page.name, "exec"), names)


# The page's command, for one group of the corpus: all of them take minutes. Published results have
# no rows of a new agent.
FREEZE = """
from leaderboards.portability import corpus
corpus.groups = lambda: ["play/linear-few"]
from tools import freeze
freeze.entries = lambda folder: freeze.read(folder / freeze.PUBLISHED)["entries"]
freeze.main()
"""
# Run after it, in a copy of the project.
ASK = """
import agents, banditgym
from agents.linear.linear_squarecb import LinearSquareCB
assert agents.LinearSquareCB is LinearSquareCB
assert "LinearSquareCB" in agents.__all__
assert agents.names("linear")[-1] == "LinearSquareCB"
print(agents.__file__)
"""


@pytest.mark.nightly
def test_an_agent_is_added_by_one_file_its_test_and_a_command(tmp_path):
    for folder in ("banditgym", "agents", "leaderboards", "tools", "tests"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    corpus = tmp_path / "leaderboards/portability/corpus.json"
    known = json.loads(corpus.read_text())["entries"]
    few = {name: known[name] for name in known if "/linear-few/" in name}
    corpus.write_text(json.dumps({"entries": few, "altered": []}))
    page = WALK.read_text()
    agent, definition, test = python_blocks(page)
    for name, block in {
        "agents/linear/linear_squarecb.py": agent,
        "tests/agents/definitions/linear/linear_squarecb.py": definition,
        "tests/agents/linear/test_linear_squarecb.py": test,
    }.items():
        assert f"`{name}`" in page
        (tmp_path / name).write_text(block)
    settings, table = (
        tmp_path / "tests/agents/test_definitions.py",
        "SETTINGS: dict[str, list[dict[str, Any]]] = {\n",
    )
    (row,) = re.findall(r'^    "LinearSquareCB": .*\n', page, re.MULTILINE)
    settings.write_text(settings.read_text().replace(table, table + row))
    assert "\npython -m tools.freeze\n" in page

    def run(*words):
        # Kernels that are compiled here already are loaded, not compiled again for the copy.
        read = {"PYTHONPATH": str(tmp_path), "BANDITGYM_KERNELS": str(cache.shared_cache())}
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=os.environ | read, capture_output=True,
            text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("-c", FREEZE).splitlines() == [
        "new: agent LinearSquareCB",
        "new: play/linear-few/LinearSquareCB",
        "new: state/linear-few/LinearSquareCB",
    ]
    assert json.loads(corpus.read_text())["entries"].items() > few.items()
    assert run("-c", ASK).strip() == str(tmp_path / "agents/__init__.py")
    tests = ["tests/agents/linear/test_linear_squarecb.py", "tests/tools/test_registry.py"]
    tests += ["tests/leaderboards/portability/test_corpus.py"]
    tests += ["tests/agents/test_definitions.py"]
    which = "[LinearSquareCB- or contract or positive or linear-few or every"
    run("-m", "pytest", "-q", "-n", "0", "-k", which, *tests)
    assert run("-c", FREEZE) == "nothing is new\n"


def test_the_blocks_on_data_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    replay, write, offers = python_blocks((ROOT / "banditgym/data/README.md").read_text())
    names: dict = {"gymnasium": gymnasium}
    assert "100_000" in write
    exec(compile(write.replace("100_000", "5_000"), "data/README.md", "exec"), names)
    # The reader's log, of which the page asks a million visits, is one that the page wrote.
    (tmp_path / "R6").mkdir()
    (tmp_path / "ydata-made.gz").rename(tmp_path / "R6/ydata-made.gz")
    assert "1_000_000" in replay
    exec(compile(replay.replace("1_000_000", "1_000"), "data/README.md", "exec"), names)
    assert names["envs"].num_envs == 10
    names["envs"].reset(seed=0)
    assert names["envs"].unwrapped.task.horizon == 1_000
    folder = tmp_path / "open_bandit/random/men"
    folder.parent.mkdir(parents=True)
    write_open_bandit(folder)
    exec(compile(offers, "data/README.md", "exec"), names)
    assert names["envs"].unwrapped.task.horizon == 30


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_registered_id_is_made_as_the_readme_says():
    for name in banditgym.ENVIRONMENTS:
        gymnasium.make(name).close()


@pytest.mark.parametrize(
    ("package", "offered"),
    [
        (banditgym, {"ids", "ENVIRONMENTS", "BoxActions", "tasks", "check", "__version__"}),
        (agents, {"LinUCB", "play", "check_agent", "names", "estimators", "bounds"}),
        (leaderboards, {"choose", "compare", "load_choice"}),
    ],
)
def test_completion_offers_what_is_public_and_nothing_else(package, offered):
    """As an interpreter asks for it; each of them is there, and a star imports all but modules."""
    assert offered <= set(dir(package))
    assert {name for name in dir(package) if name.startswith("_")} <= {"__version__"}
    modules = set()
    for name in dir(package):
        value = getattr(package, name)
        if isinstance(value, ModuleType):
            modules.add(name)
            assert value.__name__.removeprefix(f"{package.__name__}.") in (name, f"parts.{name}")
            assert value.__doc__
    starred: dict = {}
    exec(f"from {package.__name__} import *", starred)
    assert set(starred) - {"__builtins__"} == set(dir(package)) - modules - {"__version__"}
    with pytest.raises(AttributeError, match=f"{package.__name__}.*'nothing'"):
        package.nothing  # noqa: B018


# Python blocks of these pages are parts of files: what they leave to the reader comes before them,
# and what shows that they work after them.
TEMPLATES = {
    "add-an-environment": (
        """
from typing import Annotated
import numpy as np
from gymnasium import spaces
from banditgym.rounds.blocks import UnseenBlock
from banditgym.settings import Settings, configured, setting
from banditgym.validation import whole
from banditgym.tasks import ArmedTask
from banditgym.vector_env import NOISE, BanditVectorEnv
def MyTask(n_arms, horizon):
    return ArmedTask(
        n_arms=n_arms, horizon=horizon, noise_std=None, subgaussian=0.5, bernoulli=True
    )
block = UnseenBlock(start=0, rounds=3)
reward, regret = np.ones((1, 2)), np.zeros((1, 2))
""",
        """
mine = Mine(2, n_arms=3, horizon=2)
assert mine.reset(seed=1)[0].tolist() == [0, 0]
try:
    mine.step(np.array([0, 3]))
except ValueError as error:
    assert "3" in str(error)
else:
    raise AssertionError("an illegal arm was played")
shown, paid, ended, cut, told = mine.step(np.array([0, 2]))
assert paid.tolist() == [1, 1] and told["regret"].tolist() == [0, 0]
assert mine.step(np.array([0, 2]))[3].all()
""",
    ),
    "add-a-paper": (
        """
from agents import LinUCB as Mine
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Origin, Paper, Size
from leaderboards.papers.rules import each, within
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Verdict
draw = None
""",
        """
import numpy as np
(claim,) = PAPER.claims
sample = claim.experiment.simulate([0, 1], horizon=10_000)
parts = claim.judge(claim.numbers(sample))
assert parts.keys() == {"exponent"}
assert set(parts.values()) <= set(Verdict)
assert claim.experiment.quick.calls()[1] == list(range(10, 20))
""",
    ),
}


@pytest.mark.parametrize("page", TEMPLATES)
def test_templates_of_the_guide_work(page):
    (block,) = python_blocks((ROOT / f"docs/{page}.md").read_text())
    before, after = TEMPLATES[page]
    exec(compile(before + block + after, page, "exec"), {"__name__": "guide"})


TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.py"))


def test_the_tutorials_are_there():
    assert 8 <= len(TUTORIALS) <= 14


@pytest.mark.nightly  # the build of the whole site runs them too
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_tutorials_run(path, monkeypatch, capsys):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    exec(compile(path.read_text(), path.name, "exec"), {"__name__": "tutorial"})
    try:
        # Figures have titles, which are their texts for those who cannot see them.
        for number in plt.get_fignums():
            figure = plt.figure(number)
            titles = [axes.get_title() for axes in figure.axes] + [figure.get_suptitle()]
            assert any(titles), f"{path.name}: figure {number} has no title"
        assert plt.get_fignums()
    finally:
        plt.close("all")
    # No times: the pages are the same on every build but for rounding of figures.
    assert "second" not in capsys.readouterr().out


# Shell lines: what they are shortened to, where they would take long.
SHORTER = {
    "banditgym run LinearBandit-v0 --agent mine.py:FollowTheLeader --agent LinUCB --set dim=20 "
    "--seeds 30": "banditgym run LinearBandit-v0 --agent mine.py:FollowTheLeader --agent LinUCB "
    "--set dim=20 --seeds 2 --horizon 50",
    "banditgym compare mine.py:FollowTheLeader LinUCB --on LinearBandit-v0 --until-decided": (
        "banditgym compare mine.py:FollowTheLeader LinUCB --on LinearBandit-v0 --until-decided "
        "--budget 2 --horizon 50"
    ),
    "banditgym leaderboard run": "banditgym leaderboard run --agent UCB1 --seeds 1 --in-process",
    "banditgym run LinearBandit-v0 --agent LinUCB --agent LinTS --seeds 20": "banditgym run "
    "LinearBandit-v0 --agent LinUCB --agent LinTS --seeds 2 --horizon 50",
    'banditgym run ArmedBandit-v0 --agent "UCB1(noise_std=0.0856)" --agent UCB1 '
    "--agent BetaThompson --set n_arms=10 --seeds 30 --horizon 300000": (
        'banditgym run ArmedBandit-v0 --agent "UCB1(noise_std=0.0856)" --agent UCB1 '
        "--agent BetaThompson --set n_arms=10 --seeds 2 --horizon 50"
    ),
    "banditgym run LinearBandit-v0 --agent mine.py:FollowTheLeader --agent LinUCB --seeds 20": (
        "banditgym run LinearBandit-v0 --agent mine.py:FollowTheLeader --agent LinUCB --seeds 2 "
        "--horizon 50"
    ),
    "banditgym run LinearBandit-v0 --agent LinUCB --agent OFUL --set dim=20 --seeds 30": (
        "banditgym run LinearBandit-v0 --agent LinUCB --agent OFUL --set dim=20 --seeds 2 "
        "--horizon 50"
    ),
    "banditgym leaderboard run core-v3 --store results": "banditgym leaderboard run core-v3 "
    "--store results --agent UCB1 --seeds 1 --in-process",
    "banditgym leaderboard run --agent mine.py:FollowTheLeader": "banditgym leaderboard run "
    "--agent mine.py:FollowTheLeader --seeds 1 --in-process",
    "banditgym leaderboard run --agent mine.py:Mine": "banditgym leaderboard run "
    "--agent mine.py:Mine --seeds 1 --in-process",
    'banditgym run LinearBandit-v0 --agent "LinUCB(ridge=0.01)" '
    '--agent "LinTS(scale=1.0, ridge=0.01)" --set parameters=per_arm --set n_arms=5 --set dim=4 '
    "--set contexts=gaussian --set feature_norm=2 --set param_norm=2 --set noise_std=0.5 "
    "--seeds 20 --horizon 10000": (
        'banditgym run LinearBandit-v0 --agent "LinUCB(ridge=0.01)" '
        "--set parameters=per_arm --set n_arms=5 --set dim=4 --seeds 2 --horizon 50"
    ),
    "banditgym leaderboard run --agent mine.py:RightOrWrong": "banditgym leaderboard run "
    "labels.toml --agent mine.py:RightOrWrong --in-process",
    "banditgym leaderboard run linear-v1": "banditgym leaderboard run linear-v1 --agent Greedy "
    "--seeds 1 --in-process",
    "banditgym leaderboard run coins.toml --trust": "banditgym leaderboard run coins.toml "
    "--trust --agent UCB1 --seeds 2 --in-process",
    "banditgym leaderboard run --store fresh": "banditgym leaderboard run --store fresh "
    "--agent UCB1 --seeds 1 --in-process",
    "banditgym run SynSep-v0 --agent mine.py:RightOrWrong --agent Banditron": "banditgym run "
    "SynSep-v0 --agent mine.py:RightOrWrong --agent Banditron --seeds 2 --horizon 50",
    "banditgym reproduce rakhlin2008": "banditgym reproduce rakhlin2008 --claim interpolation "
    "--set horizon=1000",
    "banditgym leaderboard baselines FILE": "banditgym leaderboard baselines small.toml",
    # The published board takes seconds to reduce, and test_publish.py does it.
    "banditgym leaderboard show core-v3 --store leaderboards/results": "banditgym leaderboard "
    "show core-v3",
    "banditgym leaderboard pairs --against LinUCB --store leaderboards/results": "banditgym "
    "leaderboard pairs --against LinUCB --store $ROOT/leaderboards/results",
    "banditgym leaderboard pairs linear-v2 --against LinUCB --store leaderboards/results": (
        "banditgym leaderboard pairs linear-v2 --against LinUCB --store $ROOT/leaderboards/results"
    ),
    **{
        f"banditgym compare LinUCB OFUL LinTS --on linear-v2 --per-task {rest}": (
            "banditgym compare LinUCB OFUL LinTS --on LinearBandit-v0 --horizon 50 --per-task "
            f"{rest.replace('20', '2')}"
        )
        for rest in ("--seeds 20", "--against LinUCB --seeds 20 --out pairs.tex")
    },
    "banditgym run LinearBandit-v0 --agent LinUCB --agent OFUL --out curves.pdf --y-scale linear "
    '--label "OFUL=ours" --colour "OFUL=crimson"': (
        "banditgym run LinearBandit-v0 --agent LinUCB --agent OFUL --out curves.pdf --y-scale "
        'linear --label "OFUL=ours" --colour "OFUL=crimson" --seeds 2 --horizon 100'
    ),
    "banditgym speed": "banditgym speed 'LinUCB d=10 K=10 solo'",
    "banditgym submit run my-agent": "banditgym submit run my-agent small.toml",
    "banditgym submit replay my-agent": "banditgym submit replay my-agent small.toml",
    "banditgym submit replay leaderboards/submissions/imed --epoch demonstration": (
        "banditgym submit replay $ROOT/leaderboards/submissions/imed --epoch demonstration "
        "--task coins/0 --seeds 1"
    ),
    "banditgym judge my-agent --task linear": "banditgym judge my-agent --task fresh-arms "
    "--isolation process",
    "banditgym task secret linear ~/linear.secret --attempts 20": "banditgym task secret linear "
    "linear.secret --attempts 20",
    "banditgym portability": "banditgym portability --part env/ArmedBandit-v0/default",
}
# Shell lines that are not run, with the reason.
NOT_RUN = {
    "pip install -e . && banditgym leaderboard run": "installs; the rest is run by itself",
    "pip wheel --no-deps -w dist . && pip install dist/*.whl": "installs: see .ci/package",
    'pip install -e ".[test]" && pytest': "installs; pytest is what runs here",
    'pip install -e ".[all]"': "installs",
    'pip install "banditgym[sb3]"': "installs",
    'pip install "banditgym[clients]"': "installs",
    "pytest": "it is what runs here",
    "pytest -m nightly": "it takes long",
    **dict.fromkeys(
        (
            "pytest tools/benchmarks",
            "git worktree add ../before COMMIT",
            "PYTHONPATH=../before pytest tools/benchmarks/bench_single.py --benchmark-save=before",
            "pytest tools/benchmarks/bench_single.py --benchmark-compare",
        ),
        "needs pytest-benchmark, and takes minutes: see tools/benchmarks",
    ),
    "pytest -m processes": ".ci/run runs it by itself",
    "pytest -m sandbox": ".ci/run runs it by itself",
    "pytest -m cluster": "the same",
    "pytest -m site": "the same",
    "python -m docs": "it takes long: see docs/test_site.py",
    'pip install "banditgym[dask]"': "installs",
    **dict.fromkeys(
        (
            "banditgym leaderboard run --executor dask --workers 8",
            "banditgym leaderboard run --executor dask:node1:8786",
            "banditgym leaderboard run --executor dask:scheduler.json",
            "dask scheduler --host node1 --port 8786",
            "dask worker node1:8786 --nworkers 16 --nthreads 1",
        ),
        "needs a cluster: see test_executor.py",
    ),
    **dict.fromkeys(
        (
            "banditgym leaderboard run --sandbox",
            "banditgym leaderboard run --sandbox --isolation process",
            "banditgym leaderboard run --sandbox --one-process-per-replicate",
        ),
        "needs bubblewrap, or takes long: see test_runner_sandboxed.py",
    ),
    "banditgym epoch replay demonstration --agent UCB1": (
        "plays the epoch's baselines: see test_stages_replay.py"
    ),
    "banditgym judge my-agent --secret ~/linear.secret": (
        "compiles anew, and needs bubblewrap: see test_judgement_attacks.py"
    ),
    "banditgym epoch attest demonstration --key ~/.ssh/id_ed25519 --signer me@example.org": (
        "plays the epoch: see test_stages_attested.py"
    ),
    "ssh-keygen -Y verify -f allowed_signers -I me@example.org -n banditgym-epoch -s FILE.sig < "
    "FILE": "there is no such file: see test_signatures.py",
    "python -m tests.kills": "it takes long: see test_kills.py",
    "python -m tests.agent_faults armed": "it takes long: see test_agent_faults.py",
    "python -m tests.accessibility report/index.html": "it needs axe-core, from npm",
    "pytest -m peers": ".ci/run runs it by itself",
    "pytest -m peers_compiled": "needs a library that is compiled as it is installed",
    "pip install torch --index-url https://download.pytorch.org/whl/cpu": "downloads",
    'pip install -e ".[peers]"': "downloads",
    'pip install -e ".[peers-compiled]"': "downloads and compiles",
    "banditgym run LinearBandit-v0 --agent LinUCB "
    "--agent leaderboards.peers.vowpalwabbit:VWSquareCB": "needs another library",
    "BANDITGYM_FUZZ=100 pytest tests/fuzz": "it takes long; shorter, it is among the tests",
    "ruff format . && ruff check . && codespell && pyright": "reads every file: .ci/run does it",
    ".ci/run": "makes a virtual environment and runs pytest",
    ".ci/package": "makes virtual environments: .ci/run does it",
    ".ci/oldest": "makes a virtual environment and runs pytest",
    "python -m tools.publish --store fresh": "writes to the checkout: see test_publish.py",
    "python -m tools.publish --suite armed-v2 --store armed": "writes to the checkout",
    "python -m tools.libraries.contest --store others": "it takes long: see test_contest.py",
    "python -m tools.publish --libraries others": "writes to the checkout",
    "python -m tools.publish --tuned tuned": (
        "writes to the checkout: see tools/test_tuned_results.py"
    ),
    'pip install "banditgym[tune]"': "installs",
    **dict.fromkeys(
        (
            "banditgym tune LinTS core-v3",
            "banditgym tune LinTS core-v3 --family linear",
            "banditgym tune core-v3",
            "banditgym tune core-v3 --store tuned",
            'banditgym tune "mine.py:Mine" mine.toml --trials 64',
            "banditgym leaderboard show core-v3 --tuned banditgym-tuned",
        ),
        "takes minutes, or needs its folder: see commands/test_tuning.py",
    ),
    **dict.fromkeys(
        (
            "banditgym choose rows.csv --target species",
            "banditgym choose rows.csv --target species --agent Confidit --trials 16",
            "banditgym choose rows.csv --target yield --as number",
            "banditgym choose rows.csv --target price --predict",
            "banditgym choose rows.csv --target species --save chosen",
        ),
        "needs the reader's rows: see commands/test_choosing.py",
    ),
    **dict.fromkeys(
        (
            'banditgym evaluate log.parquet --policy "LinUCB(alpha=0.5)"',
            'banditgym evaluate log.parquet --policy "LinUCB(alpha=0.5)" --policy UniformRandom '
            "--policy mine.csv",
            "banditgym evaluate bts/all/all.csv --policy uniform.csv --estimator snips "
            "--columns action=item_id --columns reward=click "
            "--columns propensity=propensity_score --columns time=timestamp",
        ),
        "needs the reader's log: see commands/test_evaluating.py",
    ),
    "pytest -k LinearSquareCB": "there is no such agent",
    "pytest tests/test_architecture.py tests/test_equal_bits.py tests/test_words.py "
    "tests/tools tests/leaderboards/portability/test_corpus.py": ("these tests run anyway"),
    "python -m tools.audit": "takes a minute: see test_audit.py",
    "python -m tools.freeze": "writes to the checkout: see test_freeze.py",
    "python -m tools.portability --versions --out leaderboards/results": "downloads packages",
    'banditgym epoch new 2030-a --secret ~/2030-a.secret --maintainer "A. Name" '
    "--closes 2030-06-30 --reveals 2030-07-01": "locks packages: see test_lock.py, test_stages.py",
    "banditgym epoch open 2030-a --secret ~/2030-a.secret": "takes minutes: see test_stages.py",
    "banditgym submit verify my-agent --epoch 2030-a --secret ~/2030-a.secret": (
        "there is no such epoch: see test_stages.py"
    ),
    "banditgym epoch reveal 2030-a --secret ~/2030-a.secret": "the same",
    "python -c \"from sklearn.datasets import fetch_rcv1; fetch_rcv1(data_home='rcv1')\"": (
        "downloads"
    ),
}
PAGES = ["README.md", "CONTRIBUTING.md", "leaderboards/README.md", "banditgym/data/README.md"]
PAGES += [page.relative_to(ROOT).as_posix() for page in SITE_PAGES]
PROGRAMS = (
    "banditgym ",
    "dask ",
    "pip ",
    "pytest",
    "python ",
    "ruff ",
    "git ",
    "ssh-keygen ",
    ".ci/",
    "BANDITGYM_FUZZ=",
    "PYTHONPATH=",
)
# Blocks that are no lines to run here, by how they begin: maps of the project, certificates.
DRAWN = ("banditgym/ ", "openssl ", "export ")


def shell_lines(page):
    """The lines of a page's blocks without a language, without their comments."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^ *```([^\n`]*)\n(.*?)^ *```", text, flags=re.DOTALL | re.MULTILINE)
    # Blocks in braces are directives of the site, which its build reads.
    languages = {language for language, _ in blocks if not language.startswith("{")}
    assert languages <= {"", "python", "toml", "bibtex", "markdown"}
    return [
        re.sub(r"\s+# .*", "", line).strip()
        for language, block in blocks
        if language == "" and not block.startswith(DRAWN)
        for line in block.splitlines()
    ]


LABELS = """
title = "Labels"
seeds = 1
[[task]]
name = "text"
env = "SynSep-v0"
horizon = 50
"""
# Files that a page's lines name: which of its Python blocks, by their places, each one holds.
FILES = {
    "README.md": ("mine.py", [1]),
    "docs/environments.md": ("coins.py", [0, 2]),
    "docs/own-agents.md": ("mine.py", range(9)),
    "docs/start/index.md": ("mine.py", [3]),
}


def prepare(page, folder):
    """Write the files that a page's lines name: code of its blocks, its suite with two seeds."""
    text = (ROOT / page).read_text()
    if page in FILES:
        name, places = FILES[page]
        blocks = ["import gymnasium", *(python_blocks(text)[place] for place in places)]
        (folder / name).write_text("\n".join(blocks))
    if page == "docs/how-to/commands.md":  # its file is the README's
        (folder / "mine.py").write_text(python_blocks(README)[1])
    if page == "leaderboards/README.md":
        (folder / "mine.py").write_text("from agents import UCB1\nclass Mine(UCB1): ...\n")
    (folder / "labels.toml").write_text(LABELS)
    (folder / "small.toml").write_text(LABELS.replace("SynSep-v0", "LinearBandit-v0"))
    for suite in re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL):
        shortened = re.sub(r"seeds = \d+", "seeds = 2", suite).replace("10000", "100")
        name = "coins" if "coins" in suite else "sweep" if "grid" in suite else "small"
        (folder / f"{name}.toml").write_text(shortened.replace("2000", "100"))


@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES)
def test_shell_lines_run(page, tmp_path, monkeypatch, capsys):
    from leaderboards.cli import main
    from leaderboards.commands import submitting as command
    from leaderboards.papers import reproduce
    from leaderboards.processes.workers import Here
    from leaderboards.run import execution
    from leaderboards.run.confinement import HERE
    from leaderboards.submit import playing

    monkeypatch.setattr(command, "_confinement", lambda audit=False: HERE)
    for module in (execution, reproduce, playing):  # worker processes have tests of their own
        monkeypatch.setattr(module, "Processes", lambda workers: Here())
    monkeypatch.chdir(tmp_path)
    prepare(page, tmp_path)
    for line in shell_lines(page):
        assert line.startswith(PROGRAMS), f"{page}: what runs {line!r}?"
        if line in NOT_RUN:
            continue
        words = shlex.split(SHORTER.get(line, line).replace("$ROOT", str(ROOT)))
        assert words[0] == "banditgym"
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code, (line, capsys.readouterr().err)


def test_no_line_is_excused_that_is_nowhere():
    lines = {line for page in PAGES for line in shell_lines(page)}
    assert {*SHORTER, *NOT_RUN} <= lines
