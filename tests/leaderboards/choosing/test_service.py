"""A service that refuses a call, is killed, or opens its file again is one that runs."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import leaderboards
from agents.agent import Agent
from agents.storage.states import equal
from leaderboards.choosing import service as service_module
from leaderboards.choosing.service import Service

ROW = {"length": 0.5, "width": -1.0}
# 60 visits, whose rewards come up to 9 visits later and in another order, some of them never; the
# agent is saved every 25 events. Before the event KILL, or within it, the process ends.
SCRIPT = """
import os, signal, sys
import numpy as np
from leaderboards.choosing import service as module

path, folder, kill, where = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
module._EVERY = 25
rng = np.random.default_rng(5)
rows = [dict(length=float(a), width=float(b)) for a, b in rng.standard_normal((60, 2))]
lag = rng.integers(10, size=60)
events = sorted(
    [(t, 0, t) for t in range(60)] + [(t + lag[t], 1 + lag[t], t) for t in range(60) if lag[t] < 9]
)
service = module.Service(path, folder)

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

done = service._db.execute("SELECT COUNT(*) FROM events").fetchone()[0]
for number, (_, is_reward, t) in enumerate(events[done:], done):
    if number == kill and where == "within":  # it is neither in the file nor learned
        service._learn = service.agent.act = die
    if number == kill and where == "saving":
        service.agent.save = die
    if is_reward:
        played = service._act_of(str(t)).action
        service.hear(str(t), float(played == (rows[t]["length"] > 0)))
    else:
        service.decide(str(t), rows[t])
    if number == kill:
        die()
print([service.agent.act(service.encoder(rows[0])) for _ in range(30)])
print({name: repr(value) for name, value in vars(service.agent).items() if name != "task"})
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders with a chosen agent: of labels, and of numbers."""
    made = tmp_path_factory.mktemp("chosen")
    length, width = np.random.default_rng(1).standard_normal((2, 200))
    table = pd.DataFrame({"length": length, "width": width})
    few = {"trials": 1, "store": made / "store"}
    labels, banditron = table.assign(long=length > 0), ["Banditron(gamma=0.5)"]
    leaderboards.choose(labels, "long", banditron, seeds=10, **few).save(made / "labels")
    numbers, ridge = table.assign(area=100 + 10 * length), ["OnlineRidge"]
    found = leaderboards.choose(numbers, "area", ridge, kind="predicted", seeds=3, **few)
    found.save(made / "numbers")
    return made


def answers(service):
    """What a service would do next; it is of no use afterwards."""
    rows = [{"length": x, "width": 1.0} for x in np.linspace(-1, 1, 20).tolist()]
    found = [service.agent.act(service.encoder(row)) for row in rows]
    service.close()
    return found


def test_a_call_that_is_refused_leaves_no_trace(folders, tmp_path):
    service = Service(tmp_path / "service.db", folders / "labels")
    answer = service.decide("first", ROW)
    assert answer in service.encoder.labels
    assert service.decide("first", {"length": -3.0, "width": 2.0}) == answer  # asked again
    for visit in (None, 7, ("first",)):
        with pytest.raises(TypeError, match="the key of a visit must be a text, got"):
            service.decide(visit, ROW)
    for row in ([0.5, -1.0], pd.Series(ROW), pd.DataFrame([ROW])):
        with pytest.raises(TypeError, match="a row must be a mapping by columns, got"):
            service.decide("row", row)
    with pytest.raises(ValueError, match="no column 'width'"):
        service.decide("short", {"length": 0.5})
    for cell in (np.ones(2), np.datetime64("2020-01-01", "ns"), {1}):
        with pytest.raises(TypeError, match="a row has numbers and texts, got"):
            service.decide("cell", ROW | {"length": cell})
    with pytest.raises(TypeError, match="the key of a visit must be a text, got 7"):
        service.hear(7, 1.0)
    for reward in (float("nan"), "yes", 7.0, None, 2**70):
        with pytest.raises(ValueError, match="the reward must be (0 or 1|a number), got"):
            service.hear("first", reward)
    with pytest.raises(ValueError, match="there was no visit 'second'"):
        service.hear("second", 1.0)
    for _ in range(2):  # whoever is not sure says it again
        service.hear("first", 1.0)
    with pytest.raises(ValueError, match="visit 'first' has 1.0, which cannot become 0.0"):
        service.hear("first", 0.0)
    service.decide("numpy", {name: np.float64(value) for name, value in ROW.items()})
    for visit in range(10):
        service.hear(str(visit), float(service.decide(str(visit), ROW) == answer))
    expected = answers(service)
    assert answers(Service(tmp_path / "service.db", folders / "labels")) == expected


def test_a_service_that_predicts_learns_the_numbers_that_come(folders, tmp_path):
    service = Service(tmp_path / "service.db", folders / "numbers")
    own = leaderboards.load_choice(folders / "numbers")
    for visit, length in enumerate(np.random.default_rng(2).standard_normal(12).tolist()):
        row = {"length": length, "width": 0.0}
        predicted = service.decide(str(visit), row)
        x = own.encoder(row)
        action = own.agent.act(x)
        assert predicted == own.encoder.meaning(action)
        came = own.encoder.outcome(130 - 5 * length)
        own.agent.observe(x, action, -((action - came) ** 2), feedback=came)
        service.hear(str(visit), 130 - 5 * length)
        if visit == 7:
            service.save()
    service.decide("last", ROW)
    own.agent.act(own.encoder(ROW))
    for none in (float("inf"), float("nan"), "much"):
        with pytest.raises(ValueError, match="the number must be|not finite"):
            service.hear("last", none)
    rows = [{"length": x, "width": 1.0} for x in np.linspace(-1, 1, 20).tolist()]
    expected = [own.agent.act(own.encoder(row)) for row in rows]
    assert answers(service) == expected
    assert answers(Service(tmp_path / "service.db", folders / "numbers")) == expected


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_a_copy_of_the_agent_acts_and_learns_before_a_service_is_open(
    kind, folders, tmp_path, monkeypatch
):
    """So machine code is there before the first visit, and the agent that serves is as it was."""
    called = []
    for name in ("act", "observe"):
        method = getattr(Agent, name)

        def noted(self, *given, method=method, **named):
            called.append((method.__name__, self))
            return method(self, *given, **named)

        monkeypatch.setattr(Agent, name, noted)
    service = Service(tmp_path / "served", folders / kind)
    (first, copy), (second, same) = called
    assert (first, second) == ("act", "observe")
    assert copy is same
    assert copy is not service.agent
    assert equal(vars(service.agent), vars(leaderboards.load_choice(folders / kind).agent))
    service.close()


def test_a_file_has_one_process_and_one_agent(folders, tmp_path):
    path = tmp_path / "service.db"
    service = Service(path, folders / "labels")
    with pytest.raises(ValueError, match=r"another service has .*service.db open"):
        Service(path, folders / "labels")
    for visit in range(10):
        service.decide(str(visit), ROW)
    service.save()
    service.close()
    with pytest.raises(RuntimeError, match="the service is closed"):
        service.decide("later", ROW)
    with pytest.raises(ValueError, match="it was made for another choice, so name a new file"):
        Service(path, folders / "numbers")
    again = Service(path, folders / "labels")  # which the refused one does not hold
    again._db.execute("UPDATE events SET action = 1 - action WHERE visit = '9'")
    again._db.execute("DELETE FROM saved")
    again._db.commit()
    again.close()
    with pytest.raises(ValueError, match="does not repeat its answer to visit '9'"):
        Service(path, folders / "labels")
    (tmp_path / "text.db").write_text("This is no file of a service." * 100)
    with pytest.raises(ValueError, match=r"text.db is no file to serve .* from: .*not a database"):
        Service(tmp_path / "text.db", folders / "labels")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE users (name TEXT)")
    other.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(ValueError, match="it is of another program"):
        Service(tmp_path / "other.db", folders / "labels")
    assert (tmp_path / "other.db").read_bytes() == before
    with pytest.raises(ValueError, match=r"service.db is no file to serve .*: .*No such file"):
        Service(tmp_path / "none" / "service.db", folders / "labels")


def test_a_file_stays_locked_while_it_is_copied(folders, tmp_path):
    """Closing a file drops all locks of SQLite's that the process has on it."""
    path = tmp_path / "service.db"
    service = Service(path, folders / "labels")
    service.decide("first", ROW)
    shutil.copy(path, tmp_path / "copy.db")
    with pytest.raises(ValueError, match="another service has"):
        Service(path, folders / "labels")
    service.close()


def test_threads_call_it_one_after_the_other(folders, tmp_path, monkeypatch):
    """Each of 8 threads makes 25 visits and hears of them: what is on file gives the same agent."""
    monkeypatch.setattr(service_module, "_EVERY", 150)
    with Service(tmp_path / "service.db", folders / "labels") as service:

        def serve(thread):
            for visit in range(25):
                answer = service.decide(f"{thread}-{visit}", ROW)
                service.hear(f"{thread}-{visit}", float(answer == "True"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(serve, range(8)))
        assert service.agent.decisions == 200 + 8 * 25  # of the rows of the table, and the visits
    with Service(tmp_path / "service.db", folders / "labels") as again:
        assert equal(vars(again.agent), vars(service.agent))
    again.close()  # closed twice


def test_a_fork_cannot_use_a_service(folders, tmp_path, monkeypatch):
    """It would have the lock too, and SQLite does not tell the two apart."""
    service = Service(tmp_path / "service.db", folders / "labels")
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    for call in (lambda: service.decide("child", ROW), lambda: service.hear("child", 1.0)):
        with pytest.raises(RuntimeError, match="a fork of the process"):
            call()
    with pytest.raises(RuntimeError, match="a fork of the process"):
        service.save()
    service.close()  # nothing
    monkeypatch.undo()
    service.decide("parent", ROW)
    service.close()


def test_what_comes_after_the_first_save_is_repeated(folders, tmp_path):
    service = Service(tmp_path / "service.db", folders / "labels")
    service.save()  # before any event
    for visit in range(10):
        answer = service.decide(str(visit), ROW)
        service.hear(str(visit), float(answer == "True"))
    expected = answers(service)
    assert answers(Service(tmp_path / "service.db", folders / "labels")) == expected


def test_the_agent_is_saved_again_and_again(folders, tmp_path, monkeypatch):
    def opened():
        return Service(tmp_path / "service.db", folders / "labels")

    monkeypatch.setattr(service_module, "_EVERY", 3)
    for visits in ("ab", "cde"):  # opened again in between: what it repeats counts
        with opened() as service:
            for visit in visits:
                service.decide(visit, ROW)
            service.decide("a", ROW)  # no event
            saved = service._db.execute("SELECT event FROM saved").fetchall()
            assert saved == {"ab": [], "cde": [(3,)]}[visits]
    with opened() as service:
        service.hear("a", 1.0)
        assert service._db.execute("SELECT event FROM saved").fetchall() == [(6,)]
        expected = service.agent
        service._db.execute("UPDATE events SET action = 1 - action")  # they are not repeated
        service._db.commit()
    with opened() as again:
        assert equal(vars(again.agent), vars(expected))
        for visit in "fg":
            again.decide(visit, ROW)
    monkeypatch.setattr(service_module, "_EVERY", 2)
    with opened() as again:  # more than enough have come
        again.decide("h", ROW)
        assert again._db.execute("SELECT event FROM saved").fetchall() == [(9,)]
        again.decide("i", ROW)
        again.save()
        again.decide("j", ROW)
        assert again._db.execute("SELECT event FROM saved").fetchall() == [(10,)]


@pytest.mark.parametrize("error", [OSError("no space"), TypeError("not a number"), ValueError()])
def test_an_agent_that_cannot_be_saved_costs_nothing_but_time(
    error, folders, tmp_path, monkeypatch
):
    def fails(*_):
        raise error

    monkeypatch.setattr(service_module, "_EVERY", 2)
    service = Service(tmp_path / "service.db", folders / "labels")
    service.decide("first", ROW)
    monkeypatch.setattr(service.agent, "save", fails)
    for visits in (("second",), ("third", "fourth")):  # it is not tried at every call
        for visit in visits[:-1]:
            service.decide(visit, ROW)
        with pytest.warns(UserWarning, match=f"cannot be saved, so a restart will .*: {error}"):
            service.decide(visits[-1], ROW)
    with pytest.raises(type(error)):
        service.save()
    service.hear("first", 1.0)
    monkeypatch.undo()
    expected = answers(service)
    with Service(tmp_path / "service.db", folders / "labels") as again:
        assert answers(again) == expected


def test_a_save_that_the_disk_has_no_room_for_leaves_the_file(folders, tmp_path):
    service = Service(tmp_path / "service.db", folders / "labels")
    service.decide("first", ROW)
    service.save()
    saved = service._db.execute("SELECT * FROM saved").fetchall()
    pages = service._db.execute("PRAGMA page_count").fetchone()[0]
    service._db.execute(f"PRAGMA max_page_count = {pages}")
    service.agent.save = lambda path: path.write_bytes(bytes(1_000_000))
    with pytest.raises(sqlite3.OperationalError, match="full"):
        service.save()
    assert service._db.execute("SELECT * FROM saved").fetchall() == saved
    service.hear("first", 1.0)
    service.close()


@pytest.mark.parametrize("method", ["act", "observe"])
def test_an_interrupt_closes_a_service(method, folders, tmp_path, monkeypatch):
    service = Service(tmp_path / "service.db", folders / "labels")
    service.decide("first", ROW)
    own = getattr(service.agent, method)

    def interrupted(*args, **given):
        own(*args, **given)
        raise KeyboardInterrupt

    monkeypatch.setattr(service.agent, method, interrupted)
    call = {"act": lambda: service.decide("next", ROW), "observe": lambda: service.hear("first", 1)}
    with pytest.raises(KeyboardInterrupt):
        call[method]()
    with pytest.raises(RuntimeError, match="the service is closed"):
        service.hear("first", 1.0)
    again = Service(tmp_path / "service.db", folders / "labels")
    assert again.agent.decisions == 201  # of 200 rows, and of the first visit
    again.hear("first", 1.0)
    again.close()


def test_an_answer_that_is_no_number_is_not_kept(folders, tmp_path, monkeypatch):
    service = Service(tmp_path / "service.db", folders / "numbers")
    monkeypatch.setattr(service.agent, "act", lambda x: float("nan"))
    with pytest.raises(ArithmeticError, match="the agent's answer to visit 'first' is nan"):
        service.decide("first", ROW)
    again = Service(tmp_path / "service.db", folders / "numbers")
    again.decide("first", ROW)
    again.close()


def test_a_service_whose_file_fails_closes(folders, tmp_path):
    service = Service(tmp_path / "service.db", folders / "labels")
    service.decide("first", ROW)
    pages = service._db.execute("PRAGMA page_count").fetchone()[0]
    service._db.execute(f"PRAGMA max_page_count = {pages}")  # as on a full disk
    with pytest.raises(sqlite3.OperationalError, match="full"):
        service.decide("second", ROW | {"unused": 10_000 * "x"})
    with pytest.raises(RuntimeError, match="the service is closed"):
        service.hear("first", 1.0)
    again = Service(tmp_path / "service.db", folders / "labels")
    again.hear("first", 1.0)
    again.close()


def test_a_service_that_is_killed_continues_as_if_it_had_not_been(folders, tmp_path):
    script = tmp_path / "service.py"
    script.write_text(SCRIPT)

    def run(name, kill=-1, where="-"):
        given = [tmp_path / f"{name}.db", folders / "labels", str(kill), where]
        command = [sys.executable, script, *given]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    whole = run("whole")
    assert whole.returncode == 0, whole.stderr
    # The second kill is of the process that continues: 24 and 74 save, and 25 is just after that;
    # if 24 is killed 25 saves, and so does 50.
    for kills in (
        ((30, "within"), (70, "after")),
        ((25, "within"), (75, "after")),
        ((24, "saving"), (50, "saving")),
    ):
        name = f"killed-{kills[0][0]}"
        for kill, where in kills:
            assert run(name, kill, where).returncode == -signal.SIGKILL
        continued = run(name)
        assert continued.returncode == 0, continued.stderr
        assert continued.stdout == whole.stdout
