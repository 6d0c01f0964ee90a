"""The settings of environments: one declaration of a setting gives everything that depends on it.

A class derived from ``Settings`` is the table of an environment's settings, with one row each::

    class MySettings(Settings):
        n_arms: Annotated[int, "Number of arms K."] = setting(whole, 10)
        theta: Annotated[np.ndarray | None, "array (d,), optional", "The parameter."] = setting()

A row has the name; the type of the checked value; the docstring's text for the type, unless that is
the type and the default; the meaning; the check, which converts a value or raises ``ValueError``;
and the default. ``configured(MySettings)`` then gives an environment's class its constructor, with
this signature, and the section Parameters of its docstring.

Rules about several settings are code of the environment, in ``_set_up``. Keys of results do not
depend on texts of annotations (``leaderboards.run.keys.syntax``), so a meaning may be reworded.
"""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform, get_args

import numpy as np

from banditgym.rounds.delays import Constant, read_law
from banditgym.rounds.late_feedback import LatenessRules
from banditgym.validation import Check, brief, flag, reals, ruled, whole, word
from banditgym.vector_env import DEFAULT_HORIZON, BanditVectorEnv, horizon_of

Env = TypeVar("Env", bound=BanditVectorEnv)


def setting(check: Check | None = None, default: Any = None, otherwise: Any = None) -> Any:
    """A row's check and default. A setting with default None is None if it is not given.

    Without a check the environment reads the value itself, together with other settings.
    ``Settings.filled`` returns ``otherwise`` for a setting that is not given.
    """
    return field(default=default, metadata={"check": check, "otherwise": otherwise})


def one_of(known: Collection[str]) -> Check:
    """The check of a setting that is one of several words."""
    return functools.partial(word, known=known)


def least(number: int) -> Check:
    """The check of a setting that is an integer, and not below a number."""
    return functools.partial(whole, least=number)


def within(low: float, high: float, rule: str) -> Check:
    """The check of a setting from ``low`` to ``high``; the error says that it must ``rule``."""
    return ruled(lambda number: low <= number <= high, f"must {rule}")


def _probabilities(name: str, value: object) -> float | np.ndarray:
    """A probability, or an array (K,) of them."""
    given = reals(name, value)
    if given.ndim > 1 or not given.size or not ((given >= 0) & (given <= 1)).all():
        raise ValueError(f"{name} must be a probability, or one for each arm, got {brief(value)}")
    return given if given.ndim else given.item()


@dataclass_transform(kw_only_default=True, field_specifiers=(setting,))
@dataclass(kw_only=True, eq=False)
class Settings:
    """The base class of tables, with the settings of every environment; checks each value.

    Classes derived from it are dataclasses without a decorator.
    """

    horizon: Annotated[
        int | None,
        "Rounds per episode, T; ``max_episode_steps`` is Gymnasium's name for it.",
    ] = setting(otherwise=DEFAULT_HORIZON)
    max_episode_steps: int | None = setting()
    delay: Annotated[
        Any,
        "int or mapping, optional",
        "How many rounds after its own a reward arrives: an integer, or a law such as ``{'kind': "
        "'geometric', 'mean': 100}``; see ``banditgym.rounds.delays``.",
    ] = setting(lambda name, value: read_law(value))  # noqa: RUF009 (it makes a field)
    missing: Annotated[
        Any,
        "float or array (K,), optional",
        "The probability that a reward never arrives, or one for each arm.",
    ] = setting(_probabilities)  # noqa: RUF009
    window: Annotated[
        int | None,
        "A positive reward whose delay is at most ``window`` arrives when it is due. Every other "
        "decision is closed ``window`` rounds after its own by a reward of 0.",
    ] = setting(least(0))
    update_every: Annotated[
        int | None, "Rewards arrive together at the end of each so many rounds."
    ] = setting(whole)
    at_end: Annotated[
        str | None,
        '{"lost", "delivered"}, default "lost"',
        "Whether rewards that are open after the last round are lost, or arrive in it.",
    ] = setting(one_of(("lost", "delivered")))
    law_known: Annotated[
        bool | None, "bool, default False", "Whether ``task.feedback`` has the law of delays."
    ] = setting(flag)

    own: ClassVar = (  # names of the rows declared here
        *("horizon", "max_episode_steps", "delay", "missing", "window", "update_every"),
        *("at_end", "law_known"),
    )

    def __init_subclass__(cls) -> None:
        dataclass(kw_only=True, eq=False)(cls)
        cls.own = tuple(row.name for row in fields(cls) if row.name in vars(cls))

    def __post_init__(self) -> None:
        for row in fields(self):
            check, value = row.metadata["check"], getattr(self, row.name)
            left_out = value is None and row.default is None
            if check is not None and not left_out:
                setattr(self, row.name, check(row.name, value))

    @property
    def lateness(self) -> LatenessRules | None:
        """When rewards arrive; None if each comes in its own round."""
        rules = {
            name: getattr(self, name) for name in ("delay", "missing", "window", "update_every")
        }
        if all(value is None for value in rules.values()):
            self.refuse_given(("at_end", "law_known"), f"needs one of {', '.join(rules)}")
            return None
        return LatenessRules(
            missing=0.0 if self.missing is None else self.missing,
            law=Constant(delay=0) if self.delay is None else self.delay,
            window=self.window,
            update_every=1 if self.update_every is None else self.update_every,
            delivered=self.at_end == "delivered",
        )

    @property
    def has_horizon(self) -> bool:
        """Whether the horizon is given, under either name."""
        return self.horizon is not None or self.max_episode_steps is not None

    @property
    def rounds(self) -> int:
        """Rounds per episode, T."""
        return horizon_of(self.horizon, self.max_episode_steps)

    def filled(self, name: str) -> Any:
        """The value of a setting, or its ``otherwise`` if it is not given."""
        value = getattr(self, name)
        return self.__dataclass_fields__[name].metadata["otherwise"] if value is None else value

    def refuse_given(self, names: Collection[str], why: str) -> None:
        """Raise ``ValueError`` if one of the settings ``names``, by default None, is given."""
        for name in names:
            if (value := getattr(self, name)) is not None:
                raise ValueError(f"{name} {why}, got {brief(value)}")


def configured(kind: type[Settings]) -> Callable[[type[Env]], type[Env]]:
    """Decorate an environment: its constructor takes ``num_envs`` and the settings of a table.

    The constructor checks the settings, and calls ``_set_up(num_envs, given)`` of the class, which
    ends with ``super().__init__(num_envs, task, ..)``.
    """
    rows = fields(kind)

    def decorate(cls: type[Env]) -> type[Env]:
        def __init__(self: Any, num_envs: int = 1, **settings: Any) -> None:
            for name in settings.keys() - {row.name for row in rows}:
                raise TypeError(
                    f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}"
                )
            self._settings = settings
            given = kind(**settings)
            rules = given.lateness
            self._set_up(num_envs, given)
            law = getattr(given, "available", None)
            if law is not None:
                self._let_arms_come_and_go(law)
            if rules is not None:
                self._let_rewards_be_late(rules, bool(given.law_known))

        own, named = inspect.Parameter, inspect.Parameter.KEYWORD_ONLY
        __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                own("self", own.POSITIONAL_OR_KEYWORD),
                own("num_envs", own.POSITIONAL_OR_KEYWORD, default=1, annotation=int),
                *(own(row.name, named, default=row.default) for row in rows),
            ]
        )
        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        __init__.__module__ = cls.__module__
        cls.__init__ = __init__  # type: ignore[assignment]
        if cls.__doc__:  # not with python -OO
            parts = re.split(r"^(?=\w+\n-{3,}$)", inspect.cleandoc(cls.__doc__), flags=re.M)
            cls.__doc__ = "".join([parts[0].rstrip(), _documented(kind), *parts[1:]])
        return cls

    return decorate


def _documented(kind: type[Settings]) -> str:
    """The section Parameters of a table, in numpydoc's form: its own rows first.

    Nothing else reads the annotations, which are no part of the keys of results.
    """
    entries = {"num_envs": ("int", "Number of independent replicates, n.")}
    final = {row.name: row for row in fields(kind)}
    for base in kind.__mro__[:-1]:  # without object
        for row in fields(base):
            texts = getattr(row.type, "__metadata__", ())
            if texts and row.name in base.own:
                head = texts[0] if len(texts) == 2 else _head(row.type, final[row.name])
                entries.setdefault(row.name, (head, texts[-1]))
    lines = ["", "", "Parameters", "----------"]
    for name, (head, meaning) in entries.items():
        lines += [f"{name} : {head}", textwrap.indent(textwrap.fill(meaning, 92), "    ")]
    return "\n".join([*lines, "", ""])


def _head(hint: Any, row: Any) -> str:
    """The docstring's text for a type: ``float, default 0.1``, ``{"drawn", "identity"}``."""
    known = getattr(row.metadata["check"], "keywords", {}).get("known")
    if known is not None:
        return "{" + ", ".join(f'"{name}"' for name in known) + "}"
    kind = hint.__origin__
    kind = get_args(kind)[0] if isinstance(kind, UnionType) else kind
    default = row.metadata["otherwise"] if row.default is None else row.default
    if default is None:
        return f"{kind.__name__}, optional"
    return f"{kind.__name__}, default {f'{default:g}' if kind is float else default}"
