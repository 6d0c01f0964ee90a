"""EXP3-IX, Neu 2015, Algorithm 1, for one replicate."""

from tests.agents.definitions.adversarial import exp3


class Definition(exp3.Definition):
    def _gamma(self):
        return self._eta() / 2
