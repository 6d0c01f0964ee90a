"""The chosen agent as a service needs it: trained on all rows, saved with its encoder, and loaded.

A folder has two files: ``agent.npz`` of ``agents.save``, and ``choice.json`` with the encoder, the
names of columns and labels, and versions. Neither can run code, so a folder need not be trusted.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np

import agents
import banditgym
from agents.naming import resolve
from banditgym.files import whole_files
from banditgym.tasks import MulticlassTask
from banditgym.validation import brief
from leaderboards.choosing.row_encoder import RowEncoder, from_plain

if TYPE_CHECKING:  # a service needs no pandas
    from leaderboards.choosing.bandit_problem import BanditProblem

AGENT, CHOICE = "agent.npz", "choice.json"
OF_ARMS = (
    "the rows are the arms, and an agent that finds the best of them serves no others; with "
    "--predict (kind='predicted') agents predict the number"
)
_FORMAT = 1


class SavedChoice(NamedTuple):
    """An encoder, and the agent that sees what it encodes."""

    encoder: RowEncoder
    agent: agents.Agent


def trained(problem: "BanditProblem", spec: str) -> agents.Agent:
    """An agent, after it has played all rows of the table once, in a drawn order.

    It learns as in the comparison: of a class that it plays whether it is right, and of a number
    that it predicts the number.
    """
    rows, labels, agent = problem.rows, problem.labels, resolve(spec)
    task = task_of(problem)
    if agent.refuses(task) is not None:  # it needs a horizon
        task = replace(task, horizon=len(rows))
    agent.reset(task, seed=agents.derived_seeds(0))
    for place in np.random.default_rng(0).permutation(len(rows)):
        row, right = rows[place], labels[place].item()
        action = agent.act(row)
        if isinstance(task, MulticlassTask):
            agent.observe(row, action, float(action == right))
        else:
            agent.observe(row, action, -((action - right) ** 2), feedback=right)
    return agent


def task_of(problem: "BanditProblem") -> Any:
    """What the agent may know of the rows of the table, without an end."""
    encoder, more = problem.encoder, {}
    if encoder is None:
        raise ValueError(OF_ARMS)
    if encoder.labels:
        more = {"n_labels": len(encoder.labels), "sparse": False}
    env: Any = gymnasium.make(problem.task.env, data=(problem.rows, problem.labels), **more)
    task = replace(env.unwrapped.task, horizon=None)
    return replace(task, labels=encoder.labels) if encoder.labels else task


def save(folder: str | Path, encoder: RowEncoder, agent: agents.Agent, more: dict) -> None:
    """Write both to a folder, with ``more`` for its reader; each file is written whole."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    agent.save(folder / AGENT)
    versions = {"banditgym": banditgym.__version__, "numpy": np.__version__}
    plain = {"format": _FORMAT, "versions": versions, **more, "encoder": asdict(encoder)}
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False)
    whole_files.write(folder / CHOICE, f"{text}\n")


def load_choice(folder: str | Path, *, allow: Iterable[type] = ()) -> SavedChoice:
    """The encoder and the agent that ``banditgym choose --save`` or ``Choice.save`` wrote.

    The folder is not trusted.

    Parameters
    ----------
    folder : str or Path
    allow : iterable of type, optional
        Your own agent, as for ``agents.load``.

    Raises
    ------
    ValueError
        In one line, if there is no such folder, or its files are damaged or of two choices.
    """
    path, file = Path(folder) / CHOICE, Path(folder) / AGENT
    try:
        plain: Any = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(plain, dict) or plain.get("format") != _FORMAT:
            raise ValueError("it is none of this version, so choose once more")
        encoder = from_plain(plain.get("encoder"))
    except (OSError, ValueError, RecursionError) as error:
        reason = brief(str(getattr(error, "strerror", None) or error), 200)
        raise ValueError(f"{path} holds no saved choice: {reason}") from None
    try:
        agent = agents.load(file, allow=allow)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from None
    task = getattr(agent, "task", None)
    labels = getattr(task, "labels", None) or ()
    if getattr(task, "dim", None) != encoder.dim or labels != encoder.labels:
        raise ValueError(f"{AGENT} and {CHOICE} of {folder} are of two choices: save once more")
    return SavedChoice(encoder, agent)
