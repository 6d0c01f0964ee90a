"""The processes of an agent, and the files that they may read."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from banditgym.files.class_paths import place_of
from leaderboards.sandbox.host import LostError, Process
from leaderboards.sandbox.limits import Limits

_OURS = ("agents", "banditgym", "leaderboards")


class AgentProcesses:
    """The processes of an agent, which its copy for the warm-up shares.

    Parameters
    ----------
    folder : str or None
        As in `SandboxedAgent`.
    full : bool
        Whether the processes run inside bubblewrap.
    """

    def __init__(self, spec: str, folder: str | None, *, full: bool) -> None:
        self._spec, self._folder, self._full = spec, folder, full
        self.processes: list[Process] = []

    def start(self, count: int, limits: Limits) -> None:
        """Have ``count`` processes: keep those alive, and start the missing ones.

        Raises
        ------
        ValueError
            If the agent cannot be made; with the agent's message.
        """
        for process in self.processes[count:]:
            process.end()
        self.processes = [process for process in self.processes[:count] if process.alive]
        while len(self.processes) < count:
            files, spec = files_of(self._spec, self._folder)
            try:
                self.processes.append(Process(spec, files, full=self._full, limits=limits))
            except LostError as lost:
                raise ValueError(f"{self._spec}: {lost}") from None

    def end(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.end()
        self.processes = []

    def __del__(self) -> None:
        self.end()


def files_of(spec: str, folder: str | None) -> tuple[Mapping[str, Path], str]:
    """The files that an agent needs besides installed packages, and its spec inside the process."""
    place, _ = place_of(spec)
    if folder is not None:
        return {"": Path(folder)}, spec
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise ValueError(f"cannot read {path}: no such file")
        return {path.name: path.absolute()}, spec.replace(place, path.name, 1)
    top = place.partition(".")[0]
    if not top or top in _OURS:
        return {}, spec
    found = importlib.util.find_spec(top)  # for a top-level name this runs no code
    origin = None if found is None else found.origin
    if origin is None or not Path(origin).is_file():
        return {}, spec
    path = Path(origin)
    path = path.parent if path.name == "__init__.py" else path
    return {path.name: path}, spec
