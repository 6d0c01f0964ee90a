"""Plays the corpus under every setting; compares it with the plain run and the frozen hashes.

``python -m tools.portability`` calls this. Its result is kept as data in
``leaderboards/results/portability.json``, see `tools.portability.portability_page`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from leaderboards.portability import corpus
from leaderboards.portability.published_hashes import known
from tools.portability.dispatch import PLAIN, VERSIONS, Setting, binds, settings
from tools.portability.setting_runs import PlayedSetting, play

_MOST = 8  # number of settings that need no other version of a package


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
    """A setting's result as plain data: the entries that differ from the plain run.

    The plain run itself is compared with the frozen hashes.
    """
    frozen, bound = known(), None
    if played is not plain:
        frozen = plain.hashes
        bound = bool(played.controls) and binds(played.setting, plain.controls, played.controls)
    reference = {name: value for name, value in frozen.items() if name in played.hashes}
    differing = [name for name, value in reference.items() if played.hashes[name] != value]
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
        "differ": sorted(differing),
        "errors": played.errors,
        "error": played.error,
        "seconds": round(played.seconds, 1),
    }
