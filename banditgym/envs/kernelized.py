"""Kernelized bandits: rewards from a function whose smoothness is that of a kernel."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.action_sets import Box
from banditgym.action_sets.point_sets import POINT_SETS, point_set, sobol
from banditgym.data.regression_data import read_regression, to_unit_cube
from banditgym.envs.contexts import Contexts, fitting_shape, read_rows
from banditgym.envs.noise import rewards_of
from banditgym.envs.shared_settings import ArmsSettings, NoiseSettings
from banditgym.functions.box_functions import N_CENTRES, BoxFunction, box_function
from banditgym.functions.covariances import RBF, Covariance, read_covariance
from banditgym.functions.gaussian_process import PriorDraws
from banditgym.functions.standard_functions import OBJECTIVES
from banditgym.rounds.blocks import ArmsBlock, MeansBlock, NoiseBlock
from banditgym.rounds.read_only import read_only
from banditgym.settings import configured, least, one_of, setting
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import KernelTask
from banditgym.validation import flag, nearest, nonnegative, whole
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA, BanditVectorEnv, Played

_ARMS = (*POINT_SETS, "box")
_SAMPLE = 1 << 14  # points over which test functions are standardised where arms change


class KernelSettings(NoiseSettings, ArmsSettings):
    """The settings of ``KernelBandit``."""

    n_arms: Annotated[int | None, 'Number of arms K; ``arms="box"`` has no such setting.'] = (
        setting(whole, otherwise=100)
    )
    dim: Annotated[
        int | None,
        "Number of coordinates d; test functions except ``ackley`` and ``michalewicz`` fix it.",
    ] = setting(whole, otherwise=2)
    function: Annotated[
        str,
        'str, default "gp"',
        'The function f, as above: "gp", "rkhs", "branin", "hartmann3", "hartmann6", '
        '"ackley", "michalewicz" or "eggholder".',
    ] = setting(one_of(("gp", "rkhs", *OBJECTIVES)), "gp")
    covariance: Annotated[
        Covariance | Mapping[str, Any] | None,
        "RBF, Matern, Linear, or mapping",
        "The kernel k, from ``banditgym.functions.covariances`` or as "
        '``{"kind": "matern", "nu": 1.5}``; '
        "an RBF kernel of length-scale 0.2 by default. Agents know it. If f is not drawn with k, "
        "k is the kernel that agents are to assume.",
    ] = setting()
    arms: Annotated[
        str | Path | np.ndarray,
        '{"uniform", "grid", "sobol", "box"}, array (K, d), or path',
        "``uniform``: drawn on [0, 1]^d; ``grid``: K^(1/d) equidistant coordinates per dimension, "
        "from 0 to 1, where the last coordinate changes fastest; ``sobol``: K points of Sobol's "
        "sequence, all shifted by one uniform vector modulo 1; ``box``: all of [0, 1]^d; or the "
        "points themselves (an array, .npy or .csv), which fix n_arms and dim.",
    ] = setting(default="uniform")
    arms_seed: Annotated[
        int,
        "Seed of ``uniform`` and ``sobol``, and of the random features of ``gp`` at more than 5000 "
        "arms. The arms are the same for all replicates and episodes.",
    ] = setting(least(0), 0)
    data: Annotated[
        str | Path | Sequence[Any] | None,
        '"diabetes", path, or pair (X, y) or (table, str), optional',
        "A regression problem. Its rows are the arms, each feature scaled to [0, 1] (0 if "
        "constant), and its targets are f. Give scikit-learn's bundled data set; a CSV file whose "
        "last column is the target; a file in svmlight format; arrays (K, d) and (K,); or a table "
        "(a CSV or Parquet file or a pandas DataFrame) with the name of its target, whose other "
        "columns are encoded as numbers. See ``banditgym.data.regression_data``.",
    ] = setting()
    param_norm: Annotated[
        float | None,
        "The norm of f for ``rkhs``. For other functions the norm in the kernel's space is not "
        "known (for ``gp`` it is infinite), and this is only the bound that agents are to assume.",
    ] = setting(nonnegative, otherwise=1.0)
    fixed_arms: Annotated[
        bool,
        "Keep the arms through all rounds. Otherwise ``gp`` is refused, because f would have to be "
        "drawn at points that are not known in advance.",
    ] = setting(flag, True)

    def coordinates(self, dim: int | None) -> int:
        """The number of coordinates of f, which must be ``dim`` if that is given."""
        own = OBJECTIVES[self.function].dim if self.function in OBJECTIVES else None
        if own is not None and dim not in (None, own):
            raise ValueError(
                f"dim is {dim}, but {self.function} is a function of {own} coordinates"
            )
        return own or dim or self.filled("dim")


@configured(KernelSettings)
class KernelBandit(BanditVectorEnv):
    r"""Rewards from a hidden function of the arm; its covariance function is known.

    Arm :math:`a` is a point :math:`x_a` of :math:`\mathbb{R}^d`, and its reward is

    .. math:: r_t = f_i(x_a) + \varepsilon_t,
        \qquad \mathbb{E}\varepsilon_t = 0, \quad \mathbb{E}\varepsilon_t^2 = \sigma^2
        \quad \text{i.i.d.},

    with a hidden :math:`f_i` of replicate :math:`i`, which ``reset`` draws:

    - ``gp``: a Gaussian process with mean 0 and covariance k, at the arms; for its exactness see
      ``banditgym.functions.gaussian_process.PriorDraws``.
    - ``rkhs``: :math:`f = \sum_{j \le 50} \alpha_j k(c_j, \cdot)`. The :math:`\alpha_j` are normal
      and scaled so that the norm of f in the kernel's space, :math:`\sqrt{\sum_{j,l} \alpha_j
      \alpha_l k(c_j, c_l)}`, is ``param_norm``. The :math:`c_j` are drawn uniformly, with
      replacement, from the arms, or from :math:`[0, 1]^d` if arms change. (With the linear kernel
      and all arms at 0, f is 0.)
    - a test function (``banditgym.functions.standard_functions``) or ``data``: one f for all
      replicates, shifted and scaled to mean 0 and standard deviation 1 over the arms, or, if arms
      change, over the first 2^14 points of Sobol's sequence in :math:`[0, 1]^d`. A constant becomes
      0.

    With fixed arms all replicates share the arms ``task.arms``, and nothing is observed (zeros of
    shape (n,)). With ``fixed_arms=False`` every round draws its own arms, uniform on :math:`[0,
    1]^d`, and observations are of shape (n, K, d). Actions are arm indices of shape (n,). The noise
    of a round depends only on the seed and the round.

    With ``arms="box"`` every point of :math:`[0, 1]^d` is an arm, and nothing is observed. Actions
    are points (n, d). A point up to 1e-9 outside is accepted, and the nearest point of the box is
    played. The functions are those of ``banditgym.functions.box_functions``: test functions are
    standardised as with changing arms, the centres of ``rkhs`` are uniform on the box, and ``gp``
    is a continuous function of 1024 random Fourier features, which are also drawn.

    Regret on a box needs a certified maximum. ``gp`` and ``rkhs`` therefore require a linear
    covariance, or d <= 3, a length-scale of at least :math:`2000^{-1/d}` and derivatives (no Matérn
    of nu 0.5). No point of the box exceeds the stated maximum, and the best point falls short of it
    by at most 1e-9 of the scale of f. Regret is therefore never negative, and at the best point it
    is at most 1e-9 of the scale. ``reset`` finds the maximum in about 10 ms per replicate in two
    dimensions.

    ``info["regret"]`` of shape (n,) is the expected reward lost in the round against its best arm.
    Unless arms change, ``info["simple_regret"]`` is an increment too: its sum up to round t is
    :math:`\max f - \max_{s \le t} f(x_s)`, so it is negative if the round's play is the best so
    far. With ``available`` observations are mappings of ``action_mask`` (n, K), int8, 1 where an
    arm may be played, and of ``arms`` (n, K, d) if these change; the sum of simple regrets is then
    the smallest regret of a round so far.

    Notes
    -----
    Hidden: the function f, its maximum, and where it lies. The kernel is known.

    ``StarvationBandit-v0`` is this environment on a grid of 1000 points of [0, 1] with the
    covariance :math:`\exp(-100 r^2)`, whose draws vary quickly. This is the setting of Figure 2 of
    [1]_, which shows posteriors after 6, 63 and 215 evaluations uniform on [0, 0.5]. A sparse
    approximation with too few inducing points has a small variance at points that it has never
    evaluated: variance starvation. (The paper writes "sigma² = 100", read here as the inverse
    squared width.)

    References
    ----------
    .. [1] D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process
       Optimization with Adaptive Sketching: Scalable and No Regret. COLT 2019.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("KernelBandit-v0", num_envs=3, function="branin", arms="grid")
    >>> envs.unwrapped.task.arms.shape
    (100, 2)
    >>> _ = envs.reset(seed=0)
    >>> infos = [envs.step([0, 50, 99])[4] for _ in range(3)]
    >>> sum(info["regret"] for info in infos).round(2)
    array([14.82,  0.21,  7.  ])
    >>> sum(info["simple_regret"] for info in infos).round(2)
    array([4.94, 0.07, 2.33])
    """

    def _set_up(self, num_envs: int, given: KernelSettings) -> None:
        function, self._law = given.function, given.law
        covariance = RBF() if given.covariance is None else read_covariance(given.covariance)
        param_norm = given.filled("param_norm")
        self._arms, values = _fixed_arms(given)
        self._function: BoxFunction | None = None
        if self._arms is not None:
            n_arms, dim = read_only(self._arms).shape  # the task shows them to agents
        else:
            n_arms, dim = given.filled("n_arms"), given.coordinates(given.dim)
            if given.fixed_arms:
                self._function = box_function(function, covariance, dim, param_norm)
        task = KernelTask(
            n_arms=n_arms if self._function is None else None,
            dim=dim,
            horizon=given.rounds,
            noise_std=self._law.std,
            subgaussian=self._law.subgaussian,
            covariance=covariance,
            param_norm=param_norm,
            fixed_arms=given.fixed_arms,
            arms=self._arms,
            action_set=None if self._function is None else Box(dim),
        )
        shown: spaces.Space = spaces.Discrete(1)
        played: spaces.Space = spaces.Box(0.0, 1.0, (dim,), np.float64)
        if self._function is None:
            if not given.fixed_arms:
                shown = spaces.Box(0.0, 1.0, (n_arms, dim), np.float64)
            played = spaces.Discrete(n_arms)
        super().__init__(num_envs, task, shown, played, task.action_set)
        self._bounded_norm = function == "rkhs"
        self._objective = self._known = None
        self._draws: PriorDraws | None = None
        if not given.fixed_arms:
            self._distribution = Contexts.of("cube", dim, math.sqrt(dim))  # of side 1
            if function in OBJECTIVES:
                self._objective = OBJECTIVES[function]
                sample = self._objective(sobol(_SAMPLE, dim))
                self._centre, self._scale = sample.mean(), sample.std()
        elif self._arms is not None:
            if function in OBJECTIVES:
                values = OBJECTIVES[function](self._arms)
            if values is not None:
                self._known = np.tile(_standardised(values), (num_envs, 1))
            self._arms_seed = given.arms_seed

    def _begin(self) -> None:
        hidden = self._stream(THETA)
        self._noise_keys = self._stream(NOISE).keys
        self._least = np.full(self.num_envs, math.inf)
        if self._function is not None:
            self._function.draw(hidden)
            return
        if self._bounded_norm:
            self._draw_of_bounded_norm(hidden)
        if self._arms is None:
            self._context_keys = self._stream(CONTEXTS).keys
            return
        if self._known is not None:
            means = self._known
        elif self._bounded_norm:
            means = np.array([self._of_bounded_norm(i, self._arms) for i in range(self.num_envs)])
        else:
            if self._draws is None:  # made late: an environment may be made only for its task
                # Numbers of episode 0 are the arms.
                spectrum = Stream([self._arms_seed], ENVIRONMENT, ARMS, 1)
                self._draws = PriorDraws(self.task.covariance, self._arms, spectrum)
            means = self._draws.draw(hidden.normal(0, (self._draws.n_normals,)))
        self._means = means[None], means.max(axis=1)[None]

    def _rounds(self, t: int, rounds: int) -> NoiseBlock:
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        if self._function is not None:
            return NoiseBlock(start=t, noise=noise)
        if self.task.fixed_arms:
            means, best = self._means
            return MeansBlock(start=t, means=means, best=best, noise=noise)
        # Stored coordinate by coordinate: agents' inner loops run along the arms.
        features = np.empty((rounds, self.num_envs, self.task.dim, self.task.n_arms))
        self._distribution.fill_rounds(self._context_keys, t, features)
        means = np.array([self._means_at(of_round) for of_round in features])
        return ArmsBlock(
            start=t, features=features, means=means, best=means.max(axis=2), noise=noise
        )

    def _means_at(self, features: np.ndarray) -> np.ndarray:
        """The means (n, K) of a round's arms, whose features are (n, d, K)."""
        if self._objective is None:
            return np.array([self._of_bounded_norm(i, arms.T) for i, arms in enumerate(features)])
        n, dim, n_arms = features.shape
        columns = features.transpose(1, 0, 2).reshape(dim, n * n_arms)
        values = (self._objective.of_columns(columns) - self._centre) / self._scale
        return values.reshape(n, n_arms)

    def _reward(self, block: Any, places: np.ndarray, actions: np.ndarray):
        if self._function is not None:
            box = self.task.action_set
            means = np.array([self._function.values(box.project(points)) for points in actions])
            reward, info = means + block.noise[places], {"regret": self._function.best - means}
        else:
            reward, info = rewards_of(block, places, actions)
        if self.task.fixed_arms:
            # The sum of the increments is the smallest regret of a round so far.
            info["simple_regret"] = simple = np.empty_like(info["regret"])
            for j, regret in enumerate(info["regret"]):
                least = np.minimum(self._least, regret)
                simple[j] = least - self._least if block.start + places[j] else regret
                self._least = least
        return reward, info

    def _reward_one(self, block: Any) -> Callable[[int, Any], Played] | None:
        if not self.task.fixed_arms:
            return None
        read_one, noise, start = self._set.read_one, block.noise, block.start
        mean_of: Callable[[Any], float]
        if (function := self._function) is None:
            mean_of, best = self._means[0].item, self._means[1].item()
        else:
            values, box, best = function.values, self._set, function.best.item()

            def value_of(point: np.ndarray) -> float:
                return values(box.project(point)).item()

            mean_of = value_of

        def play(s: int, action: Any) -> Played:
            mean = mean_of(read_one(action))
            regret, before = best - mean, self._least.item()
            self._least[0] = least = min(before, regret)
            simple = least - before if start + s else regret
            return mean + noise.item(s), {"regret": regret, "simple_regret": simple}

        return play

    def _draw_of_bounded_norm(self, hidden: Stream) -> None:
        """Draw centres (n, 50, d) and weights (n, 50) of functions with norm ``param_norm``."""
        if self._arms is None:
            self._centres = hidden.uniform(1, (N_CENTRES, self.task.dim))
        else:
            self._centres = self._arms[
                (hidden.uniform(1, (N_CENTRES,)) * len(self._arms)).astype(np.int64)
            ]
        self._weights = hidden.normal(0, (N_CENTRES,))
        for i, (centres, weights) in enumerate(zip(self._centres, self._weights, strict=True)):
            square = float((weights * self._of_bounded_norm(i, centres)).sum())
            weights *= self.task.param_norm / math.sqrt(square) if square > 0 else 0.0

    def _of_bounded_norm(self, i: int, points: np.ndarray) -> np.ndarray:
        """Values (K,) of replicate i's function at points (K, d)."""
        values = self.task.covariance(self._centres[i], points)
        values *= self._weights[i, :, None]
        return values.sum(axis=0)


def _standardised(values: np.ndarray) -> np.ndarray:
    """Values (K,) shifted and scaled to mean 0 and standard deviation 1; zeros if constant."""
    if values.min() == values.max():  # else the rounding error of the mean would be amplified
        return np.zeros(len(values))
    unit = values / np.abs(values).max()  # whose squares stay in range
    unit -= unit.mean()
    return unit / math.sqrt(float((unit * unit).mean()))


def _fixed_arms(given: KernelSettings) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The arms (K, d), None if they change or are a box; and the values (K,) of data there."""
    function, arms = given.function, given.arms
    drawn = isinstance(arms, str) and arms == "uniform"
    if given.data is not None:
        if function != "gp" or not drawn or not given.fixed_arms:
            raise ValueError(
                "function, arms and fixed_arms have no meaning where data are given, which are "
                "both: leave them out"
            )
        rows, values = read_regression(given.data)
        points = to_unit_cube(rows)
        fitting_shape("data", points, given.n_arms, given.dim)
        return points, values
    if not given.fixed_arms:
        if function == "gp":
            raise ValueError(
                "function 'gp' needs fixed arms: f would have to be drawn at points that are "
                "not known in advance; 'rkhs' and test functions do not"
            )
        if not drawn:
            raise ValueError("arms have no meaning where fixed_arms is false; leave them out")
        return None, None
    if isinstance(arms, str) and arms == "box":
        if given.n_arms is not None:
            raise ValueError("n_arms has no meaning where arms are a box; leave it out")
        return None, None
    if isinstance(arms, str) and arms in POINT_SETS:
        stream = Stream([given.arms_seed], ENVIRONMENT, ARMS, 0)
        dim = given.coordinates(given.dim)
        return point_set(arms, given.filled("n_arms"), dim, stream), None
    points = _given(arms)
    _, dim = fitting_shape("arms", points, given.n_arms, given.dim)
    given.coordinates(dim)
    if function in OBJECTIVES and not (0 <= points.min() <= points.max() <= 1):
        raise ValueError(f"arms of {function} must lie in [0, 1]^{dim}")
    return points, None


def _given(arms: ArrayLike | Path) -> np.ndarray:
    """The arms (K, d) from an array or a file."""
    if isinstance(arms, str) and Path(arms).suffix not in (".npy", ".csv"):
        raise ValueError(
            f"arms must be one of {', '.join(_ARMS)}, an array (K, d), or a .npy or .csv file, got "
            f"{arms!r}{nearest(arms, _ARMS)}"
        )
    return read_rows("arms", arms)
