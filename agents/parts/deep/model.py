"""The library's model of one replicate, and its whole state as arrays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.open_decisions import MOST
from agents.parts.deep.generators import Generators
from agents.parts.deep.library import module
from agents.parts.deep.task_spaces import environment_of
from agents.storage.loadable import Loadable
from agents.storage.saving import Storable
from agents.storage.states import equal
from banditgym.rounds.kinds import ARM
from banditgym.streams import AGENT

# The library's optimizers keep these for every parameter, beside the number of steps.
_SLOTS = {"Adam": ("exp_avg", "exp_avg_sq"), "RMSprop": ("square_avg",)}


@dataclass(frozen=True, eq=False)
class ModelState:
    """The state of a model, beyond its hyperparameters, task and seed.

    Attributes
    ----------
    tensors : dict of str to ndarray
        Parameters of the networks, and the optimizers' state for each.
    buffer : dict of str to ndarray
        The arrays of the library's own buffer.
    position : ndarray of shape (1,), int64
        Where the next reward is written to in the buffer.
    full : ndarray of shape (1,), bool
        Whether the buffer has been filled once.
    learned, updates : ndarray of shape (1,), int64
        Rewards learned from, and updates as the library counts them.
    torch : ndarray, int16
        The bytes of the state of torch's generator.
    numpy : numpy.random.Generator
        The state of numpy's global generator, with ``gauss`` (2,): whether it has a normal number
        in store, and that number.
    space : numpy.random.Generator
        The state of the action space's generator.
    open : ndarray of shape (c,), int64
        Decisions that wait for their rewards, in ascending order.
    kept : ndarray of shape (c, m), float32
        The numbers kept for each of them.
    n_arms : int
        Number of actions; 0 where actions are points.
    """

    loadable: ClassVar = {
        "position": Loadable(most=lambda self: len(self.buffer["actions"]) - 1),
        "torch": Loadable(most=255),
        "open": Loadable("open"),
        "kept": Loadable("open _"),
    }

    tensors: dict[str, np.ndarray]
    buffer: dict[str, np.ndarray]
    position: np.ndarray
    full: np.ndarray
    learned: np.ndarray
    updates: np.ndarray
    torch: np.ndarray
    numpy: np.random.Generator
    gauss: np.ndarray
    space: np.random.Generator
    open: np.ndarray
    kept: np.ndarray
    n_arms: int

    def consistent(self) -> bool:
        """Whether generators are the library's, decisions ascend, and the arms played exist."""
        kinds = [type(one.bit_generator).__name__ for one in (self.numpy, self.space)]
        played = self.buffer["actions"]
        return (
            kinds == ["MT19937", "PCG64"]
            and len(self.open) <= MOST
            and bool((np.diff(self.open) > 0).all())
            and (self.n_arms == 0 or bool((played < self.n_arms).all()))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe:
    """The arguments from which a model is made.

    Attributes
    ----------
    algorithm : str
        Name of the library's class.
    settings : mapping
        Arguments of its constructor, and ``noise``: the deviation of Gaussian noise on actions.
    task : dataclass of ``banditgym.tasks``
    horizon : int
        Number of rounds, for its schedules.
    seed : int
        Seed of the replicate.
    kept : int
        How many numbers are kept for an open decision.
    """

    algorithm: str
    settings: Mapping[str, Any]
    task: Any
    horizon: int
    seed: int
    kept: int

    def made(self) -> Any:
        """The library's own object, ready to learn for the task's horizon."""
        settings, environment = dict(self.settings), environment_of(self.task)
        deviation = settings.pop("noise", None)
        if deviation is not None:
            noise = module("stable_baselines3.common.noise").NormalActionNoise
            zeros = np.zeros(self.task.dim)
            settings["action_noise"] = noise(zeros, zeros + deviation)
        made = getattr(module("stable_baselines3"), self.algorithm)(
            "MlpPolicy",
            environment,
            gamma=0.0,  # every round is an episode
            seed=library_seed(self.seed),
            device="cpu",
            **settings,
        )
        # The library's default logger would leave a folder behind for every model.
        made.set_logger(module("stable_baselines3.common.logger").Logger(None, []))
        made._setup_learn(self.horizon)
        made.policy.set_training_mode(False)
        return made


class Model(Storable):
    """A model of the library, its generators, and the decisions that wait for their rewards.

    A copy holds the state alone, and makes the library's object at its first use. Two models are
    equal if their states are, bit for bit.

    Attributes
    ----------
    open : dict of int to ndarray of shape (m,), float32
        The numbers kept for decisions that wait for their rewards, in ascending order.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recipe: Recipe, state: ModelState | None = None):
        self._recipe, self._state = recipe, state
        self._made: Any = None
        self.generators = Generators()
        self.open: dict[int, np.ndarray] = {}
        if state is not None:
            self.open.update(zip(state.open.tolist(), state.kept.copy(), strict=True))

    @property
    def library(self) -> Any:
        """The library's own object."""
        return self.make()

    def make(self) -> Any:
        """Make the library's object, unless it is made already, and return it."""
        if self._made is None:
            with self.generators.seeding():
                made = self._recipe.made()
            if self._state is not None:
                self._take(made, self._state)
                self._state = None
            self._made = made
        return self._made

    @property
    def buffer(self) -> Any:
        """The library's rollout or replay buffer."""
        return _buffer(self.library)

    def keep(self, decision: int, numbers: np.ndarray) -> None:
        """Keep numbers (m,) for a decision; only the last ``MOST`` decisions are kept."""
        if len(self.open) == MOST:
            del self.open[next(iter(self.open))]
        self.open[decision] = numbers

    def stored(self) -> ModelState:
        """The whole state as arrays."""
        if self._state is not None:
            return self._state
        made, numpys = self.library, self.generators.numpy
        buffer = self.buffer
        twister = np.random.MT19937()
        twister.state = {"bit_generator": "MT19937", "state": numpys["state"]}
        task, kept = self._recipe.task, self._recipe.kept
        return ModelState(
            tensors={name: tensor.numpy().copy() for name, tensor in _tensors(made)},
            buffer={
                name: array.copy()
                for name, array in vars(buffer).items()
                if isinstance(array, np.ndarray)
            },
            position=np.array([buffer.pos]),
            full=np.array([buffer.full]),
            learned=np.array([made.num_timesteps]),
            updates=np.array([made._n_updates]),
            torch=self.generators.torch.numpy().astype(np.int16),
            numpy=np.random.Generator(twister),
            gauss=np.array([numpys["has_gauss"], numpys["gauss"]], np.float64),
            space=_copied(made.action_space.np_random),
            open=np.array([*self.open], np.int64),
            kept=np.array([*self.open.values()], np.float32).reshape(len(self.open), kept),
            n_arms=task.n_arms if task.plays is ARM else 0,
        )

    def restore(self, state: ModelState) -> "Model":
        """A model of the same hyperparameters, task and seed with another state.

        Raises
        ------
        ValueError, RuntimeError
            If the library, or torch, refuses the state.
        """
        restored = Model(self._recipe, state)
        restored.make()  # so that a bad state raises here
        return restored

    def _take(self, made: Any, state: ModelState) -> None:
        torch = module("torch")
        _set_tensors(made, state.tensors)
        buffer = _buffer(made)
        for name, array in state.buffer.items():
            setattr(buffer, name, array.copy())
        buffer.pos, buffer.full = int(state.position[0]), bool(state.full[0])
        made.num_timesteps, made._n_updates = int(state.learned[0]), int(state.updates[0])
        made._update_current_progress_remaining(made.num_timesteps, made._total_timesteps)
        if hasattr(made, "exploration_schedule") and made.num_timesteps:
            made._n_calls = made.num_timesteps
            made.exploration_rate = made.exploration_schedule(made._current_progress_remaining)
        self.generators.torch = torch.tensor(state.torch.astype(np.uint8))
        torch.Generator().set_state(self.generators.torch)  # raises unless it is a legal state
        self.generators.numpy = {
            "bit_generator": "MT19937",
            "state": state.numpy.bit_generator.state["state"],
            "has_gauss": int(state.gauss[0]),
            "gauss": float(state.gauss[1]),
        }
        made.action_space._np_random = _copied(state.space)

    def nbytes(self) -> int:
        """Bytes of its arrays."""
        state = self.stored()
        arrays = [*state.tensors.values(), *state.buffer.values(), state.open, state.kept]
        return sum(array.nbytes for array in arrays)

    def __deepcopy__(self, memo: Any) -> "Model":
        return Model(self._recipe, self.stored())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and equal(self.stored(), other.stored())


def library_seed(seed: int) -> int:
    """The seed of 32 bits that the library gets, from the replicate's seed."""
    words = np.random.SeedSequence(seed, spawn_key=(AGENT, 0, 0)).generate_state(1)
    return int(words[0])


def _buffer(made: Any) -> Any:
    return made.rollout_buffer if hasattr(made, "rollout_buffer") else made.replay_buffer


def _copied(generator: np.random.Generator) -> np.random.Generator:
    bits = type(generator.bit_generator)()
    bits.state = generator.bit_generator.state
    return np.random.Generator(bits)


def _parts(made: Any) -> Iterator[tuple[str, Any]]:
    """The parts that the library itself saves: networks, optimizers, and further tensors."""
    states, tensors = made._get_torch_save_params()
    for name in (*states, *tensors):
        part = made
        for word in name.split("."):
            part = getattr(part, word)
        yield name, part


def _tensors(made: Any) -> Iterator[tuple[str, Any]]:
    """Every tensor of a model by name, including those of optimizers before their first step."""
    torch = module("torch")
    for name, part in _parts(made):
        if isinstance(part, torch.nn.Module):
            for key, tensor in part.state_dict().items():
                yield f"{name}/{key}", tensor
        elif isinstance(part, torch.optim.Optimizer):
            for i, parameter in enumerate(_parameters(part)):
                known = part.state.get(parameter, {})
                yield f"{name}/{i}/step", known.get("step", torch.zeros(()))
                for slot in _SLOTS[type(part).__name__]:
                    tensor = known.get(slot)
                    yield (
                        f"{name}/{i}/{slot}",
                        torch.zeros_like(parameter) if tensor is None else tensor,
                    )
        else:
            yield name, part.detach()


def _set_tensors(made: Any, tensors: Mapping[str, np.ndarray]) -> None:
    torch = module("torch")
    # Copied, so that their memory layout is that of torch's own.
    given = {name: torch.tensor(array) for name, array in tensors.items()}
    for name, part in _parts(made):
        if isinstance(part, torch.nn.Module):
            part.load_state_dict({key: given[f"{name}/{key}"] for key in part.state_dict()})
        elif isinstance(part, torch.optim.Optimizer):
            for i, parameter in enumerate(_parameters(part)):
                if given[f"{name}/{i}/step"] > 0:
                    slots = ("step", *_SLOTS[type(part).__name__])
                    part.state[parameter] = {slot: given[f"{name}/{i}/{slot}"] for slot in slots}
        else:
            with torch.no_grad():
                part.copy_(given[name])


def _parameters(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]
