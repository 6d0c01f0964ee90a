"""Agents by name: what resolves, what is suggested, what is refused."""

import json
import subprocess
import sys

import pytest

import agents
from agents import naming

MINE = """
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

import agents
from agents.parts.estimators import Ridge
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class Mine(agents.Agent):
    accepts: ClassVar = (ArmedTask,)
    alpha: float = 0.5
    estimator: Any = Ridge()

    def __post_init__(self):
        if not self.alpha >= 0:
            raise ValueError(f"alpha must be >= 0, got {self.alpha}")

    def _start(self):
        pass

    def _choose(self, contexts):
        return np.zeros(self.n, np.int64)

    def _learn(self, contexts, actions, reward, observed):
        pass


class Bystander:
    pass
"""

NEED_ARGUMENTS = {
    "Halving": ["hypotheses"],
    "ProjectedHalving": ["dim"],
    "Pending": ["agent"],
    "Restarting": ["agent", "detector"],
}


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_every_agent_is_found_by_its_name():
    assert set(naming.own_agents()) == set(agents.AGENTS)
    for name, cls in naming.own_agents().items():
        assert cls.__name__ == name
        assert type(agents.resolve(name)) is cls
        assert naming.label(cls()) == name
        assert cls.paper
        assert cls.accepts


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        ("LinUCB", agents.LinUCB()),
        ("LinUCB()", agents.LinUCB()),
        (" LinUCB(alpha=0.5) ", agents.LinUCB(alpha=0.5)),
        ("LinUCB(ridge=2, alpha=1e-3)", agents.LinUCB(ridge=2, alpha=1e-3)),
        ("OFUL(radius='closed', noise_std=None)", agents.OFUL(radius="closed")),
        ("agents:OFUL(delta=0.2)", agents.OFUL(delta=0.2)),
        ("agents.linear.lints:LinTS", agents.LinTS()),
    ],
)
def test_names_with_hyperparameters(spec, same):
    agent = agents.resolve(spec)
    assert type(agent) is type(same)
    assert agent.hyperparameters() == same.hyperparameters()


@pytest.mark.parametrize(
    "agent",
    [agents.LinUCB(), agents.LinUCB(alpha=0.5), agents.OFUL(radius="closed", param_norm=2.0)],
)
def test_a_label_names_what_is_off_its_default_and_resolves_to_the_same(agent):
    label = naming.label(agent)
    again = agents.resolve(label)
    assert type(again) is type(agent)
    assert again.hyperparameters() == agent.hyperparameters()
    assert naming.label(again) == label


def test_labels_are_short():
    assert naming.label(agents.LinUCB(alpha=0.5)) == "LinUCB(alpha=0.5)"
    assert naming.label(agents.LinUCB(alpha=1.0, ridge=2.0)) == "LinUCB(ridge=2.0)"
    assert naming.label(agents.OFUL(radius="closed")) == "OFUL(radius='closed')"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("LinUBC", "unknown agent 'LinUBC'; did you mean LinUCB\\?"),
        ("linucb", "unknown agent 'linucb'; did you mean LinUCB\\?"),
        ("oful(delta=0.2)", "did you mean OFUL\\?"),
        ("Thompson", "did you mean BetaThompson\\?"),
        ("zzzzzz", "unknown agent 'zzzzzz'; banditgym list agents shows them"),
        ("", "unknown agent ''"),
        ("LinUCB(aplha=0.5)", "LinUCB has no hyperparameter 'aplha'; did you mean alpha\\?.*ridge"),
        ("UniformRandom(alpha=1)", "UniformRandom has no hyperparameter 'alpha'.*none"),
        ("LinUCB(alpha=-1)", "LinUCB: alpha.*-1"),
        ("LinUCB(alpha='wide')", "LinUCB: .*"),
        ("LinUCB(0.5)", "keywords.*LinUCB\\(0.5\\)"),
        ("LinUCB(alpha=0.5", "got 'LinUCB\\(alpha=0.5'"),
        ("LinUCB(alpha=0.5))", "got"),
        ("LinUCB(alpha=0.5) + 1", "got"),
        ("LinUCB(alpha=0.5)(alpha=2.0)", "got"),
        ("LinUCB(alpha=0.5, alpha=1.0)", "got"),
        ("LinUCB(alpha=float('inf'))", "plain data"),
        ("LinUCB(alpha=__import__('os').getpid())", "plain data"),
        ("LinUCB(**{'alpha': 1})", "plain data"),
        ("nowhere.at.all:Agent", "cannot import 'nowhere.at.all'"),
        ("agents:LinUBC", "agents has no agent 'LinUBC'; did you mean LinUCB\\?"),
        ("agents:play", "is not an agent"),
        ("agents:Trace", "is not an agent"),
        ("json:JSONDecoder", "is not an agent"),
        ("/nowhere/file.py:Mine", "cannot read /nowhere/file.py: No such file"),
        (":Mine", "."),
        ("agents:", "."),
    ],
)
def test_a_name_that_does_not_resolve_is_one_clear_line(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        agents.resolve(spec)
    assert "\n" not in str(caught.value)


def test_an_agent_from_a_file(mine):
    agent = agents.resolve(f"{mine}:Mine(alpha=2.0)")
    assert type(agent).__name__ == "Mine"
    assert agent.alpha == 2.0
    assert type(agents.resolve(f"{mine}:Mine")) is type(agent)  # one module for one state of a file
    agents.check_agent(f"{mine}:Mine")


def test_an_edited_file_is_read_again(mine):
    old = agents.resolve(f"{mine}:Mine")
    mine.write_text(MINE.replace("alpha: float = 0.5", "alpha: float = 0.7"))
    assert agents.resolve(f"{mine}:Mine").alpha == 0.7
    assert old.alpha == 0.5


def test_two_files_of_one_name_do_not_mix(mine, tmp_path):
    other = tmp_path / "other" / "mine.py"
    other.parent.mkdir()
    other.write_text(MINE.replace("alpha: float = 0.5", "alpha: float = 0.9"))
    assert agents.resolve(f"{mine}:Mine").alpha == 0.5
    assert agents.resolve(f"{other}:Mine").alpha == 0.9


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Mien", "has no agent 'Mien'; did you mean Mine\\?"),
        ("Bystander", "is not an agent: it must be a dataclass that derives from Agent"),
        ("Mine(alpha=-2)", "Mine: alpha must be >= 0, got -2"),
        ("Mine(estimator={'kind': 'rigde'})", "unknown part 'rigde'; did you mean ridge\\?"),
        ("Mine(estimator={'kind': 'ridge', 'ridge': -1})", "ridge.*-1"),
        ("Mine(estimator={'kind': 'ridge', 'rigde': 1})", "rigde"),
        ("Mine(estimator={'kind': []})", "part"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(mine, name, message):
    with pytest.raises(ValueError, match=message):
        agents.resolve(f"{mine}:{name}")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nowhere_at_all", "broken.py does not run: ModuleNotFoundError"),
        ("def f(:", "broken.py does not run: SyntaxError"),
        ("1 / 0", "broken.py does not run: ZeroDivisionError"),
    ],
)
def test_a_file_that_does_not_run_says_why_and_leaves_nothing(tmp_path, source, message):
    path = tmp_path / "broken.py"
    path.write_text(source)
    before = set(sys.modules)
    with pytest.raises(ValueError, match=message):
        agents.resolve(f"{path}:Mine")
    assert not {name for name in set(sys.modules) - before if "broken" in name}


@pytest.mark.parametrize(
    "spec",
    [
        "GPUCB(radius=0.4)",
        "GPUCB(covariance=RBF(length_scale=0.5))",
        "GPUCB(covariance=Matern())",
        "FastLinUCB(estimator=SVRG(ridge=2.0), alpha=0.5)",
        "SOFUL(size=3)",
    ],
)
def test_a_label_names_its_agent(spec):
    agent = agents.resolve(spec)
    assert naming.label(agent) == spec
    assert naming.hyperparameters(agents.resolve(naming.label(agent))) == naming.hyperparameters(
        agent
    )


def test_agents_in_need_of_arguments_are_named_and_never_among_all():
    needy = naming.named().keys() - naming.own_agents().keys()
    # These play without arguments.
    chosen = {"GPBandit", "UCB1Tuned", "UCB2", "EpsilonNGreedy", "DelayedLinUCB"}
    chosen |= {"SuccessiveRejects", "SequentialHalving", "LUCB", "TTUCB", "TopTwoThompson"}
    chosen |= {"TrackAndStop"}
    assert needy == {*chosen, *NEED_ARGUMENTS, *agents.LIBRARY_AGENTS}
    public = {getattr(agents, name) for name in agents.__all__}
    kinds = {kind for kind in public if isinstance(kind, type) and issubclass(kind, agents.Agent)}
    assert kinds == {*naming.named().values(), agents.Agent, agents.ScalarAgent}
    for name, given in {
        "Halving": "hypotheses='classes.npy'", "ProjectedHalving": "dim=2", "GPBandit": ""
    }.items():  # fmt: skip
        assert type(agents.resolve(f"{name}({given})")) is getattr(agents, name)


@pytest.mark.parametrize(("name", "arguments"), NEED_ARGUMENTS.items())
def test_what_needs_arguments_says_which_and_how(name, arguments):
    assert naming.required(getattr(agents, name)) == arguments
    written = r"=\.\., ".join(arguments)
    with pytest.raises(ValueError, match=rf"write {name}\({written}=..\).*banditgym show {name}"):
        agents.resolve(name)


def test_a_hyperparameter_without_a_default_of_ones_own_is_asked_for(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE.replace("alpha: float = 0.5", "alpha: float"))
    with pytest.raises(ValueError, match=r"Mine needs arguments: write Mine\(alpha=..\)"):
        agents.resolve(f"{path}:Mine")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("Pending(UCB3())", "unknown agent 'UCB3'; did you mean UCB[12]"),
        ("GPUCB(covariance=RFB())", "unknown part 'rfb'; did you mean rbf"),
        ("GPUCB(covariance={'kind': 'rbf', 'lenght_scale': 1.0})", "no 'lenght_scale'; did you"),
        ("GPUCB(covariance=RBF(lenght_scale=1.0))", "the part 'rbf' has no 'lenght_scale'; did"),
        ("GPUCB(covariance=RBF(0.5))", "keywords with plain data"),
        ("GPUCB(covariance=RBF(**{'a': 1}))", "keywords with plain data"),
        ("GPUCB(radius=theory)", "strings in quotes"),
    ],
)
def test_parts_that_are_none(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.resolve(spec)


def test_hyperparameters_are_plain_data_and_parts_have_a_kind(mine):
    agent = agents.resolve(f"{mine}:Mine(estimator={{'kind': 'ridge', 'ridge': 3.0}})")
    plain = naming.hyperparameters(agent)
    assert plain == {"alpha": 0.5, "estimator": {"kind": "ridge", "ridge": 3.0}}
    assert json.loads(json.dumps(plain)) == plain


def test_names_are_those_of_agents_that_play_a_family():
    assert agents.names() == list(agents.AGENTS)
    assert "LinUCB" in agents.names("linear")
    assert "LinUCB" in agents.names("news")
    assert "UCB1" not in agents.names("linear")
    with pytest.raises(ValueError, match="family must be one of .*; did you mean kernelized"):
        agents.names("kernel")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("estimators", "Ridge"),
        ("posteriors", "Nystrom"),
        ("confidence", "self_normalized"),
        ("bounds", "oful"),
        ("decision_rules", "UCB"),
        ("batching", "EveryRound"),
        ("open_decisions", "OpenDecisions"),
    ],
)
def test_parts_are_found_from_the_package(path, name):
    assert path in dir(agents)
    assert getattr(agents, path).__dict__[name].__name__ == name


def test_an_agent_is_imported_when_it_is_first_used():
    code = (
        "import sys, agents; print('agents.linear.linucb' in sys.modules); "
        "from agents import LinUCB; print(LinUCB is sys.modules['agents.linear.linucb'].LinUCB, "
        "agents.LinUCB is LinUCB, 'agents.linear.oful' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", "True", "False"], done.stderr


def test_the_package_lists_all_agents_and_a_star_imports_them():
    assert {*naming.named(), "play", "load"} <= {*dir(agents)}
    starred = {}
    exec("from agents import *", starred)
    assert {*naming.named(), "play", "load"} <= starred.keys()


def test_no_other_module_is_found_from_the_package():
    with pytest.raises(AttributeError, match="'agents' has no attribute 'posterior'"):
        agents.posterior  # noqa: B018


def test_a_hyperparameter_may_be_called_kind():
    """Only a mapping within the hyperparameters names a part by its kind."""
    assert naming.parts_of("module:Mine(kind='x')") == []
    (part,) = naming.parts_of("FastLinUCB(estimator={'kind': 'discounted', 'discount': 0.5})")
    assert part.__name__ == "Discounted"


def test_the_error_for_a_file_without_a_class_shows_how_to_name_one():
    with pytest.raises(ValueError, match="name the class in the file too, as in 'mine.py:Mine'"):
        agents.resolve("mine.py")
