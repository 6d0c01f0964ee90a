"""``submission.toml``: every problem in one pass, each with file, key and remedy."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboards.submit import manifest
from leaderboards.submit.folder import read
from leaderboards.submit.manifest import LICENCES
from leaderboards.submit.problems import SubmissionError

from ..small_files import AGENT, MANIFEST, replaced


def problems(folder):
    with pytest.raises(SubmissionError) as caught:
        manifest.read(read(folder))
    return {problem.key: str(problem) for problem in caught.value.problems}


def test_a_manifest_in_order(mine):
    found = manifest.read(read(mine))
    assert (found.title, found.authors, found.hyperparameters) == (
        "turns==1.0.0", ["A. Author"], {"first": 0},
    )  # fmt: skip


@pytest.mark.parametrize("key", ["name", "version", "authors", "contact", "license", "entry"])
def test_a_missing_key_is_told_with_an_example(mine, key):
    lines = MANIFEST.splitlines()
    (mine / "submission.toml").write_text(
        "\n".join(line for line in lines if not line.startswith(f"{key} ="))
    )
    (told,) = problems(mine).values()
    assert told.startswith(f"submission.toml, {key}: the key is missing; write {key} = ")


@pytest.mark.parametrize(
    ("old", "new", "key", "said"),
    [
        ("schema = 1", "schema = 2", "schema", "this version reads schema 1, got 2"),
        ("schema = 1", "schema = true", "schema", "it must be an integer, got True"),
        ("schema = 1", "schema = 1.0", "schema", "it must be an integer, got 1.0"),
        ('name = "turns"', "name = 3", "name", "it must be a string, got 3"),
        ('name = "turns"', 'name = "Turns"', "name", "it does not have the required form"),
        ('name = "turns"', 'name = "../up"', "name", "it does not have the required form"),
        ('name = "turns"', 'name = "lin-ucb"', "name", "'lin-ucb' is an agent of this package"),
        ('name = "turns"', f'name = "{"a" * 41}"', "name", "it is longer than 40"),
        ('"1.0.0"', '"1.0"', "version", "it does not have the required form"),
        ('"1.0.0"', '"1.0.0-rc1"', "version", "it does not have the required form"),
        ('"1.0.0"', "1.0", "version", "it must be a string, got 1.0"),
        ('["A. Author"]', '"A. Author"', "authors", "it must be an array"),
        ('["A. Author"]', "[]", "authors", "it is empty"),
        ('["A. Author"]', '["A", 3]', "authors.1", "it must be a string, got 3"),
        ('"author@example.org"', '"nobody"', "contact", "must be an e-mail address"),
        ('"MIT"', '"MTI"', "license", "did you mean MIT?"),
        ('"MIT"', '"Proprietary"', "license", "not the SPDX identifier of a licence that allows"),
        ("agent.py:Turns", "agent.py", "entry", "must be file.py:Class or module:Class"),
        ("agent.py:Turns", "../agent.py:Turns", "entry", "must be file.py:Class"),
        ("agent.py:Turns", "/etc/x.py:Turns", "entry", "must be file.py:Class"),
        ("agent.py:Turns", "agnet.py:Turns", "entry", "no file 'agnet.py'; did you mean agent.py?"),
        ("agent.py:Turns", "os:system", "entry", "there is no file 'os.py'"),
        ("agent.py:Turns", "agent.py:Tursn", "entry", "no class 'Tursn'; did you mean Turns?"),
        ("first = 0", "first = nan", "hyperparameters", "finite numbers"),
        ("first = 0", "first = 2030-01-01", "hyperparameters", "finite numbers"),
        ("first = 0", '"a b" = 0', "hyperparameters", "not a Python identifier, 'a b'"),
        ("first = 0", "__class__ = 0", "hyperparameters", "not a Python identifier"),
        ("trials = 0", "trials = -1", "tuning.trials", "out of range, got -1"),
        ("trials = 0", "trials = true", "tuning.trials", "it must be an integer, got True"),
        ("trials = 0", "trails = 0", "tuning.trails", "no such key; did you mean trials?"),
        ("facts = []", 'facts = "none"', "facts", "it must be an array"),
        ("facts = []", "facts = []\nlink = 'javascript:alert(1)'", "link", "https:// address"),
        ("facts = []", "facts = []\nlink = 'https://a.b/](x)'", "link", "https:// address"),
        ("facts = []", "facts = []\nfatcs = []", "fatcs", "no such key; did you mean facts?"),
        ('paper = "nobody 2030"\n', "", "paper", "it needs a paper or a link"),
    ],
)  # fmt: skip
def test_one_fault_is_one_line_with_its_key(mine, old, new, key, said):
    replaced(mine, old, new)
    told = problems(mine)
    assert key in told
    assert said in told[key]
    assert told[key].startswith(f"submission.toml, {key}: ")
    assert "; " in told[key]  # a remedy
    assert "\n" not in told[key]


def test_all_problems_of_a_file_in_one_pass(mine):
    for old, new in {
        "schema = 1\n": "",
        '"MIT"': "4",
        "trials = 0": "trials = 0.5",
        "[hyperparameters]": "[hyperparameter]",
        "agent.py:Turns": "agent.py:Tunrs",
    }.items():
        replaced(mine, old, new)
    told = problems(mine)
    expected = {"schema", "license", "tuning.trials", "hyperparameters", "hyperparameter", "entry"}
    assert set(told) == expected
    assert "did you mean hyperparameters?" in told["hyperparameter"]


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"name = ", "it is not valid TOML: Invalid value (at"),
        (b"name = 1\nname = 2\n", "it is not valid TOML: Cannot overwrite a value (at line 2"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (b"#" * 70_000, "larger than 65536 bytes"),
    ],
)
def test_what_is_no_toml_is_one_line(mine, contents, said):
    (mine / "submission.toml").write_bytes(contents)
    (told,) = problems(mine).values()
    assert told.startswith("submission.toml: ")
    assert said in told


def test_code_that_is_no_python_is_told_with_its_line(mine):
    replaced(mine, "import agents\n", "import agents\nx = = 1\n", "agent.py")
    (told,) = problems(mine).values()
    assert told.startswith("agent.py, line 8: it is not valid Python: invalid syntax")


def test_nothing_of_a_submission_runs_in_the_judge(mine, tmp_path):
    marker = tmp_path / "ran"
    replaced(mine, "import agents\n", f"import agents\nopen({str(marker)!r}, 'w')\n", "agent.py")
    manifest.read(read(mine))
    assert not marker.exists()


EVIL = ["<script>", "a\x1b[2J", "a\u202eb", "a\nb", "a\x00b", "a\u2028b", " a", "a\u200bb"]


@pytest.mark.parametrize("text", EVIL[1:])
@pytest.mark.parametrize("key", ["authors", "paper", "tuning.where", "facts"])
def test_text_with_what_cannot_be_seen_is_refused_and_shown_plainly(mine, key, text):
    old = {
        "authors": '["A. Author"]', "paper": '"nobody 2030"', "tuning.where": '"nowhere"',
        "facts": "[]",
    }[key]  # fmt: skip
    new = json.dumps(text)
    replaced(mine, old, f"[{new}]" if old.startswith("[") else new)
    told = "\n".join(problems(mine).values())
    assert key in told
    assert not set(told) & set("\x1b\u202e\u2028\u200b\x00")
    assert told.count("\n") == 0


def test_licences_are_spdx_identifiers():
    assert len(set(LICENCES)) == len(LICENCES)
    assert list(LICENCES) == sorted(LICENCES)
    assert not {"CC-BY-NC-4.0", "CC-BY-ND-4.0", "BUSL-1.1", "SSPL-1.0"} & set(LICENCES)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["schema", "name", "version", "authors", "tuning", "facts", "x", "entry"])
        | st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=4), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=6,
    )
)
def test_any_table_is_refused_in_lines(data):
    found = manifest.problems_of(data)
    assert found
    for problem in found:
        assert "\n" not in str(problem)
        assert len(str(problem)) < 1000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("trials = 0", f"trials = 0x{'f' * 5000}", "an integer of more than 64 bits"),
        ("trials = 0", f"trials = {'9' * 5000}", "an integer of more than 64 bits"),
        ("trials = 0", f"trials = {2**63}", "an integer of more than 64 bits"),
        ("schema = 1", f"schema = 0x{'f' * 5000}", "an integer of more than 64 bits"),
        ("schema = 1", f"schema = 1\nx = [[0x{'f' * 5000}]]", "an integer of more than 64 bits"),
        ("schema = 1", f"schema = 1\n{'a.' * 30000}a = 1", "nested too deeply"),
        ("schema = 1", f"schema = 1\n{'a.' * 40}a = 1", "nested too deeply"),
        ("schema = 1", f"schema = 1\na = {'[' * 40}{']' * 40}", "nested too deeply"),
        ("schema = 1", f"schema = 1\na = {'[' * 20000}{']' * 20000}", "nested too deeply"),
    ],
)
def test_what_is_made_to_take_long_is_refused_at_once(mine, old, new, said):
    (mine / "submission.toml").write_text(MANIFEST.replace(old, new))
    (told,) = problems(mine).values()
    assert said in told


def test_the_largest_integers_are_read(mine):
    (mine / "submission.toml").write_text(
        MANIFEST.replace("first = 0", f"first = [{-(2**63)}, {2**63 - 1}, 0.5, 1.5]")
    )
    assert manifest.read(read(mine)).hyperparameters["first"] == [-(2**63), 2**63 - 1, 0.5, 1.5]


def test_code_that_takes_long_to_parse_is_not_parsed(mine):
    (mine / "agent.py").write_text(AGENT + f"x = f'{'{1}' * 2**16}'\n")
    (told,) = problems(mine).values()
    assert told.startswith("submission.toml, entry: agent.py is larger than 128 KiB")
