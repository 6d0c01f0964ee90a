"""Counts what a referee opens to check an agent: files, and their lines with docstrings.

``python -m tools.audit`` prints them for each agent, or for those that are named; ``--files`` also
lists the files. An agent is made and plays a few rounds on the first small environment that it can
play (``agents.check.small_environments``): fresh arms of linear tasks, finitely many arms of
kernelized ones. A file counts, whole, if it has the agent's class or a base of it, if a function of
it runs, or if it has a kernel that such a function, or another such kernel, names, or that is a
body for a rule which was made. So blocks of rounds and fixed arms of linear tasks do not count. Nor
does what all agents share: the interface, the loops in ``drivers``, checks of inputs and of
hyperparameters, memory for late rewards, storage, and everything in ``banditgym``. The last number
is the lines of its definition in ``tests/agents/definitions/``.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import gymnasium

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents import naming
from agents.check.small_environments import ENVIRONMENTS
from agents.parts.detectors import GLR

ROOT = Path(__file__).parents[1]
SHARED = {"check", "drivers", "inputs", "storage"}  # folders of agents/
NEEDED = {
    "Halving": {"hypotheses": [[[1.0, 0.0], [0.0, 1.0]]] * 2},
    "ProjectedHalving": {"dim": 1},
    "Pending": {"agent": agents.UCB1()},
    "Restarting": {"agent": agents.KLUCB(), "detector": GLR()},
}
LATE: dict[str, Any] = {"delay": 2, "window": 4}  # for an agent that plays nothing else


def opened(name: str) -> dict[str, int]:
    """The lines of each file that holds a part of an agent's algorithm."""
    agent = naming.named()[name](**NEEDED.get(name, {}))
    functions: dict[CodeType, dict[str, Any]] = {}
    rules: set[type] = set()  # named tuples that were made
    checks = 0  # calls of __post_init__ that have not returned

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal checks
        if frame.f_code.co_name == "__post_init__":
            checks += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and "_cls" in frame.f_locals:
            rules.add(frame.f_locals["_cls"])
        elif event == "call" and not checks:
            functions[frame.f_code] = frame.f_globals

    env = next(_playable(agent))
    observation, _ = env.reset(seed=0)
    sys.setprofile(note)
    agent.reset(env.unwrapped.task, n=2)
    for _ in range(3):
        action = agent.act(observation)
        sys.setprofile(None)
        following, reward, *_, info = env.step(action)
        feedback = info.get("label" if agent.full_information else "feedback")
        sys.setprofile(note)
        agent.observe(observation, action, reward, feedback=feedback)
        observation = following
    sys.setprofile(None)
    bases = [base for base in type(agent).__mro__ if base.__module__.startswith("agents.")]
    found = {str(sys.modules[base.__module__].__file__) for base in bases}
    for code, names in functions.items():
        found |= {code.co_filename, *_kernels(code, names, rules, set())}
    return {file: lines for path in sorted(found) for file, lines in _own(Path(path))}


def _playable(agent: Any) -> Iterator[Any]:
    """The small environments that an agent plays, first those of its first family."""
    families = [task.family for task in agent.accepts]
    known = [each for family in families for each in ENVIRONMENTS[family]]
    for env, settings in [*known, *((env, settings | LATE) for env, settings in known)]:
        made: Any = gymnasium.make_vec(env, num_envs=2, horizon=9, **settings)
        if agent.refusal(made.unwrapped.task) is None:
            yield made


def _kernels(
    code: CodeType, names: dict[str, Any], rules: set[type], seen: set[CodeType]
) -> Iterator[str]:
    """The files of the compiled functions that a function names, and of those that they name."""
    for name in code.co_names:
        named = names.get(name)
        for one in (named, *(body for of, body in _bodies(named) if of in rules)):
            kernel = getattr(one, "py_func", None)
            if kernel is not None and kernel.__code__ not in seen:
                seen.add(kernel.__code__)
                yield kernel.__code__.co_filename
                yield from _kernels(kernel.__code__, kernel.__globals__, rules, seen)


def _bodies(named: Any) -> Iterator[tuple[type, Any]]:
    """The bodies of a function of ``by_class``, with their classes."""
    yield from getattr(named, "bodies", {}).items()


def _own(path: Path) -> Iterator[tuple[str, int]]:
    """A file of agents that counts, and its lines."""
    if (ROOT / "agents") in path.parents:
        inside = path.relative_to(ROOT / "agents")
        if len(inside.parts) > 1 and inside.parts[0] not in SHARED:
            yield inside.as_posix(), _count(path)


def _count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=__doc__)
    parser.add_argument("names", nargs="*", default=[*agents.AGENTS, *agents.ON_REQUEST])
    parser.add_argument("--files", action="store_true", help="list the files")
    given = parser.parse_args()
    for name in given.names:
        lines, module = opened(name), naming.named()[name].__module__.split(".")[1:]
        beside = (ROOT / "tests/agents/definitions").joinpath(*module).with_suffix(".py")
        told = f"{len(lines):3} files {sum(lines.values()):6,} lines"
        print(f"{name:28} {told}, definition {_count(beside):3}")
        for file, count in lines.items() if given.files else ():
            print(f"    {file:48} {count:6}")


if __name__ == "__main__":
    main()
