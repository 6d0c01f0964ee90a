"""Plays the corpus under every setting; compares it with the plain run and the frozen hashes.

``banditgym portability`` calls this. Its result is kept as data in
``leaderboards/results/portability.json``, see `tools.portability.portability_page`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from banditgym.files import whole_files
from leaderboards.portability import corpus
from tools.freeze import read, renewed
from tools.portability.dispatch import PLAIN, VERSIONS, Setting, binds, settings
from tools.portability.setting_runs import PlayedSetting, play

HASHES = Path(__file__).parents[2] / "leaderboards/portability/corpus.json"
_MOST = 8  # number of settings that need no other version of a package


@dataclass(frozen=True)
class Exempt:
    """Entries that may differ under some settings.

    Parameters
    ----------
    entries, settings : str
        Patterns of names, with wildcards as for files.
    """

    entries: str
    settings: str
    reason: str


EXCEPTIONS: tuple[Exempt, ...] = ()


def exempt_anywhere(entry: str) -> bool:
    """Whether an entry may differ under any setting, and so on another CPU."""
    return any(fnmatchcase(entry, exempt.entries) for exempt in EXCEPTIONS)


def exception(entry: str, setting: str) -> str | None:
    """The reason why an entry may differ under a setting; None if it may not."""
    fitting = (one for one in EXCEPTIONS if fnmatchcase(entry, one.entries))
    return next((one.reason for one in fitting if fnmatchcase(setting, one.settings)), None)


def run(
    chosen: Iterable[str] | None = None,
    *,
    versions: bool = False,
    groups: Sequence[str] | None = None,
    folder: Path,
    progress: Callable[[float], None] = lambda fraction: None,
) -> Iterator[PlayedSetting]:
    """Play the corpus without a setting, then under every setting that can be forced here.

    Parameters
    ----------
    chosen : iterable of str, optional
        Names of settings besides the plain one; all by default.
    versions : bool
        Whether to play with other versions of packages too, which pip downloads.
    groups : sequence of str, optional
        Groups of the corpus; all by default.
    folder : Path
        As for ``setting_runs.play``.
    progress : callable
        Called with the approximate fraction that is done.

    Raises
    ------
    ValueError
        If there is no setting of a given name.
    """
    parts = corpus.groups() if groups is None else groups
    wanted = None if chosen is None else list(chosen)
    # The plain run tells which settings this machine has.
    total = 1 + (_MOST + versions * len(VERSIONS) if wanted is None else len(wanted))
    done = 0

    def played(setting: Setting) -> PlayedSetting:
        nonlocal done
        result = play(
            setting, parts, folder, progress=lambda part: progress(min(1.0, (done + part) / total))
        )
        done += 1
        return result

    plain = played(PLAIN)
    yield plain
    if plain.error is not None and not plain.machine:
        return
    able, lacking = settings(plain.machine)
    able += VERSIONS
    known = [setting.name for setting in able] + list(lacking)
    if wanted is None:
        wanted = [s.name for s in able if versions or not s.packages] + list(lacking)
    for name in wanted:
        if name not in known:
            raise ValueError(f"no setting is called {name!r}; here there are {', '.join(known)}")
    yield from (played(setting) for setting in able if setting.name in wanted)
    for name, reason in lacking.items():
        if name in wanted:
            yield PlayedSetting(Setting(name, reason, "none"), error=f"not tried: {reason}")


def record(played: PlayedSetting, plain: PlayedSetting) -> dict[str, Any]:
    """A setting's result as plain data: the entries that differ from the plain run, and why.

    The plain run itself is compared with the frozen hashes.
    """
    frozen, bound = known(), None
    if played is not plain:
        frozen = plain.hashes
        bound = bool(played.controls) and binds(played.setting, plain.controls, played.controls)
    reference = {name: value for name, value in frozen.items() if name in played.hashes}
    differing = [name for name, value in reference.items() if played.hashes[name] != value]
    reasons = {name: exception(name, played.setting.name) for name in differing}
    return {
        "setting": played.setting.name,
        "what": played.setting.what,
        "variables": played.setting.variables,
        "packages": list(played.setting.packages),
        "machine": {k: v for k, v in played.machine.items() if k != "features"},
        "controls": played.controls,
        "binds": bound,
        "played": len(played.hashes),
        "compared": len(reference),
        "differ": sorted(name for name, reason in reasons.items() if reason is None),
        "exempt": {name: reason for name, reason in sorted(reasons.items()) if reason is not None},
        "errors": played.errors,
        "error": played.error,
        "seconds": round(played.seconds, 1),
    }


def groups(patterns: Iterable[str] | None = None) -> list[str]:
    """The groups of the corpus whose names match any of the patterns; all if there are none.

    Raises
    ------
    ValueError
        If a pattern matches no group.
    """
    known = corpus.groups()
    chosen: set[str] = set()
    for pattern in patterns or ["*"]:
        fitting = {name for name in known if fnmatchcase(name, pattern)}
        if not fitting:
            some = ", ".join(known[:3]) + f" and {len(known) - 3} more"
            raise ValueError(f"no group of the corpus fits {pattern!r}; there are {some}")
        chosen |= fitting
    return [name for name in known if name in chosen]


def freeze(plain: PlayedSetting, reason: str | None = None) -> list[str]:
    """Freeze the hashes of a plain run of the whole corpus; returns the entries that changed.

    Raises
    ------
    ValueError
        If the run was not complete, or frozen hashes would change without a reason.
    """
    wrong = [plain.error] if plain.error else [f"{k}: {v}" for k, v in plain.errors.items()]
    if wrong:
        raise ValueError(f"not all of the corpus was played: {wrong[0]}")
    before = known()
    kept = renewed(read(HASHES), plain.hashes, reason)
    whole_files.write(HASHES, json.dumps(kept, indent=1) + "\n")
    return sorted(name for name, value in before.items() if plain.hashes.get(name) != value)


def known() -> dict[str, str]:
    """The frozen hashes, by entry."""
    return read(HASHES)["entries"]
