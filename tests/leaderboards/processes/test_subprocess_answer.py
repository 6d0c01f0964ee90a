"""Questions that separate processes answer."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from leaderboards.processes import clock, printed_output, subprocess_answer
from leaderboards.processes.workers import Lost
from leaderboards.run.outcomes import outcome
from leaderboards.suites.suite import load

pytestmark = pytest.mark.processes

TOYS = str(Path(__file__).parents[1] / "toys.py")
SUITE = """
title = "small"
seeds = 3
[[task]]
name = "short"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""
AMPLE = 600.0  # CPU seconds: nothing here takes more than one


@pytest.fixture
def task(tmp_path):
    (tmp_path / "small.toml").write_text(SUITE)
    return load(tmp_path / "small.toml").tasks[0]


@dataclass
class Answer:
    data: dict | None = None
    lost: str | None = None


def ask(question, **options):
    try:
        return Answer(data=subprocess_answer.ask(question, **options))
    except Lost as lost:
        return Answer(lost=str(lost))


def play(task, spec, limit=AMPLE, **options):
    question = {
        "what": "play",
        "spec": spec,
        "task": asdict(task),
        "seeds": [0, 1, 2],
        "threads": 2,
    }
    return ask(question, limit=limit, **options)


def about(spec, **options):
    return ask({"what": "about", "spec": spec, "tasks": []}, limit=AMPLE, **options)


def write(folder, text):
    """A file whose class does something as it is made."""
    file = folder / "mine.py"
    file.write_text(f"import os, signal, subprocess, sys, time\nimport agents\n{text}\n")
    return f"{file}:Mine"


def test_an_answer_is_that_of_this_process(task):
    for spec in ("UCB1", f"{TOYS}:Good"):
        answer = play(task, spec)
        assert answer.lost is None
        here = outcome(task, spec, [0, 1, 2])
        assert answer.data is not None
        assert {k: answer.data[k] for k in ("rounds", "measures", "bytes")} == {
            k: here[k] for k in ("rounds", "measures", "bytes")
        }


def test_every_question_has_a_process_of_its_own(tmp_path):
    spec = write(tmp_path, "raise ValueError(f'{os.getpid()} {os.getsid(0)} {os.getpgid(0)}')")
    errors = [(about(spec).data or {})["error"] for _ in range(3)]
    numbers = [error.rpartition(": ")[2].split(" (")[0].split() for error in errors]
    assert len({pid for pid, *_ in numbers}) == 3
    assert all(pid == session == group for pid, session, group in numbers)


def test_what_one_changes_the_next_does_not_meet(tmp_path):
    text = "said = hasattr(agents, 'mark')\nagents.mark = 1\nraise ValueError(said)"
    errors = [(about(write(tmp_path, text)).data or {})["error"] for _ in range(2)]
    assert all("ValueError: False" in error for error in errors)


@pytest.mark.parametrize("draw", ["np.random.rand()", "random.random()"])
def test_each_has_random_numbers_of_its_own(draw, tmp_path):
    spec = write(tmp_path, f"import random\nimport numpy as np\nraise ValueError({draw})")
    errors = {(about(spec).data or {})["error"] for _ in range(3)}
    assert len(errors) == 3


def test_it_stands_in_this_folder_with_this_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BANDITGYM_TOLD", "yes")
    write(tmp_path, "raise ValueError((os.getcwd(), os.environ['BANDITGYM_TOLD'], sys.path[0]))")
    error = (about("mine.py:Mine").data or {})["error"]
    assert str((str(tmp_path), "yes", sys.path[0])) in error


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("os._exit(7)", "its process died (EXIT(7))"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its process died (SIGKILL(-9))"),
        ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(1e6)", "its process died"),
        ("os.closerange(3, 100); time.sleep(0.1)", "its process died (EXIT(0))"),
    ],
)
def test_a_process_that_dies_is_told_of(text, lost, tmp_path):
    answer = about(write(tmp_path, text))
    assert answer.data is None
    assert (answer.lost or "").startswith(lost)
    assert about("UCB1").lost is None  # and the next one is answered


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "GeneratorExit", "SystemExit(3)"])
def test_whatever_is_raised_is_an_answer(kind, tmp_path):
    answer = about(write(tmp_path, f"raise {kind}"))
    assert kind.partition("(")[0] in (answer.data or {})["error"]
    assert "Traceback (most recent call last)" in (answer.data or {})["traceback"]


def test_nothing_that_it_says_is_believed_or_run(tmp_path):
    for said in ("[1, 2]", "{", '{"answer": 3}', "[" * 10**5, "\\xff", ""):
        text = f"for fd in range(3, 100):\n    try: os.write(fd, {said.encode()!r} + b'\\n')\n"
        answer = about(write(tmp_path, f"{text}    except OSError: pass\nos._exit(0)"))
        assert answer.data is None
        assert answer.lost is not None


def test_a_line_without_end_is_refused_before_it_takes_the_askers_time(tmp_path):
    """Searching all of it for a line's end with each new piece would take minutes."""
    text = "for fd in range(3, 100):\n    try:\n        while True: os.write(fd, b'x' * 2**20)\n"
    began = time.process_time()
    answer = about(write(tmp_path, f"{text}    except OSError: pass"))
    assert answer.lost == "its process wrote too much: killed"
    assert time.process_time() - began < 30


KERNELS = """
from banditgym.compiled import compiled

@compiled
def part(x):
    return 2.0 * x

@compiled
def other(x):
    return -x

@compiled
def whole(x):
    return part(x) + 1.0

def told():
    hits, misses = whole.stats.cache_hits, whole.stats.cache_misses
    raise ValueError([whole(3.0), sum(hits.values()), sum(misses.values())])
"""
POISON = "kernels.part = kernels.other\n"


@pytest.fixture
def compiles(tmp_path, monkeypatch):
    """Result, cache hits and misses of a kernel of all, where agents' files have these texts."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)

    def told(name, text=""):
        (tmp_path / name).write_text(f"import kernels\n{text}kernels.told()")
        error = (about(f"{tmp_path / name}:Mine").data or {})["error"]
        return json.loads(error[error.index("[") : error.index("]") + 1])

    return told


def test_machine_code_of_a_changed_kernel_reaches_nobody_else(compiles):
    assert compiles("poison.py", POISON) == [-2.0, 0, 1]
    assert compiles("honest.py") == [7.0, 0, 1]
    assert compiles("poison.py") == [7.0, 0, 1]  # the file is another one now


def test_machine_code_is_kept_for_the_same_file(compiles):
    for hits in (0, 1):
        assert compiles("honest.py") == [7.0, hits, 1 - hits]


def test_machine_code_of_a_process_without_others_code_is_for_all(compiles, tmp_path):
    code = "import kernels; assert kernels.whole(3.0) == 7.0"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=600)
    assert compiles("honest.py") == [7.0, 1, 0]


def test_what_an_agent_starts_keeps_its_machine_code_apart_too(compiles):
    code = "import kernels; kernels.part = kernels.other; kernels.whole(3.0)"
    path = "env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}"
    begin = f"import os, subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}], {path})"
    assert compiles("poison.py", f"{begin}\n") == [-2.0, 1, 0]
    assert compiles("honest.py") == [7.0, 0, 1]


def test_the_limit_is_of_cpu_seconds(task):
    answer = play(task, f"{TOYS}:Burns", limit=2.0)
    assert answer.lost == "still running after 2 s of CPU time: killed"


def test_who_sleeps_ends_on_the_wall(task, monkeypatch):
    monkeypatch.setattr(clock, "WALL", 0.01)
    answer = play(task, f"{TOYS}:Sleeps", limit=AMPLE)
    assert (answer.lost or "").startswith("still running after 6 s, with ")


def test_compilation_is_told(task, tmp_path):
    told = []
    play(task, f"{TOYS}:Hangs", limit=2.0, compiling=told.append)
    assert told[:2] == [True, False]
    assert told[-1] is False
    # A process that claims to compile forever is tolerated for a while.
    assert len(told) % 2 == 0


def gone(pid):
    end = time.monotonic() + 60.0
    while Path("/proc", str(pid)).exists() and time.monotonic() < end:
        time.sleep(0.01)
    return not Path("/proc", str(pid)).exists()


def test_nothing_that_it_began_outlives_it(tmp_path):
    text = "child = subprocess.Popen(['sleep', '600'])\n"
    for end in (
        "raise ValueError(child.pid)",
        "open('pid', 'w').write(str(child.pid)); os._exit(0)",
    ):
        (tmp_path / "pid").write_text("")
        spec = write(tmp_path, f"os.chdir({str(tmp_path)!r})\n{text}{end}")
        answer = about(spec)
        error = (answer.data or {}).get("error", "").rpartition(": ")[2].split(" ")[0]
        assert gone(int(error or (tmp_path / "pid").read_text()))


def test_a_daemon_ends_with_the_answer(tmp_path):
    sign = tmp_path / "pid"
    text = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({str(sign)!r}, "w").write(str(os.getpid()) + ".")
        time.sleep(1e6)
    os._exit(0)
while not os.path.exists({str(sign)!r}) or "." not in open({str(sign)!r}).read():
    time.sleep(0.01)
raise ValueError
"""
    assert (about(write(tmp_path, text)).data or {})["error"]
    assert gone(int(sign.read_text().strip(".")))


def test_who_stops_its_parent_ends_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess_answer, "_ENDING", 0.1)
    sign = tmp_path / "pids"
    text = f"""
import ctypes
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # it does not end because its parent does
open({str(sign)!r}, "w").write(f"{{os.getpid()}} {{os.getppid()}}")
os.kill(os.getppid(), signal.SIGSTOP)
"""
    for end, limit in (("raise ValueError", AMPLE), ("while True: pass", 1.0)):
        question = {"what": "about", "spec": write(tmp_path, f"{text}{end}"), "tasks": []}
        answer = ask(question, limit=limit)
        said = str(answer.data or answer.lost)
        assert "ValueError" in said or said == "still running after 1 s of CPU time: killed"
        assert all(gone(pid) for pid in map(int, sign.read_text().split()))
    assert about("UCB1").lost is None


def test_an_idle_process_that_was_stopped_is_ended(monkeypatch):
    about("UCB1")
    monkeypatch.setattr(subprocess_answer, "_ENDING", 0.1)
    found = subprocess_answer._idle.pop()
    os.kill(found._process.pid, signal.SIGSTOP)
    found.end(0.1)
    assert gone(found._process.pid)


def test_it_ends_with_who_asked(tmp_path):
    sign = tmp_path / "pid"
    spec = write(tmp_path, f"open({str(sign)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1e6)")
    question = {"what": "about", "spec": spec, "tasks": []}
    code = f"from leaderboards.processes.subprocess_answer import ask; ask({question}, limit=600)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while not (sign.exists() and sign.read_text()) and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert gone(int(sign.read_text()))


def test_a_stopped_server_ends_with_who_asked():
    code = f"""
import os, signal
from leaderboards.processes import subprocess_answer
subprocess_answer.ask({{"what": "about", "spec": "UCB1", "tasks": []}}, limit={AMPLE})
pid = subprocess_answer._idle[0]._process.pid
os.kill(pid, signal.SIGSTOP)
os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
print(pid, flush=True)
signal.pause()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    assert gone(pid)


def test_its_output_is_passed_on_up_to_a_bound(tmp_path, capfd):
    text = "print('said', flush=True)\nfor _ in range(200): print('x' * 9999, file=sys.stderr)"
    spec = write(tmp_path, text + "\nprint('\\x1b[2J')\nraise ValueError('in time')")
    assert "in time" in (about(spec).data or {})["error"]
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("said\nxxx")
    *_, last = err.splitlines()
    assert len(err) < printed_output.MOST + 200
    dropped = 5 + 200 * 10_000 + 5 - printed_output.MOST
    assert last == f"{spec}: {dropped} more bytes of its output were dropped"


def test_the_last_words_of_its_output_are_shown(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    about(write(tmp_path, "print('\\x1b[2J words')"))  # into a buffer
    assert capfd.readouterr().err == "\\x1b[2J words\n"


def test_threads_ask_at_a_time(task):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda spec: play(task, spec), ["UCB1", f"{TOYS}:Good", "KLUCB"]))
    assert all(answer.data is not None and "error" not in answer.data for answer in answers)


def test_idle_processes_are_few_and_end(task):
    play(task, "UCB1")
    (idle, *_) = subprocess_answer._idle
    before = len(subprocess_answer._idle)
    play(task, "UCB1")
    assert len(subprocess_answer._idle) == before
    subprocess_answer._end_idle()
    assert subprocess_answer._idle == []
    assert idle._process.returncode == 0


def test_a_fork_of_who_asked_ends_none_of_its_processes():
    code = f"""
import os
from leaderboards.processes import subprocess_answer as module
question = {{"what": "about", "spec": "UCB1", "tasks": []}}
module.ask(question, limit={AMPLE})
(server,) = module._idle
child = os.fork()
if child == 0:
    module._end_idle()
    os._exit(0)
os.waitpid(child, 0)
module.ask(question, limit={AMPLE})
assert module._idle == [server]
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=600)
    assert done.returncode == 0
