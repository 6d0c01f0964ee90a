"""A clock that only named functions advance, for tests of whose seconds are whose."""


class SlowClock:
    """Seconds that pass while functions are called which ``slowly`` has named."""

    def __init__(self, monkeypatch):
        self.now, self._monkeypatch = 0.0, monkeypatch

    def slowly(self, owner, name, seconds):
        """From now on a call of this function of a class or module takes so many seconds."""
        own = getattr(owner, name)

        def slow(*given):
            self.now += seconds
            return own(*given)

        self._monkeypatch.setattr(owner, name, slow)
