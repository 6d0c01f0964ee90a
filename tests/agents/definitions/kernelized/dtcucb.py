"""DTC-UCB, Seeger et al. 2003, for one replicate: SoR-UCB with the corrected variance."""

from tests.agents.definitions.kernelized import sorucb


class Definition(sorucb.Definition):
    _corrected = True
