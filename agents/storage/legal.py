"""Legal states of saved agents, where they differ from those of a fresh ``reset``.

Kernels trust the state: they index with its counters and do not check its shapes. So the state in a
file is compared with the state of a fresh ``reset``, attribute by attribute:

- an array must have the fresh one's type, number of axes and lengths. Integers must be at least the
  fresh ones, or 0, and at most 2^53. Unsigned integers are keys of streams and must be equal;
- numbers and strings must equal the fresh ones (floats to 1e-6, because another machine may have
  computed them), and a bool must be a bool;
- lists, mappings and parts must have the same members, each of which is compared in turn.

A class of this package has a row in ``LIMITS`` if other states are legal, for example if an array
grows or a counter is an index. It has a row in ``HOLDS`` if its members depend on each other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.numerics.steps.sample_chunks import FIRST
from agents.open_decisions import MOST

LARGEST = 2**53  # the largest counter: every smaller integer is a float64


@dataclass(frozen=True)
class Legal:
    """The legal values of an attribute.

    Parameters
    ----------
    shape : tuple of int, optional
        Shape of an array; the fresh one's if not given.
    least, most : int or array, optional
        Bounds of integers, elementwise.
    same : bool
        Whether it must equal the fresh one bit for bit.
    items : sequence of Legal, optional
        The legal values of each item of a list.
    """

    shape: tuple[int, ...] | None = None
    least: int | np.ndarray | None = None
    most: int | np.ndarray | None = None
    same: bool = False
    items: "Sequence[Legal] | None" = None


# A function gets the stored attributes, whose types and numbers of axes are the fresh ones', and
# the fresh object.
Limits = Callable[[Any, Any], Mapping[str, Legal]]


def _fixed_nystrom(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, n_arms = fresh.mean.shape
    capacity, room = stored.seen.shape[1], stored.solver.shape[1]
    square, filled = Legal((n, room, room)), Legal((n, capacity), most=n_arms - 1)
    return {
        "rows": Legal((max(len(stored.rows), len(fresh.rows)), n_arms)),
        "n_rows": Legal(most=len(stored.rows)),
        "row_of": Legal(least=-1, most=stored.n_rows - 1),
        "seen": filled,
        "inducing": filled,
        "distinct": Legal(most=min(capacity, n_arms)),
        "count": Legal(most=np.minimum(stored.distinct, room)),
        "rank": Legal(most=stored.count),
        "whitening": square,
        "solver": square,
        "within": square,
        "coefficients": Legal((n, room)),
    }


def _rows_are_known(model: Any) -> bool:
    """Whether the kernel has a row for every arm pulled, and no row without an arm."""
    return model.n_rows == np.count_nonzero(model.row_of >= 0) and all(
        (model.row_of[arms[i, :count]] >= 0).all()
        for arms, counts in ((model.seen, model.distinct), (model.inducing, model.count))
        for i, count in enumerate(counts)
    )


def _changing_nystrom(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, _, dim = fresh.points.shape
    capacity, room = stored.paid.shape[1], stored.solver.shape[1]
    pulls, square = stored.pulls, Legal((n, room, room))
    return {
        "pulls": Legal(most=capacity),
        "points": Legal((n, capacity, dim)),
        "paid": Legal((n, capacity)),
        "spread": Legal((n, capacity)),
        "inducing": Legal((n, capacity), most=np.maximum(pulls - 1, 0)[:, None]),
        "count": Legal(most=np.minimum(pulls, room)),
        "rank": Legal(most=stored.count),
        "whitening": square,
        "solver": square,
        "coefficients": Legal((n, room)),
    }


def _exact(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, n_arms = fresh.mean.shape
    capacity = max(stored.pulled.shape[1], fresh.pulled.shape[1])
    each, square = Legal((n, capacity)), Legal((n, capacity, capacity))
    return {
        "held": Legal((n, n_arms if stored.held.size else 0)),
        "rows": Legal((max(len(stored.rows), len(fresh.rows)), n_arms)),
        "n_rows": Legal(most=len(stored.rows)),
        "row_of": Legal(least=-1, most=stored.n_rows - 1),
        "pulled": Legal((n, capacity), most=n_arms - 1),
        "n_pulled": Legal(most=min(capacity - 1, n_arms) if capacity < n_arms else n_arms),
        "counts": each,
        "paid": each,
        "gram": square,
        "inverse": square,
        "column_of": Legal(least=-1, most=n_arms - 1),
    }


def _pulled_once(model: Any) -> bool:
    """Whether the arms pulled are distinct, and the kernel has their rows."""
    pulled = [arms[:count] for arms, count in zip(model.pulled, model.n_pulled, strict=True)]
    return all(
        len(np.unique(arms)) == len(arms) and (model.row_of[arms] >= 0).all() for arms in pulled
    )


def _exact_changing(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, least, dim = fresh.points.shape
    capacity = max(stored.points.shape[1], least)
    return {
        "pulls": Legal(most=capacity - 1),
        "points": Legal((n, capacity, dim)),
        "factor": Legal((n, capacity, capacity)),
        "whitened": Legal((n, capacity)),
    }


def _samples(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, _, width = fresh.chunks[0].shape
    chunks, held, more = [], 0, True
    for k, chunk in enumerate(stored.chunks):
        more = more and (k == 0 or chunk.shape[1] > 0)
        chunks.append(Legal((n, FIRST << k if more else 0, width)))
        held += FIRST << k if more else 0
    table = fresh.table.shape
    if stored.repeated and stored.table.size:
        table = (n if len(stored.table) > 1 else 1, stored.table.shape[1], table[2])
    nothing = stored.repeated and not stored.table.size
    return {
        "chunks": Legal(items=chunks),
        "table": Legal(table),
        "repeated": Legal(same=True),
        "count": Legal(most=0 if nothing else held - 1),
    }


def _numbers_of_rows(samples: Any) -> bool:
    """Whether samples kept as numbers of rows name rows of the table."""
    if not samples.repeated:
        return True
    first = 0
    for chunk in samples.chunks:
        there = np.arange(first, first + chunk.shape[1]) < samples.count[:, None]
        rows = chunk[:, :, 0][there]
        if not ((rows >= 0) & (rows < samples.table.shape[1]) & (rows == np.floor(rows))).all():
            return False
        first += chunk.shape[1]
    return True


def _fast_linucb(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, n_arms = fresh._variance.shape
    met = fresh.task.fixed_arms and stored._inverses.size > 0
    return {"_inverses": Legal((n, n_arms if met else 0, fresh._inverses.shape[2]))}


def _fast_pege(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, dim = fresh.theta.shape
    capacity = max(stored.outcomes.shape[1], 2 * dim)  # a fresh agent's is for its horizon
    return {
        "outcomes": Legal((n, capacity)),
        "cycle": Legal(most=(capacity - 1) // dim + 1),
        "_place": Legal(most=dim + stored.cycle),
    }


def _open_decisions(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    n, least, r = fresh.kept.shape
    capacity = max(stored.number.shape[1], least)
    return {
        "number": Legal((n, capacity), least=-1),
        "kept": Legal((n, capacity, r), least=-1, most=fresh.values - 1),
        "count": Legal(most=capacity),
    }


def _in_order(decisions: Any) -> bool:
    """Whether the open decisions ascend and keep legal values, with nothing beyond them."""
    for number, kept, count in zip(decisions.number, decisions.kept, decisions.count, strict=True):
        there = (np.diff(number[:count], prepend=-1) > 0).all() and (kept[:count] >= 0).all()
        if not there or (number[count:] != -1).any() or (kept[count:] != -1).any():
            return False
    return True


def _model_state(stored: Any, fresh: Any) -> Mapping[str, Legal]:
    capacity, waiting = len(fresh.buffer["actions"]), len(stored.open)
    return {
        "position": Legal(most=capacity - 1),
        "torch": Legal(most=255),
        "open": Legal((min(waiting, MOST),)),
        "kept": Legal((waiting, fresh.kept.shape[1])),
    }


def _model_goes_together(state: Any) -> bool:
    """Whether generators are the library's, decisions ascend, and the arms played exist."""
    kinds = [type(one.bit_generator).__name__ for one in (state.numpy, state.space)]
    played = state.buffer["actions"]
    return (
        kinds == ["MT19937", "PCG64"]
        and (np.diff(state.open) > 0).all()
        and (state.n_arms == 0 or (played < state.n_arms).all())
    )


_AS_ROW_0: Limits = lambda stored, fresh: {"_arms": Legal(same=True)}  # noqa: E731

LIMITS: dict[str, Limits] = {
    "agents.armed.ucb2:UCB2": lambda stored, fresh: {
        "_current": Legal(most=fresh.pulls.shape[1] - 1)
    },
    "agents.parts.deep.model:ModelState": _model_state,
    "agents.parts.estimators.frequent_directions:SketchedArms": lambda stored, fresh: {
        "rank": Legal(most=min(fresh.basis.shape[1], fresh.size - 1))
    },
    "agents.parts.estimators.samples:Samples": _samples,
    "agents.linear.disjoint_linucb:DisjointLinUCB": lambda stored, fresh: {
        "_whose": Legal(least=-(2**63), most=2**63 - 1)
    },
    "agents.linear.fast_linucb:FastLinUCB": _fast_linucb,
    "agents.open_decisions:OpenDecisions": _open_decisions,
    "agents.parts.posteriors.exact:ExactOnFixedArms": _exact,
    "agents.parts.posteriors.exact_changing:ExactOnChangingArms": _exact_changing,
    "agents.parts.posteriors.nystrom:NystromOnFixedArms": _fixed_nystrom,
    "agents.parts.posteriors.nystrom_changing:NystromOnChangingArms": _changing_nystrom,
    "agents.parts.descending_predictor:DescendingPredictor": _AS_ROW_0,
    "agents.parts.predictor:Predictor": _AS_ROW_0,
    "agents.strongly_convex.explore_then_commit:ExploreThenCommit": lambda stored, fresh: {
        "_place": Legal(most=fresh.task.dim)
    },
    "agents.strongly_convex.fast_pege:FastPEGE": _fast_pege,
}

# Whether members within these limits are also consistent with each other.
HOLDS: dict[str, Callable[[Any], bool]] = {
    "agents.parts.deep.model:ModelState": _model_goes_together,
    "agents.parts.estimators.samples:Samples": _numbers_of_rows,
    "agents.linear.fast_linucb:FastLinUCB": lambda agent: (
        not agent.task.fixed_arms
        or (
            agent.model.samples.table.shape[1] in (0, agent.task.n_arms)
            and (agent._inverses.size == 0 or agent.model.samples.table.size > 0)
        )
    ),
    "agents.open_decisions:OpenDecisions": _in_order,
    "agents.parts.posteriors.exact:ExactOnFixedArms": _pulled_once,
    "agents.parts.posteriors.nystrom:NystromOnFixedArms": _rows_are_known,
    "agents.strongly_convex.fast_pege:FastPEGE": lambda agent: bool(
        (
            (agent.cycle - 1) * agent.task.dim + np.minimum(agent._place, agent.task.dim)
            < agent.outcomes.shape[1]
        ).all()
    ),
}


def row_of(table: Mapping[str, Any], cls: type) -> Any:
    """The row of a class, or of the nearest class that it derives from; None if none has one."""
    for base in cls.__mro__:
        row = table.get(f"{base.__module__}:{base.__qualname__}")
        if row is not None:
            return row
    return None
