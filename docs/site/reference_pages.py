"""The API reference: a page for each public module, with everything public of it."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TypeVar

import agents
from agents.agent import Agent
from banditgym.registration import ENVIRONMENTS
from docs.site.restructured import heading

# Module: what it is for. These are what ``dir`` of the three packages offers, and what the pages of
# this site import.
MODULES = {
    "banditgym": "Ids of environments, and a wrapper for points",
    "banditgym.tasks": "What an agent may know about an environment",
    "banditgym.vector_env": "The base class of environments",
    "banditgym.settings": "Tables of an environment's settings",
    "banditgym.action_sets": "Sets of arms, labels and points",
    "banditgym.functions.covariances": "Kernels of Gaussian processes",
    "banditgym.envs.contexts": "Distributions of features",
    "banditgym.envs.noise": "Distributions of noise",
    "banditgym.spaces": "Gymnasium spaces of points and rankings",
    "banditgym.rounds.kinds": "What a round shows, and what is played and revealed",
    "banditgym.streams": "Random numbers by address",
    "banditgym.elementary": "Functions with equal bits on every CPU",
    "banditgym.compiled": "The compiler's one set of options",
    "banditgym.check": "The checker of environments",
    "banditgym.wrappers": "Late rewards for any environment, and replay buffers for them",
    "banditgym.data.simulated_logs": "Simulated logs of news",
    "agents": "The interface of agents, play, names, saving",
    "agents.estimators": "Regressions, which are parts of linear agents",
    "agents.posteriors": "Gaussian-process posteriors",
    "agents.decision_rules": "Rules of kernelized agents",
    "agents.detectors": "Detectors of changes, for Restarting",
    "agents.batching": "When a posterior is updated",
    "agents.confidence": "Radii of confidence sets, by theorem",
    "agents.bounds": "Bounds on regret and mistakes, by theorem",
    "agents.search": "The values of a hyperparameter that a search tries",
    "agents.open_decisions": "What agents keep until a late reward is observed",
    "leaderboards": "Comparing agents on one environment",
    "leaderboards.comparison.comparison": "The result of a comparison",
    "leaderboards.ope": "What another policy would have earned on the rounds of a log",
    "leaderboards.sandbox.sandboxed_agent": "An agent in a separate process",
}


def pages() -> dict[str, str]:
    """Every page of the reference, by its name."""
    found = {f"reference/api/{name}.rst": page(name) for name in MODULES}
    found["reference/api/banditgym.envs.rst"] = _environments()
    found["reference/api/index.rst"] = _index()
    return found


def members(name: str) -> Iterator[tuple[str, object]]:
    """The public names of a module, and what they are; agents have pages of their own."""
    module = _module(name)
    offered = getattr(module, "__all__", None)
    for member in offered or [one for one in vars(module) if not one.startswith("_")]:
        value = getattr(module, member)
        if isinstance(value, ModuleType | TypeVar) or (
            offered is None and getattr(value, "__module__", None) != module.__name__
        ):
            continue
        if not (name == "agents" and member in agents.AGENTS + agents.ON_REQUEST
                + agents.LIBRARY_AGENTS):  # fmt: skip
            yield member, value


def page(name: str) -> str:
    """The page of a module: its docstring, a table, and every member."""
    path = _module(name).__name__
    lines = [name, "=" * len(name), "", f".. automodule:: {path}", "   :no-members:", ""]
    if path != name:
        lines += [f"Write ``agents.{name.rpartition('.')[2]}`` after ``import agents``.", ""]
    if name == "agents":
        lines += ["The algorithms have :doc:`pages of their own </agents/index>`.", ""]
    listed = list(members(name))
    described = [(member, value) for member, value in listed if _directive(value)]
    lines += [".. autosummary::", "", *(f"   {member}" for member, _ in described), ""]
    for member, value in described:
        lines += [f".. {_directive(value)}:: {path}.{member}"]
        if inspect.isclass(value):
            lines += ["   :members:"]
            if issubclass(value, Agent):
                lines += ["   :show-inheritance:"]
        lines += [""]
    plain = [(member, value) for member, value in listed if not _directive(value)]
    if plain:
        lines += ["Data", "----", ""]
    for member, value in plain:
        lines += [f".. py:data:: {path}.{member}", "", f"   {_kind(value)}", ""]
    return "\n".join(lines)


def _environments() -> str:
    lines = heading("banditgym.envs", "=")
    lines += ["The classes of the environments. Make them by their ids: several ids may share a"]
    lines += ["class, and differ in settings. :doc:`/environments/index` has a page for each.", ""]
    for path in dict.fromkeys(env.path for env in ENVIRONMENTS.values()):
        lines += [f".. autoclass:: {path.replace(':', '.')}", ""]
    return "\n".join(lines)


def _index() -> str:
    lines = ["API reference", "=============", ""]
    lines += ["Everything public. Import from these modules; other modules may change in any "]
    lines[-1] += "version."
    for package, title in {
        "banditgym": "Environments",
        "agents": "Agents",
        "leaderboards": "The judge",
    }.items():
        names = [name for name in MODULES if name.split(".")[0] == package]
        if package == "banditgym":
            names.insert(1, "banditgym.envs")
        lines += ["", title, "-" * len(title), "", ".. list-table::", ""]
        for name in names:
            lines += [
                f"   * - :doc:`{name} <{name}>`",
                f"     - {MODULES.get(name, 'The classes of the environments')}",
            ]
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names)]
    return "\n".join([*lines, ""])


def _module(name: str):
    package, _, last = name.rpartition(".")
    lazy = package == "agents" and last in dir(agents)  # a part, under a shorter name
    return getattr(agents, last) if lazy else importlib.import_module(name)


def _directive(value: object) -> str:
    if inspect.isclass(value):
        return "autoclass"
    inner = getattr(value, "py_func", value)  # of a compiled function
    return "autofunction" if isinstance(value, Callable) and inspect.isroutine(inner) else ""


def _kind(value: object) -> str:
    if isinstance(value, tuple | list) and all(isinstance(one, str) for one in value):
        return f"Names, {len(value)} of them."
    if isinstance(value, dict):
        return f"A dictionary of {len(value)} entries."
    return f"``{value!r}``"
