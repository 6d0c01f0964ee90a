"""The scale of linear Thompson sampling."""

import numpy as np

from banditgym.elementary import each_log


def linear_thompson_scale(t: np.ndarray, *, dim: int, delta: float, noise_std: float) -> np.ndarray:
    r"""Scale v of linear Thompson sampling in round t, counted from 1.

    .. math:: v_t = R \sqrt{9 d \log(t / \delta)}

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    section 2.2, in the form that needs no horizon (arXiv 1209.3352, version 4).
    """
    return noise_std * np.sqrt(9 * dim * each_log(t / delta))
