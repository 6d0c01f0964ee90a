"""Studies: the search for one agent's setting on one family, kept in a journal of Optuna's.

A study's trials are played one after the other. Each trial has its own sampler, seeded by the
agent, the family and the trial's number, so a trial depends only on the finished trials. A trial is
written as one line when it ends. A study that was stopped, even by ``kill -9``, therefore continues
as if it had not been stopped. Only one process at a time may use a journal.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import portalocker

from agents.naming import resolve
from agents.search import Choice, Log, Space, as_plain, value_of
from agents.search import ends as ends_of_range
from leaderboards.run.keys.sources import of_environment
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite
from leaderboards.tuning.optional import optuna
from leaderboards.tuning.trials import Played, Scoring, limit_of, play, spec_of


@dataclass(frozen=True, kw_only=True)
class Study:
    """The definition of a study: the agent, its space, the tasks and the number of trials.

    Attributes
    ----------
    spec : str
        The agent with its defaults.
    space : mapping
        Its search space.
    trials : int
        Number of trials; the first one is the defaults.
    search, check : Suite
        The tasks, and the seeds of the trials and of the last comparison.
    baselines : dict of str to Baselines
        The measures that score 0 and 1 on the seeds of both.
    sources : str
        Hash of the code that the numbers depend on; a journal with another hash is refused.
    """

    spec: str
    family: str
    space: Space
    trials: int
    search: Suite
    check: Suite
    baselines: dict[str, Baselines] = field(repr=False)
    sources: str

    @property
    def name(self) -> str:
        """The name of its journal, without folder and extension."""
        place = re.sub(r"[^A-Za-z0-9]+", "-", self.spec).strip("-")
        digest = hashlib.sha256(self.spec.encode()).hexdigest()[:8]
        return f"{place if place == self.spec else f'{place[:60]}-{digest}'}.{self.family}"

    def about(self) -> dict[str, Any]:
        """All that must be equal for a journal to be continued."""
        return {
            "agent": self.spec,
            "family": self.family,
            "space": as_plain(self.space),
            "trials": self.trials,
            "suite": self.search.hash,
            "tasks": {task.name: of_environment(task) for task in self.search.tasks},
            "seeds": [self.search.seeds[0], self.search.n_seeds],
            "further seeds": [self.check.seeds[0], self.check.n_seeds],
            "sources": self.sources,
            "optuna": optuna().__version__,
        }


def run(study: Study, folder: Path) -> dict[str, Any]:
    """Play the missing trials of a study, and compare its best setting with the defaults.

    Returns
    -------
    dict
        ``setting``, ``best``, ``failed``, ``scores`` and ``gain``, as `rank.tuned_records.Tuned`
        describes them; as the journal keeps them, with lists in place of tuples.

    Raises
    ------
    ValueError
        If the journal is of another study, another process uses it, or the defaults fail.
    """
    with journal(folder / f"{study.name}.journal") as storage:
        kept = optuna().create_study(
            storage=storage, study_name=study.name, direction="maximize", load_if_exists=True
        )
        about = kept.user_attrs.get("about")
        if about is None:
            kept.set_user_attr("about", study.about())
        elif about != study.about():
            own = study.about()
            other = ", ".join(key for key in own if own[key] != about.get(key))
            raise ValueError(
                f"{folder} has a study of {study.spec} on {study.family} with other {other}: name "
                "another folder with --store"
            )
        scoring = Scoring(study.search, study.baselines)
        for number in range(len(kept.trials), study.trials):
            kept.add_trial(_trial(study, scoring, _scored(kept.trials, scoring), number))
        if "found" not in kept.user_attrs:
            trials = _scored(kept.trials, scoring)
            kept.set_user_attr("found", _compared(study, scoring, trials))
        return kept.user_attrs["found"]


def _scored(trials: list[Any], scoring: Scoring) -> list[Any]:
    """The trials by the present score: a journal of an earlier version has another one's."""
    for one in trials:  # copies of the journal's
        if one.user_attrs["error"] is None:
            one.value = scoring.score(one.user_attrs["finals"])
    return trials


def _trial(study: Study, scoring: Scoring, trials: list[Any], number: int) -> Any:
    """Play one trial, as a frozen trial of Optuna's."""
    ranges = {name: _distribution(among) for name, among in study.space.items()}
    setting = {} if number == 0 else _suggested(study, trials, ranges, number)
    earlier = next((one for one in trials if one.user_attrs["setting"] == setting), None)
    if earlier is not None:  # equal by definition: nothing is played twice
        played = _played(earlier)
    else:
        limit = None if number == 0 else limit_of(_played(trials[0]))
        played = play(spec_of(study.spec, setting), study.search, limit)
    if number == 0 and played.error is not None:
        raise ValueError(f"{study.spec} fails with its defaults, on {played.error}")
    params = _defaults_within(study) if number == 0 else setting
    states = optuna().trial.TrialState
    return optuna().trial.create_trial(
        state=states.COMPLETE if played.error is None else states.FAIL,
        value=scoring.score(played.finals) if played.error is None else None,
        params=params,
        distributions={name: ranges[name] for name in params},
        user_attrs={"setting": setting, **vars(played)},
    )


def _played(trial: Any) -> Played:
    """What a trial of the journal played."""
    return Played(**{key: trial.user_attrs[key] for key in ("finals", "seconds", "error")})


def _suggested(
    study: Study, trials: list[Any], ranges: dict[str, Any], number: int
) -> dict[str, Any]:
    """The setting of a trial, from the trials before it and the trial's own sampler."""
    memory = optuna().create_study(direction="maximize", sampler=_sampler(study, number))
    memory.add_trials(trials)
    drawn = memory.ask(ranges).params
    return {name: study.space[name].nearest(drawn[name]) for name in study.space}


def _sampler(study: Study, number: int) -> Any:
    text = json.dumps([study.spec, study.family, number])
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
    return optuna().samplers.TPESampler(seed=seed)


def _defaults_within(study: Study) -> dict[str, Any]:
    """The defaults that lie in the space; a theorem's name, or a fact of the task, does not."""
    agent = resolve(study.spec)
    defaults = {name: value_of(agent, name) for name in study.space}
    return {name: value for name, value in defaults.items() if study.space[name].contains(value)}


def _distribution(among: Any) -> Any:
    """Optuna's distribution for a range of a space."""
    of = optuna().distributions
    if isinstance(among, Choice):
        return of.CategoricalDistribution(among.options)
    low, high = ends_of_range(among)
    whole = isinstance(low, int) and isinstance(high, int)
    kind = of.IntDistribution if whole else of.FloatDistribution
    return kind(low, high, log=isinstance(among, Log))


def _compared(study: Study, scoring: Scoring, trials: list[Any]) -> dict[str, Any]:
    """Choose a setting: the best one, if it beats the defaults on the further seeds."""
    good = [one for one in trials if one.user_attrs["error"] is None]
    best = max(good, key=lambda one: (one.value, -one.number))
    setting, gain = best.user_attrs["setting"], None
    if best.number > 0:
        further = Scoring(study.check, study.baselines)
        specs = (spec_of(study.spec, setting), study.spec)
        new, old = (play(spec, study.check) for spec in specs)
        if old.error is not None:
            raise ValueError(f"{study.spec} fails with its defaults, on {old.error}")
        if new.error is None:
            gain = list(further.difference(new.finals, old.finals))
    better = gain is not None and gain[1] > 0
    default = scoring.by_ranking(trials[0].user_attrs["finals"])
    own = scoring.by_ranking(best.user_attrs["finals"]) if better else default
    return {
        "setting": setting if better else {},
        "best": setting,
        "failed": len(trials) - len(good),
        "scores": {name: [default[name], own[name]] for name in default},
        "gain": gain,
    }


@contextlib.contextmanager
def journal(path: Path) -> Iterator[Any]:
    """Optuna's storage in a file that only this process uses; an incomplete line is dropped.

    Raises
    ------
    ValueError
        If another process uses the file.
    """
    storages = optuna().storages
    path.parent.mkdir(parents=True, exist_ok=True)
    # The system drops the lock with the process. It has a file of its own, because Windows lets
    # nobody write to a locked file, and Optuna opens the journal itself.
    with path.with_suffix(".lock").open("ab") as lock:
        try:
            portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.AlreadyLocked:
            raise ValueError(f"another process is tuning into {path}") from None
        contents = path.read_bytes() if path.exists() else b""
        if (whole := contents.rfind(b"\n") + 1) < len(contents):
            os.truncate(path, whole)
        backend = storages.journal.JournalFileBackend(str(path), lock_obj=_Held())
        yield storages.JournalStorage(backend)


class _Held:
    """The lock that Optuna's journal takes for every line; one process has the whole file."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass
