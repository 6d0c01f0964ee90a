"""A page for every environment: the model, spaces, settings, what is hidden, and an episode."""

import dataclasses
import functools
import inspect
import re
from typing import Any

from numpydoc.docscrape import NumpyDocString

from agents import naming
from agents.agent import Agent
from agents.parts.deep.library_agent import LibraryAgent
from agents.play import task_of
from banditgym.registration import ENVIRONMENTS, Environment
from banditgym.vector_env import load_env, settings_of
from docs.site.legal_values import legal
from docs.site.restructured import code, escaped, heading, table
from leaderboards.describe import docstrings
from leaderboards.suites import environments

FAMILIES = {
    "armed": "K-armed bandits",
    "adversarial": "Adversarial bandits",
    "linear": "Linear bandits",
    "logistic": "Logistic bandits",
    "kernelized": "Kernelized bandits",
    "strongly_convex": "Strongly convex sets",
    "regression": "Online regression",
    "losses": "Online convex losses",
    "multiclass": "Multiclass prediction",
    "news": "News",
}


def pages() -> dict[str, str]:
    """The page of every environment, and their index, by path."""
    found = {f"environments/{name}.rst": page(name, env) for name, env in ENVIRONMENTS.items()}
    found["environments/index.rst"] = _index()
    return found


def page(name: str, env: Environment) -> str:
    """The page of one environment."""
    kind = load_env(env.path)
    # Several pages show one class, each with the references by their numbers as text.
    text = re.sub(r"\.\. \[(\d+)\] (.*(?:\n[ \t]+.*)*)", _numbered, inspect.getdoc(kind) or "")
    text = re.sub(r"\[(\d+)\]_", r"\\[\1]", text)
    doc = NumpyDocString(_without_parameters(text))
    what = env.summary[:1].upper() + env.summary[1:]
    lines = [*heading(name, "="), f"{escaped(what)}.", "", ".. code-block:: python", ""]
    lines += ["   import banditgym, gymnasium", ""]
    lines += [f'   envs = gymnasium.make_vec("{name}", num_envs=100)', ""]
    lines += [*heading("The model"), *doc["Summary"], "", *doc["Extended Summary"], ""]
    lines += [f"The class is :py:class:`{kind.__module__}.{kind.__name__}`.", ""]
    lines += [*_spaces(name), *_told(name, env)]
    lines += [*heading("An episode"), *_picture(name), *_settings(name, env, kind)]
    lines += [*heading("Agents that play it"), _agents(name), ""]
    if doc["References"]:
        lines += [*heading("References"), *doc["References"], ""]
    return "\n".join(lines)


def _numbered(entry: re.Match) -> str:
    return f"\\[{entry[1]}] {' '.join(entry[2].split())}\n"


def _without_parameters(text: str) -> str:
    """A docstring without its settings, which the page has as a table."""
    return re.sub(r"^Parameters\n-{3,}\n.*?(?=^\w+\n-{3,}\n|\Z)", "", text, flags=re.S | re.M)


@functools.cache
def _made(name: str) -> Any:
    """An environment with its default settings; None where its data are not here."""
    try:
        return environments.make(name, 1, {})
    except (ValueError, OSError):
        return None


def can_be_made(name: str) -> bool:
    """Whether the data of an environment are here."""
    return _made(name) is not None


def _spaces(name: str) -> list[str]:
    row, made = ENVIRONMENTS[name], _made(name)
    lines = heading("Spaces")
    cells = [("observation", escaped(row.observation)), ("action", escaped(_unlinked(row.action)))]
    if made is not None:
        spaces = (made.single_observation_space, made.single_action_space)
        cells = [
            (title, text, f"``{space}``")
            for (title, text), space in zip(cells, spaces, strict=True)
        ]
        return lines + table(("", "of a replicate", "with default settings"), cells, "16 30 54")
    return lines + table(("", "of a replicate"), cells)


def _told(name: str, env: Environment) -> list[str]:
    """What an agent knows, what is hidden, and what regret is measured against."""
    made = _made(name)
    lines = heading("What an agent knows")
    if made is None:
        from banditgym.tasks import MulticlassTask

        lines += [f"The facts of :py:class:`~banditgym.tasks.{MulticlassTask.__name__}`.", ""]
        regret: str | None = str(MulticlassTask.regret)
    else:
        task = task_of(made)
        kind = type(task)
        lines += [f"``env.unwrapped.task``, a :py:class:`~banditgym.tasks.{kind.__name__}`:", ""]
        said = docstrings.parameters(kind)
        meaning = {one: said.get(one, ("", ""))[1] for one in _fields(kind)}
        lines += table(
            ("fact", "by default", "meaning"),
            (
                (f"``{one}``", code(getattr(task, one)), escaped(meaning[one]))
                for one in _fields(kind)
            ),
            "20 26 54",
        )
        regret = task.regret
    lines += [*heading("What is hidden"), hidden(env.path), ""]
    lines += heading("Regret")
    if regret is None and env.family != "news":
        return [
            *lines,
            "There is no regret: a log does not know the best arm. Agents are compared by their",
            "reward per matched round, ``trace.measures['reward_per_match']``.",
            "",
        ]
    if regret is None:
        return [
            *lines,
            "There is no regret: a visit's best article is unknown. Agents are compared by their",
            "clicks per 10,000 matched events, ``trace.measures['clicks_per_10000']``.",
            "",
        ]
    return [*lines, f"``info['regret']`` compares a round with **{escaped(regret)}**.", ""]


def hidden(path: str) -> str:
    """What an environment hides, as its docstring says after ``Hidden:``."""
    text = inspect.getdoc(load_env(path)) or ""
    found = re.search(r"^Hidden: (.*?)(?:\n\s*\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"the docstring of {path} does not say what is hidden, after 'Hidden:'")
    said = " ".join(found[1].split())
    return said[:1].upper() + said[1:]


def _fields(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def _picture(name: str) -> list[str]:
    if _made(name) is None:
        return ["Its data are licensed and cannot be shown: :doc:`/how-to/data` says how to get",
                "them.", ""]  # fmt: skip
    from docs.site.episode_pictures import caption, player

    return [
        f".. image:: /_pictures/{name}.png",
        f"   :alt: {caption(name)}",
        "",
        f"*{caption(name)}.* The agent is :py:class:`agents.{player(name)}`, with its defaults.",
        "",
    ]


def _settings(name: str, env: Environment, kind: type) -> list[str]:
    said, given = docstrings.parameters(kind), settings_of(kind)

    def make(**settings: Any) -> Any:
        return environments.make(name, 1, settings)

    rows = []
    for setting, default in given.items():
        if setting == "max_episode_steps":  # Gymnasium's name for the horizon
            continue
        type_of, meaning = said.get(setting, ("", ""))
        default = env.settings.get(setting, default)
        told = re.search(r"default (.*)$", type_of)
        shown = code(default) if default is not None else f"``{told[1]}``" if told else "–"
        # Errors tell the shape with the default dim.
        values = legal(setting, make, type_of).replace(f"shape ({_dim(name)},)", "shape (d,)")
        rows.append((f"``{setting}``", shown, escaped(values), escaped(meaning)))
    return [
        *heading("Settings"),
        *table(("name", "default", "legal values", "meaning"), rows, "16 16 28 40"),
    ]


def _dim(name: str) -> int | None:
    made = _made(name)
    return None if made is None else getattr(task_of(made), "dim", None)


def plays(kind: type[Agent], name: str) -> bool:
    """Whether an agent plays an environment with its default settings.

    An environment whose data are not here cannot be made: then its family decides. The class of the
    task decides for agents that need arguments, and for those of a library, which may be missing.
    """
    made = _made(name)
    if made is None:
        return any(task.family == ENVIRONMENTS[name].family for task in kind.accepts)
    if not isinstance(task_of(made), tuple(kind.accepts)):
        return False
    by_class = naming.required(kind) or LibraryAgent in kind.__mro__
    return bool(by_class) or kind().refusal(task_of(made)) is None


def _agents(name: str) -> str:
    agents = naming.named().items()
    return ", ".join(f":doc:`/agents/{other}`" for other, kind in agents if plays(kind, name))


def _unlinked(text: str) -> str:
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def _index() -> str:
    lines = heading("Environments", "=")
    lines += ["One page for each id. Ids have versions: under one id, the rewards for a seed never"]
    lines += ["change.", ""]
    by_family: dict[str, list[str]] = {}
    for name, env in ENVIRONMENTS.items():
        by_family.setdefault(env.family, []).append(name)
    for family, names in by_family.items():
        lines += heading(FAMILIES[family])
        lines += table(
            ("id", "observation", "action", "what it is"),
            (
                (
                    f":doc:`{name} <{name}>`",
                    escaped(ENVIRONMENTS[name].observation),
                    escaped(ENVIRONMENTS[name].action),
                    escaped(ENVIRONMENTS[name].summary),
                )
                for name in names
            ),
            "26 18 18 38",
        )
        lines += [".. toctree::", "   :hidden:", f"   :caption: {FAMILIES[family]}", ""]
        lines += [*(f"   {name}" for name in names), ""]
    return "\n".join(lines)
