"""Speed with and without tiles: every case is played in every way, in turns."""

from tools.speed import tile_gains as measured

PLAIN = {"dim": 4, "n_arms": 3}


def test_a_line_has_every_way_and_every_way_is_played(monkeypatch, capsys):
    cases = [
        measured.Case("arms", "Greedy", "LinearBandit-v0", PLAIN, 120, 10),
        measured.Case("rows", "OnlineRidge", "OnlineRegression-v0", {"dim": 3}, 120, 10),
    ]
    monkeypatch.setattr(measured, "CASES", cases)
    monkeypatch.setattr(measured, "SIZES", (3, 40))
    clock, played, own = [0.0], [], measured.agents.play

    def play(env, agent, **given):
        played.append((env.num_envs, given["threads"], given.get("horizon")))
        clock[0] += {None: 12e-3, 1: 6e-3, 2: 4e-3}[given["threads"]]
        return own(env, agent, **given)

    monkeypatch.setattr(measured.agents, "play", play)
    monkeypatch.setattr(measured, "perf_counter", lambda: clock[0])
    found = list(measured.gains())
    assert [(gain.name, gain.n) for gain in found] == [
        ("arms", 3), ("arms", 40), ("rows", 3), ("rows", 40)
    ]  # fmt: skip
    ways = [None, 1, 2]
    warm, turns = [(3, way, 2) for way in ways], [(3, way, None) for way in ways]
    assert played[:9] == warm + 2 * turns
    for gain in found:
        rounds = 120 if gain.n == 3 else 400
        each = [1e6 * seconds / rounds for seconds in (12e-3, 6e-3, 4e-3)]
        assert [round(x, 6) for x in gain[2:]] == [round(x, 6) for x in each]
    monkeypatch.setattr(measured.sys, "argv", ["tile_gains", "rows"])
    measured.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "rows                       n =     3: 100.000 us in one batch,  50.000 in tiles,  33.333 "
        "on 2 threads:  2.00  3.00",
        "rows                       n =    40:  30.000 us in one batch,  15.000 in tiles,  10.000 "
        "on 2 threads:  2.00  3.00",
    ]
