"""Loads damaged files of saved agents: run apart, since what it looks for would end the process.

``python damaged_files.py FOLDER FAMILY [CASES]`` prints what became of them as JSON. The case under
way is kept in FOLDER/case. CASES are drawn for each agent and environment, with a seed; all if not
given.
"""

import copy
import io
import json
import random
import resource
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.check.short_runs import Trial, task_of
from agents.check.small_environments import ENVIRONMENTS
from agents.storage.states import equal
from banditgym.rounds.kinds import RANKING

# One environment of each form of state.
CHOSEN = {
    "armed": [0],
    "adversarial": [0],
    "linear": [0, 1, 2, 7],
    "logistic": [0],
    "strongly_convex": [0, 3],
    "kernelized": [0, 3],
    "regression": [0],
    "losses": [0],
    "news": [0],
    "multiclass": [3, 4, 6],
}
ROUNDS = 12
MUTATED = 20  # files of random damage for each agent and environment


def main(folder: Path, family: str, cases: int) -> dict[str, Any]:
    path, case = folder / "agent.npz", folder / "case"
    found: dict[str, Any] = {"tried": 0, "refused": 0, "wrong": []}
    for env, settings in (ENVIRONMENTS[family][i] for i in CHOSEN[family]):
        for name in agents.AGENTS:
            agent = _agent(name, task_of(env, settings))
            if agent is None:
                continue
            run = Trial(agent, env, settings).run(rounds=ROUNDS)
            agent.save(path)
            if not equal(vars(agents.load(path)), vars(agent)):
                found["wrong"].append(f"{name} on {env}: undamaged it is another")
            whole = path.read_bytes()
            for what, make in _drawn([*_damaged(whole)], cases, name) + [
                *_mutated(whole, name, min(cases, MUTATED))
            ]:
                data = make()
                case.write_text(f"{name} on {env} {settings}: {what}")
                path.write_bytes(data)
                found["tried"] += 1
                try:
                    loaded = agents.load(path)
                except ValueError as error:
                    found["refused"] += 1
                    if "\n" in str(error):
                        found["wrong"].append(f"{name}, {what}: {error!r} is no line")
                    continue
                except Exception as error:
                    found["wrong"].append(f"{name}, {what}: {error!r}")
                    continue
                _go_on(loaded, run)
    return found


def _agent(name: str, task: Any) -> Any:
    try:
        agent = agents.resolve(name)
    except ValueError:  # it needs a class of hypotheses
        if not hasattr(task, "n_labels"):
            return None
        weights = np.linspace(-1, 1, 3 * task.n_labels * task.dim)
        agent = getattr(agents, name)(hypotheses=weights.reshape(3, task.n_labels, -1).tolist())
    return agent if agent.saveable and agent.refusal(task) is None else None


def _drawn(damaged: list, cases: int, name: str) -> list:
    return random.Random(name).sample(damaged, min(cases, len(damaged)))


def _go_on(agent: Any, run: Any) -> None:
    """Rounds with whatever numbers the file had; an exception is no crash."""
    if not hasattr(agent, "task") or agent.solo or agent.n != 3:
        return
    try:
        with np.errstate(all="ignore"):
            for _ in range(3):
                action = agent.act(run.observation)
                feedback = action[:, 0] if agent.task.plays is RANKING else run.feedback
                agent.observe(run.observation, action, np.ones(3), feedback=feedback)
    except Exception:
        pass


def _damaged(whole: bytes) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Each array and each number of the description damaged in turn."""
    with np.load(io.BytesIO(whole)) as stored:
        arrays = dict(stored)
    for name, array in arrays.items():
        if name == "description":
            continue
        changed = {}
        for axis in range(array.ndim):
            changed[f"axis {axis} empty"] = np.take(array, [], axis)
            changed[f"axis {axis} longer"] = np.concatenate(
                [array, np.zeros_like(np.take(array, [0], axis) if array.size else array)], axis
            )
            if array.shape[axis] > 1:
                changed[f"axis {axis} shorter"] = np.delete(array, -1, axis)
        changed["one axis more"] = array[None]
        changed["one axis less"] = array.reshape(-1)
        changed["turned"] = array.T
        changed["of other bytes"] = array.astype(array.dtype.newbyteorder(">"))
        for other in (np.float32, np.float64, np.int64, np.int32, np.uint64, bool, complex, "U4"):
            if array.dtype != other:
                with np.errstate(all="ignore"):
                    changed[f"of {other}"] = array.astype(other)
        for number in (-1, -(2**40), 1, 37, 2**31, 2**62) if array.dtype.kind == "i" else ():
            changed[f"all {number}"] = np.full_like(array, number)
            if array.size:
                changed[f"one {number}"] = array.copy()
                changed[f"one {number}"].reshape(-1)[-1] = number
        for number in (np.nan, np.inf, -1.0, 0.0, 1e300) if array.dtype.kind == "f" else ():
            changed[f"all {number}"] = np.full_like(array, number)
        if array.dtype.kind == "b":
            changed["all the other"] = ~array
        for what, other in changed.items():
            if other.shape == array.shape and other.dtype == array.dtype and equal(other, array):
                continue
            yield f"{name} {what}", partial(_file, {**arrays, name: other})
        rest = {key: value for key, value in arrays.items() if key != name}
        yield f"{name} missing", partial(_file, rest)
    described = json.loads(arrays["description"].tobytes())
    for where in _places(described):
        for number in (-1, 0, 1, 10**6, 10**30, True, None, "x", [], {}):
            yield f"{where} is {number!r}", partial(_described, arrays, described, where, number)


def _described(arrays: dict, described: Any, where: tuple, number: Any) -> bytes:
    text = json.dumps(_replaced(described, where, number)).encode()
    return _file({**arrays, "description": np.frombuffer(text, np.uint8)})


def _places(node: Any, path: tuple = ()) -> Iterator[tuple]:
    """Where numbers, words and flags are."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _places(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node[:3]):
            yield from _places(value, (*path, i))
    else:
        yield path


def _replaced(described: Any, path: tuple, value: Any) -> Any:
    described = copy.deepcopy(described)
    node = described
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return described


def _mutated(whole: bytes, name: str, mutated: int) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Bytes flipped, cut out, and cut off."""
    rng = random.Random(name)
    with np.load(io.BytesIO(whole)) as stored:
        arrays = dict(stored)
    for k in range(mutated):
        data = bytearray(whole)
        if k % 4 == 0:  # the description alone, in a file that is whole
            text = bytearray(arrays["description"].tobytes())
            for _ in range(rng.randint(1, 3)):
                text[rng.randrange(len(text))] = rng.choice(b'0123456789-.e{}[]",:x\x00')
            data = _file({**arrays, "description": np.frombuffer(bytes(text), np.uint8)})
        elif k % 4 == 1:
            del data[rng.randrange(len(data)) :]
        elif k % 4 == 2:
            start = rng.randrange(len(data))
            del data[start : start + rng.randint(1, 40)]
        else:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        yield f"mutation {k}", partial(bytes, data)


def _file(arrays: dict[str, np.ndarray]) -> bytes:
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (2**35, 2**35))  # what asks for more is refused it
    resource.setrlimit(resource.RLIMIT_CPU, (1200, 1200))  # what never ends does end
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], int((*sys.argv, 10**9)[3]))))
