"""Where the classes that a text names come from, and where others' code raised."""

import subprocess
import sys

import pytest

from agents import naming
from banditgym.files.class_paths import file_of, module_at, names_own, place_of, raised_at
from banditgym.registration import ENVIRONMENTS


def test_the_two_parts_of_a_name():
    assert place_of("a/b.py:Mine(x='c:d')") == ("a/b.py", "Mine")
    assert place_of(" agents:LinUCB ") == ("agents", "LinUCB")
    assert place_of("LinUCB(alpha=1.0)") == ("", "LinUCB")


def test_classes_of_ours_are_distinguished_from_everything_else():
    for name, kind in naming.named().items():
        assert names_own(name)
        assert names_own(f"{kind.__module__}:{name}")
        assert names_own(f"agents:{name}(alpha=1.0)")  # which hands it on
    assert all(names_own(entry.path) for entry in ENVIRONMENTS.values())
    for other in (
        "leaderboards.references:np",
        "leaderboards.references:NewsTasks",
        "leaderboards.references:Path",
        "leaderboards.run.store.store:Path",  # a class of another package
        "agents.naming:resolve",
        "agents.nothing:LinUCB",
        "agents..linear:LinUCB",
        "leaderboards.peers.mabwiser:MABWiserLinUCB",
        "leaderboards.submissions.imed.imed:IMED",
        "numpy:ndarray",
        "mine.py:Mine",
    ):
        assert not names_own(other), other


def test_a_class_that_its_module_states_is_known_without_an_import():
    code = (
        "import sys; from banditgym.files.class_paths import names_own; "
        "assert names_own('leaderboards.references:ClickModel(log_seed=2)'); "
        "assert not names_own('leaderboards.peers.river:RiverLinUCB'); "
        "assert not {'agents', 'leaderboards', 'numba'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_module_is_found_by_its_name_and_a_file_by_its_path(tmp_path):
    assert module_at("agents.naming") is naming
    file = tmp_path / "mine.py"
    file.write_text("x = 1\n")
    first = module_at(str(file))
    assert module_at(str(file)) is first
    file.write_text("x = 2\n")
    assert (first.x, module_at(str(file)).x) == (1, 2)
    with pytest.raises(ValueError, match="is not the name of a module"):
        module_at("agents..naming")
    with pytest.raises(ValueError, match="cannot import 'agents.nothing'"):
        module_at("agents.nothing")
    with pytest.raises(ValueError, match="cannot read .*: No such file"):
        module_at(str(tmp_path / "none.py"))


def test_the_innermost_line_in_a_file_is_reported(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def f():\n    return int('x')\n\n\ndef g():\n    return f()\n")
    module = module_at(str(file))
    with pytest.raises(ValueError, match="invalid literal") as caught:
        module.g()
    assert raised_at(caught.value, {str(file)}) == " (mine.py:2)"
    assert raised_at(caught.value, {str(tmp_path / "other.py")}) == ""


def test_a_package_is_found_before_a_file_of_its_name(tmp_path):
    (tmp_path / "a.py").touch()
    assert file_of("a", tmp_path) == tmp_path / "a.py"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "__init__.py").touch()
    assert file_of("a", tmp_path) == tmp_path / "a" / "__init__.py"
    assert file_of("a.b", tmp_path) is None
