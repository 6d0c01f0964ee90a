"""Freezes what is new: the lists of names, the corpus of bits, and all that is published.

``python -m tools.freeze`` is the one command after anything is added, and names what it adds to:

- the lists of agents (`tools.registry`);
- ``leaderboards/portability/corpus.json``: hashes of every environment's first rounds and of every
  agent's play, which it plays again;
- ``leaderboards/results/frozen.json``: hashes of the defaults of every id, of suites and the files
  beside them, of epochs and of published results;
- the hash of the first seed of each experiment in the findings of papers.

A hash that is frozen changes or goes only with ``--alter REASON``; its file keeps the reason. Tests
compare all of these with the checkout.

A published result is the curve of one measure of one agent on one task. Its hash covers task,
agent, measure, seeds, rounds and values, but not keys, specifications, versions or times. So a row
may gain a field or a measure, and a suite an agent, without changing any earlier entry.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of
from leaderboards.console.progress import bar
from leaderboards.portability import corpus
from leaderboards.run.store.store import Row, Store
from leaderboards.submit.epochs.auditing import SIGNERS
from leaderboards.suites import resources
from leaderboards.suites.suite import SHIPPED, Suite, available, load
from tools import registry, renewed_keys
from tools.tuned_results import FOLDER as TUNED

FOLDER = Path(__file__).parents[1] / "leaderboards"
CORPUS = "portability/corpus.json"
PUBLISHED = "results/frozen.json"
_SHOWN = 40  # lines of what is new


def entries(folder: Path) -> dict[str, str]:
    """The hashes of everything that is published, by names that say what each covers.

    Parameters
    ----------
    folder : Path
        The folder with the published ``results``, as `tools.publish` writes them, and with
        the ``epochs``.
    """
    rows, tuned = Store(folder / "results").rows(), Store(folder / "results" / TUNED).rows()
    found = defaults() | {
        f"epoch {path.name}": hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted((folder / "epochs").glob("*"))
        if path.suffix != ".md"  # a page, which is drawn anew from the other files
        if path.name != SIGNERS  # which grows
    }
    for suite in map(load, available()):
        found[f"suite {suite.name}"] = suite.hash
        found[f"rankings {suite.name}"] = _digest(
            [[task.name, task.ranking] for task in suite.tasks]
        )
        beside = resources.path_of(SHIPPED / f"{suite.name}.toml")
        if beside.exists():
            found[f"resources {suite.name}"] = resources.of_file(beside).hash
        if suite.baselines:  # none until its baselines were played
            found[f"baselines {suite.name}"] = _digest(_baselines(suite))
        own = folder / "results" / suite.name
        more, other = Store(own).rows(suite.hash), Store(own / TUNED).rows(suite.hash)
        found |= published(suite, [*more, *(row for row in rows if row.suite == suite.hash)])
        found |= published(
            suite, [*other, *(row for row in tuned if row.suite == suite.hash)], "tuned"
        )
    return found


def defaults() -> dict[str, str]:
    """An entry for the default of each setting of each environment."""
    return {
        f"environment {name} {setting}": _digest(repr(default))
        for name, env in ENVIRONMENTS.items()
        for setting, default in (settings_of(load_env(env.path)) | env.settings).items()
    }


def published(suite: Suite, rows: list[Row], kind: str = "result") -> dict[str, str]:
    """An entry for each measure of each agent on each task; its name begins with the ``kind``."""
    curves: dict[tuple[str, str, str], list[list[Any]]] = {}
    for row in rows:
        for measure, values in (row.measures or {}).items():
            curve = [row.seed, row.rounds, values]
            curves.setdefault((row.task, row.agent, measure), []).append(curve)
    return {
        f"{kind} {suite.name} {task} {agent} {measure}": _digest(
            [task, agent, measure, sorted(own, key=lambda curve: curve[0])]
        )
        for (task, agent, measure), own in curves.items()
    }


def played() -> dict[str, str]:
    """The hashes of the whole corpus, which is played.

    Raises
    ------
    ValueError
        If a part of it cannot be played.
    """
    found: dict[str, str] = {}
    names = corpus.groups()
    with bar("corpus") as progress:
        for done, (name, hashes) in enumerate(corpus.hashes(names), 1):
            if isinstance(hashes, str):
                raise ValueError(f"the corpus cannot be played: {name}: {hashes}")
            found |= hashes
            progress(done / len(names), False, name)
    return found


def renewed(kept: dict[str, Any], now: dict[str, str], why: str | None) -> dict[str, Any]:
    """The contents of a file with new entries, and with altered ones if a reason is given.

    Raises
    ------
    ValueError
        If an entry would change or be dropped, and no reason is given.
    """
    old = kept["entries"]
    altered = [name for name in old if now.get(name) != old[name]]
    altered.sort(key=lambda name: (name.startswith(("result ", "tuned ")), name))
    if altered and not (why or "").strip():
        shown = ", ".join(altered[:5]) + (", .." if len(altered) > 5 else "")
        raise ValueError(
            f"{len(altered)} entries are not what they were: {shown}; what is frozen does not "
            "change: give the next suite or environment another name, or say why with --alter"
        )
    reasons = kept["altered"] + ([{"why": why, "entries": altered}] if altered else [])
    return {"entries": dict(sorted(now.items())), "altered": reasons}


def read(path: Path) -> dict[str, Any]:
    """The contents of a file of hashes."""
    return json.loads(path.read_text(encoding="utf-8"))


def freeze(why: str | None = None) -> list[str]:
    """Freeze what is new, and alter what is frozen if a reason is given; returns a line for each.

    Raises
    ------
    ValueError
        If an entry would change without a reason, or something cannot be played.
    """
    lines: list[str] = []
    texts: dict[Path, str] = {}
    for path, find in ((FOLDER / PUBLISHED, lambda: entries(FOLDER)), (FOLDER / CORPUS, played)):
        old, now = read(path), find()
        new = renewed(old, now, why)
        texts[path] = json.dumps(new, indent=1) + "\n"
        lines += [f"new: {name}" for name in now if name not in old["entries"]]
        for reason in new["altered"][len(old["altered"]) :]:
            lines += [f"altered: {name}" for name in reason["entries"]]
    seeds = renewed_keys.renew(FOLDER / "results" / "papers", only_new=True)
    for path, text in texts.items():
        whole_files.write(path, text)
    return lines + [f"new: first seed of {name}" for name in seeds]


def main() -> None:
    """Freeze what is new in this checkout."""
    parser = argparse.ArgumentParser(prog="python -m tools.freeze", description=__doc__)
    parser.add_argument("--alter", metavar="REASON", help="why hashes may change or be dropped")
    chosen = parser.parse_args()
    try:
        if (names := registry.write()) is not None:
            _say([f"new: agent {name}" for name in names])
            again = [sys.executable, *sys.orig_argv[1:]]  # with the lists as they are now
            sys.exit(subprocess.run(again, check=False).returncode)
        _say(freeze(chosen.alter) or ["nothing is new"])
    except (ValueError, OSError) as error:
        sys.exit(str(error))


def _say(lines: list[str]) -> None:
    for line in lines[:_SHOWN]:
        print(line, flush=True)  # before what a further process prints
    if len(lines) > _SHOWN:
        print(f"and {len(lines) - _SHOWN} more")


def _baselines(suite: Suite) -> list[Any]:
    return [
        [task.name, task.reference, sorted(own.uniform.items()), sorted(own.best.items())]
        for task in suite.tasks
        if (own := suite.baselines.get(task.name)) is not None
    ]


def _digest(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
