"""The resource class of a suite: from the file beside it, or core-v2's."""

from dataclasses import asdict, replace

import pytest

from leaderboards.suites.resources import of_suite
from leaderboards.suites.suite import available, find, load

FILE = """cpu_per_round = 0.25
answer = 2.0
wall = 20.0
start = 30.0
start_wall = 300.0
memory = 1024
"""


def test_a_suite_has_the_class_beside_it_and_else_that_of_core(tmp_path):
    core = of_suite(find("core-v2"))
    assert load("core-v2").resources == load("armed-v1").resources == core
    assert core.cpu_per_round == 0.005
    (tmp_path / "mine.resources.toml").write_text(FILE)
    mine = of_suite(tmp_path / "mine.toml")
    assert asdict(mine) == {
        "cpu_per_round": 0.25, "answer": 2.0, "wall": 20.0, "start": 30.0, "start_wall": 300.0,
        "memory": 1024,
    }  # fmt: skip
    assert "core-v2.resources" not in available()


def test_the_hash_is_of_every_value():
    core = of_suite(find("core-v2"))
    others = [replace(core, **{name: 2 * value}) for name, value in asdict(core).items()]
    assert len({one.hash for one in [core, *others]}) == 7


def test_it_is_said_in_a_line():
    assert str(of_suite(find("core-v2"))) == (
        "one core, 5 ms of CPU time a round and replicate on average, 10 s an answer (100 s wall-"
        "clock), 120 s (1200 s) for imports and for reset; 4096 MiB of memory"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("wall = 20.0", "", "wall: Field required"),
        ("wall = 20.0", "wall = 0.0", "wall: Input should be greater than 0"),
        ("wall = 20.0", "wall = inf", "wall: Input should be a finite number"),
        ("wall = 20.0", "wall = '2'", "wall: Input should be a valid number"),
        ("wall = 20.0", "wall = 20.0\nwalls = 1.0", "walls: Unexpected keyword argument"),
        ("memory = 1024", "memory = 64", "memory: Input should be greater than or equal to 512"),
        ("memory = 1024", "memory", "cannot be read"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(tmp_path, old, new, message):
    (tmp_path / "mine.resources.toml").write_text(FILE.replace(old, new, 1))
    with pytest.raises(ValueError, match=rf"^mine.resources.toml:? .*{message}"):
        of_suite(tmp_path / "mine.toml")
