"""Values of ``--executor``, and the error if dask is missing; no test needs dask."""

import importlib

import pytest
import typer

from leaderboards import cli
from leaderboards.cluster import executor
from leaderboards.cluster.executor import opener


def never():
    raise AssertionError("nothing is compared before a cluster is opened")


@pytest.mark.parametrize(
    "text",
    ["", "lokey", "dask:", "dask: ", "dask:here", "dask:udp://a:1", "dask:a:b", "dask:a:1 b"],
)
def test_there_are_three_kinds(text):
    with pytest.raises(ValueError, match="choose loky, dask .* or dask:ADDRESS") as refused:
        opener(text, workers=None, wanted=never)
    assert str(refused.value).startswith(f"--executor {text}: ")
    assert "\n" not in str(refused.value)


def test_a_cluster_elsewhere_has_its_own_workers():
    with pytest.raises(ValueError, match="--workers is for a cluster on this machine: drop it"):
        opener("dask:node1:8786", workers=2, wanted=never)


def test_a_scheduler_file_must_be_there(tmp_path):
    with pytest.raises(ValueError, match="there is no scheduler file"):
        opener(f"dask:{tmp_path}/scheduler.json", workers=None, wanted=never)


def test_without_dask_its_extra_is_named(monkeypatch):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ValueError, match="--executor dask needs dask: pip install") as refused:
        opener("dask", workers=None, wanted=never)
    assert '"banditgym[dask]"' in str(refused.value)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("dask", None),
        ("dask:node1:8786", "node1:8786"),
        ("dask:tls://[::1]:8786", "tls://[::1]:8786"),
        ("dask:FOLDER/scheduler.json", "FOLDER/scheduler.json"),
    ],
)
def test_what_is_named_is_opened(text, address, tmp_path, monkeypatch):
    (tmp_path / "scheduler.json").write_text("{}")
    opened = []
    monkeypatch.setattr(importlib, "import_module", lambda name: None)
    monkeypatch.setattr(
        executor, "DaskCluster", lambda *given, **more: opened.append((given, more))
    )
    opener(text.replace("FOLDER", str(tmp_path)), workers=None, wanted=lambda: "alike")()
    expected = None if address is None else address.replace("FOLDER", str(tmp_path))
    assert opened == [((expected,), {"workers": None, "wanted": "alike"})]


def test_held_out_seeds_are_played_on_this_machine_alone():
    """dask authenticates nobody: only ``leaderboard run`` uses a cluster."""

    def with_executor(command, path):
        if any("--executor" in parameter.opts for parameter in command.params):
            yield path
        for name, below in getattr(command, "commands", {}).items():
            yield from with_executor(below, f"{path} {name}".strip())

    assert list(with_executor(typer.main.get_command(cli.app), "")) == ["leaderboard run"]
