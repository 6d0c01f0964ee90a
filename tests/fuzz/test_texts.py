"""Texts of the command line and suite files: each is read, or says in a line what is wrong."""

import tempfile
from pathlib import Path
from typing import Any

from fuzzing import damaged, examples, plain, readable
from hypothesis import given
from hypothesis import strategies as st

from agents.naming import resolve
from leaderboards.commands.given_settings import setting_of
from leaderboards.run import sizes
from leaderboards.run.plan import plan
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load

TOKENS = (
    "LinUCB", "OFUL", "UCB1", "GPUCB", "alpha", "radius", "estimator", "covariance", "SVRG", "RBF",
    "(", ")", "[", "]", "{", "}", "=", ",", ":", ".", "..", "'", '"', " ", "0.5", "-1", "1e999",
    "None", "True", "lambda", "import", "__class__", "**", "kind", "nan", "\n", "\x00", "é",
    "\ud800", "[" * 300, "(" * 300, "-" * 3000, "9" * 5000, "file.py", "x", "#",
)  # fmt: skip
SPECS = (
    "LinUCB(alpha=0.5)", "FastLinUCB(estimator=SVRG(ridge=2.0))", "agents:UCB1",
    "GPUCB(covariance={'kind': 'rbf', 'length_scale': 0.2})", "file.py:Mine(alpha=1)", "UCB1()",
    "GPBandit(posterior=Nystrom(qbar=2.0), rule=UCB(radius=1.0))",
)  # fmt: skip
SUITE = b"""title = "a suite"
seeds = 3

[[task]]
name = "one"
env = "LinearBandit-v0"
horizon = 20
settings = { n_arms = 3, dim = 2, noise_std = 0.1, contexts = "sphere" }

[[task]]
name = "two"
env = "MulticlassBandit-v0"
horizon = 10
measure = "mistakes"
reference = "Perceptron"
ranking = "labels"
settings = { data = "rows.svm", order = "shuffled" }
"""


def texts(whole: tuple[str, ...]) -> st.SearchStrategy[str]:
    """One of the texts with tokens in place of parts of it, or tokens and characters alone."""
    token = st.sampled_from(TOKENS)

    def changed(text: str, at: int, length: int, new: str) -> str:
        at = at % (len(text) + 1)
        return text[:at] + new + text[at + length :]

    return st.one_of(
        st.builds(changed, st.sampled_from(whole), st.integers(0, 80), st.integers(0, 9), token),
        st.lists(token, max_size=12).map("".join),
        st.text(max_size=20),
    )


@examples(400)
@given(texts(SPECS))
def test_agent_specifications(text):
    with readable():
        resolve(text)


@examples(400)
@given(texts(("dim=20", "means=[0.1, 0.2]", "contexts='sphere'", "x={a = 1}", "x=(1, 2)", "x={1}")))
def test_set(text):
    with readable():
        name, value = setting_of(text)
        assert name.isidentifier()
        repr(value)


def check_suite(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.svm").write_text("1 1:0.5\n2 2:1\n1 1:1 2:1\n")
        (folder / "mine.toml").write_bytes(data)
        with readable():
            suite = load(folder / "mine.toml")
            sizes.of_suite(suite, None)
            if len(suite.seeds) < 1000:
                plan(suite, ["LinUCB", "Banditron"], Store(folder / "store"))


@examples(150)
@given(damaged(SUITE, (b"inf", b"-1", b"0", b"[", b"{", b"1e400", b"'''", b"[[task]]\n", b"\xc3")))
def test_damaged_suite_files(data):
    check_suite(data)


def toml(value: Any) -> str:
    """A value as TOML has it, so far as it does."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08X}" for c in value) + '"'
    return "''" if value is None else str(value)


@examples(150)
@given(
    st.sampled_from(
        ["title", "seeds", "name", "env", "horizon", "settings", "reference", "ranking"]
    ),
    st.sampled_from(["n_arms", "dim", "noise_std", "contexts", "theta", "arms", "horizon", "env"]),
    plain(),
)
def test_suite_files_with_other_values(key, setting, value):
    lines = SUITE.decode().split("\n")
    written = {"settings": f"settings = {{ {setting} = {toml(value)} }}"}.get(
        key, f"{key} = {toml(value)}"
    )
    place = next(i for i, line in enumerate(lines) if line.startswith(key))
    lines[place] = written
    with_surrogates = "\n".join(lines)
    check_suite(with_surrogates.encode("utf-8", "replace"))
