"""Describes one agent, environment, suite or paper, from its docstring."""

import dataclasses
import inspect
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from agents import naming
from agents.agent import Agent
from agents.parts.deep.library import REMEDY
from agents.parts.deep.library_agent import LibraryAgent
from agents.play import task_of
from banditgym.files.class_paths import module_at, place_of
from banditgym.registration import ENVIRONMENTS
from banditgym.validation import brief, nearest
from banditgym.vector_env import BanditVectorEnv, load_env, settings_of
from leaderboards import papers
from leaderboards.describe import docstrings
from leaderboards.suites import environments
from leaderboards.suites.suite import available, load

# Gymnasium's name for the horizon; it is described there.
_ALIASES = ("max_episode_steps",)
# Facts that are shown on a line of their own, and the titles of these lines.
_FACTS = {
    "needs": "needs", "plays": "plays", "library": "needs the library", "family": "family",
    "observation": "observation", "action": "action", "not_made": "not made", "seeds": "seeds",
    "hash": "hash", "in_the_sandbox": "in the sandbox", "cost": "cost",
    "searched": "banditgym tune tries",
    "full_information": "told labels", "agents": "agents", "source": "source",
    "references": "reference", "reference": "reference", "file": "file",
}  # fmt: skip


def details(name: str, trust: bool = False) -> dict[str, Any]:
    """The description of the thing with a given name as plain data; ``kind`` says what it is.

    Parameters
    ----------
    name : str
        An agent, an environment, a suite or a paper, as other commands take it.
    trust : bool
        Whether code that a suite names may run, see ``suite.load``.

    Raises
    ------
    ValueError
        If nothing has this name; the message suggests the nearest one.
    """
    place, thing = place_of(name)
    agents = naming.named()
    if place:
        found = getattr(module_at(place), thing, None)
        is_agent = isinstance(found, type) and issubclass(found, Agent)
        return _agent(name, naming.find(name)) if is_agent else _environment(name)
    if thing in agents:
        return _agent(thing, agents[thing])
    if name in available() or name.endswith(".toml"):
        return _suite(name, trust)
    if name in (*papers.NAMES, *papers.ALIASES):
        return _paper(name)
    if environments.known(name):
        return _environment(name)
    known = [*agents, *ENVIRONMENTS, *available(), *papers.NAMES]
    hint = nearest(name, known) or "; banditgym list agents, envs, suites or papers has the names"
    raise ValueError(f"nothing is called {name!r}{hint}")


def shown(about: Mapping[str, Any]) -> RenderableType:
    """The same for a terminal."""
    return Group(*_parts(about))


def _agent(name: str, kind: type[Agent]) -> dict[str, Any]:
    said = docstrings.parameters(kind)
    families = naming.families_of(kind)
    needs = naming.required(kind)
    return {
        "kind": "agent",
        "name": name,
        "rule": docstrings.summary(kind),
        "plays": families,
        "full_information": kind.full_information,
        "needs": needs,
        "library": f"{kind.library}: {REMEDY}" if issubclass(kind, LibraryAgent) else "",
        "hyperparameters": [
            _argument(
                said,
                field.name,
                None if field.name in needs else _default(field),
                from_task=field.name in kind.from_task,
            )
            for field in dataclasses.fields(kind)
        ],
        "searched": [f"{key} {among}" for key, among in (kind.search or {}).items()],
        "cost": docstrings.costs(kind),
        "source": kind.paper,
        "references": docstrings.references(kind),
        "file": _file_of(kind),
        "example": _example(name, kind, families, needs),
    }


def _environment(name: str) -> dict[str, Any]:
    of = environments.spec(name)
    kind = environments.maker(of)
    known = ENVIRONMENTS.get(name)
    fixed = {} if known is None else known.settings
    if known is not None:
        kind = load_env(known.path)
    said, given = docstrings.parameters(kind) if isinstance(kind, type) else {}, _taken(kind)
    example = ""
    try:
        made = environments.make(name, 1, {})
    except (ValueError, OSError) as error:  # its data is missing, or it has no defaults
        family = "" if known is None else known.family
        spaces = {"not_made": str(error)}
    else:
        task = task_of(made)
        family = str(getattr(task, "family", ""))
        plays = [other for other, agent in naming.own_agents().items() if not agent().refusal(task)]
        # Uniform play is not a useful example.
        for other in (plays[1:] or plays)[:1]:
            example = f"banditgym run {shlex.quote(name)} --agent {other}"
        spaces = {
            "observation": str(made.single_observation_space),
            "action": str(made.single_action_space),
        }
    agents = [
        other
        for other, agent in naming.named().items()
        if any(task.family == family for task in agent.accepts)
    ]
    return {
        "kind": "environment",
        "name": name,
        "what": docstrings.summary(kind) if known is None else known.summary,
        "family": family,
        **spaces,
        "settings": [
            _argument(said, setting, fixed.get(setting, default))
            for setting, default in given.items()
            if setting not in _ALIASES
        ],
        "agents": agents,
        "file": _file_of(kind) if isinstance(kind, type) else "",
        "example": example,
    }


def _suite(name: str, trust: bool) -> dict[str, Any]:
    suite = load(name, trust=trust)
    return {
        "kind": "suite",
        "name": suite.name,
        "what": suite.title,
        "seeds": len(suite.seeds),
        "hash": suite.hash,
        "resources": None if suite.resources is None else dataclasses.asdict(suite.resources),
        "in_the_sandbox": str(suite.resources),
        "tasks": [
            {
                "name": task.name,
                "ranking": task.ranking,
                "env": task.env,
                "horizon": task.horizon,
                "measure": task.measure,
                "settings": {key: _plain(value) for key, value in task.written.items()},
            }
            for task in suite.tasks
        ],
        "example": f"banditgym leaderboard run {shlex.quote(name)}",
    }


def _paper(name: str) -> dict[str, Any]:
    paper = papers.load(name)
    return {
        "kind": "paper",
        "name": paper.name,
        "what": paper.title,
        "reference": paper.reference,
        "link": paper.link,
        "claims": [
            {"name": claim.id, "statement": claim.statement, "source": claim.source}
            for claim in paper.claims
        ],
        "example": f"banditgym reproduce {paper.name}",
    }


def _argument(
    said: Mapping[str, tuple[str, str]], name: str, default: object, **more: bool
) -> dict[str, Any]:
    """A hyperparameter or a setting, described by its class's docstring."""
    type_of, meaning = said.get(name, ("", ""))
    return {"name": name, "type": type_of, "default": _plain(default), **more, "meaning": meaning}


def _default(field: dataclasses.Field) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


def _plain(value: object) -> Any:
    """A value as JSON data; other objects as their source text."""
    if isinstance(value, str | int | float | bool | None | list | dict):
        return value
    return brief(value)


def _taken(kind: Any) -> dict[str, Any]:
    """The settings of an environment, with their defaults."""
    if isinstance(kind, type) and issubclass(kind, BanditVectorEnv):
        return settings_of(kind)
    try:
        found = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {
        one.name: None if one.default is one.empty else one.default
        for one in found
        if one.name != "num_envs" and one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)
    }


def _file_of(kind: Any) -> str:
    """The file of a class; for this package's own classes, relative to its folder."""
    path = Path(inspect.getfile(kind))
    root = Path(__file__).parents[2]
    return str(path.relative_to(root) if path.is_relative_to(root) else os.path.relpath(path))


def _example(name: str, kind: type[Agent], families: list[str], needs: list[str]) -> str:
    """A command that plays the agent on the first environment that it can play; "" if none."""
    if needs:
        return ""
    agent = kind()
    for env, registered in ENVIRONMENTS.items():
        if registered.family not in families:
            continue
        try:
            reason = agent.refuses(task_of(environments.make(env, 1, {})))
        except (ValueError, OSError):  # its data is missing
            continue
        if reason is None:
            return f"banditgym run {env} --agent {shlex.quote(name)}"
    return ""


def _parts(about: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Text.assemble((about["name"], "bold"), f"  ({about['kind']})")
    yield _indented(about.get("rule") or about.get("what") or "", style="italic")
    for key, title in _FACTS.items():
        if value := about.get(key):
            text = ", ".join(value) if isinstance(value, list) else str(value)
            text = "yes: a reference, never ranked" if value is True else text
            yield _indented(Text.assemble((f"{title}: ", "bold"), text))
    for title in ("hyperparameters", "settings", "tasks", "claims"):
        if about.get(title):
            yield Text()
            yield Text(title, style="bold")
            for one in about[title]:
                yield from _described(title, one, about)
    if about["kind"] == "agent" and not about["hyperparameters"]:
        yield _indented("It has no hyperparameters.")
    closing = [Text(about["example"], style="green")] if about["example"] else []
    if about["kind"] == "agent" and about["name"].isidentifier():
        closing.append(Text(f"help(agents.{about['name']}) in Python has the formulas", "dim"))
    yield Text()
    yield from map(_indented, closing)


def _described(
    title: str, one: Mapping[str, Any], about: Mapping[str, Any]
) -> Iterator[RenderableType]:
    """A list entry: a heading on one line, and its meaning indented below."""
    if title == "tasks":
        settings = ", ".join(f"{key}={brief(value, 30)}" for key, value in one["settings"].items())
        head, below = f"{one['env']}, {one['horizon']} rounds, {one['measure']}", settings
        head += f", ranked in {one['ranking']}"
    elif title == "claims":
        head, below = one["source"], one["statement"]
    else:
        head, below, default = one["type"], one["meaning"], one["default"]
        if one["name"] in about.get("needs", ()):
            head = ", ".join(filter(None, (head, "to be given")))
        elif one.get("from_task") and default is None:
            head = ", ".join(filter(None, (head, "default the task's")))
        elif default is not None and ", default " not in head:
            head = ", ".join(filter(None, (head, f"default {brief(default, 60)}")))
    yield _indented(Text.assemble((one["name"], "cyan"), f"  {head}"))
    if below:
        yield _indented(below, 6)


def _indented(what: str | Text, columns: int = 2, style: str = "") -> Padding:
    return Padding(Text(what, style=style) if isinstance(what, str) else what, (0, 0, 0, columns))
