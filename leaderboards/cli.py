"""The ``banditgym`` command.

Whatever is slow to import is imported by the command that needs it, so that ``--help`` is quick.
"""

import ast
import contextlib
import json
import shlex
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboards.heldout.command import app as epoch
from leaderboards.submit.command import app as submit

if TYPE_CHECKING:
    from leaderboards.board import Board
    from leaderboards.papers import Paper
    from leaderboards.suite import Suite

# Defaults that live in modules which are slow to import; a test compares them.
STORE = "banditgym-results"
SUITE = "core-v2"
REPORT = "banditgym-report"
PAPERS = "banditgym-papers"
LIMIT = 120.0

_STYLE: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False}
app = typer.Typer(help="Bandit environments, agents and leaderboards.", **_STYLE)
leaderboard = typer.Typer(help="Score agents on a suite and show how they compare.", **_STYLE)
app.add_typer(leaderboard, name="leaderboard")
app.add_typer(submit, name="submit")
app.add_typer(epoch, name="epoch")

SuiteName = Annotated[str, typer.Argument(help="A shipped suite or the path of a TOML file.")]
StoreFolder = Annotated[Path, typer.Option("--store", help="Folder of results.")]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="An agent, such as LinUCB, 'LinUCB(alpha=0.5)' or 'mine.py:Mine'; repeatable.",
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Print the whole error of an agent that fails.")
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Run the environments and references that the suite names."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[int | None, typer.Option(help="Number of processes; by default one per core.")]
Yes = Annotated[bool, typer.Option("--yes", help="Start even if it would take over an hour.")]


def main() -> None:
    """Run the command: errors of use are one line on stderr and exit 2."""
    # Nobody reads the file and line of a warning here.
    warnings.showwarning = lambda message, *_: _say(f"warning: {message}")
    warnings.filterwarnings("ignore", "the package agents is found at")  # an error says it, below
    try:
        code = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted")
        sys.exit(130)
    except BrokenPipeError:  # of `banditgym .. | head`
        sys.stderr.close()
        sys.exit(1)
    except (ValueError, OSError) as error:
        _fail(str(error))
    except Exception as error:
        if isinstance(error, ImportError | AttributeError):
            _check_agents()
        # typer's errors of use derive from click's, or from a copy of click's within typer.
        if not hasattr(error, "format_message"):
            raise
        _fail(error.format_message())  # pyright: ignore[reportAttributeAccessIssue]
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Bandit environments, agents and leaderboards."""
    if version:
        from importlib.metadata import version as installed

        print(installed("banditgym"))
    elif context.invoked_subcommand is None:
        print(context.get_help())


@leaderboard.callback(invoke_without_command=True)
def leaderboard_root(context: typer.Context) -> None:
    """Score agents on a suite and show how they compare."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@leaderboard.command("run")
def leaderboard_run(
    suite: SuiteName = SUITE,
    agent: Agents = None,
    seeds: Annotated[int | None, typer.Option(help="Only the suite's first N seeds.")] = None,
    store: StoreFolder = Path(STORE),
    workers: Workers = None,
    limit: Annotated[
        float, typer.Option(help="CPU seconds per cell, at most; ten times that by the clock.")
    ] = LIMIT,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process", help="Play in this process; agents are trusted, none is stopped."
        ),
    ] = False,
    traceback: Traceback = False,
    trust: Trust = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Play what is missing in the store, and show the leaderboard.

    Without --agent, every agent of this package plays the tasks that it can. A cell is one agent
    on one task for a block of seeds. You can stop at any time: run it again and it continues.
    """
    try:
        # With --in-process learners print here, which must not end up in the output of --json.
        with contextlib.redirect_stdout(sys.stderr):
            chosen = _load(suite, seeds, trust)
            if not yes:
                from leaderboards import sizes

                sizes.refuse_long(sizes.of_suite(chosen, agent))
            _run(chosen, agent, store, workers, limit, in_process, traceback)
    except KeyboardInterrupt:
        command = shlex.join(["banditgym", *sys.argv[1:]])
        _say(f"interrupted: finished cells are kept in {store}; go on with\n  {command}")
        raise typer.Exit(130) from None
    _show(_load(suite, seeds, trust), store, as_json)


@leaderboard.command("show")
def leaderboard_show(
    suite: SuiteName = SUITE,
    store: StoreFolder = Path(STORE),
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Show what the store holds; nothing is played."""
    _show(_load(suite, trust=trust), store, as_json)


@leaderboard.command("report")
def leaderboard_report(
    suite: SuiteName = SUITE,
    store: StoreFolder = Path(STORE),
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(REPORT),
    trust: Trust = False,
) -> None:
    """Write leaderboard.md, .csv and .json, curves.png and index.html.

    A suite with several rankings gets one picture each: curves-RANKING.png.
    """
    from leaderboards import report

    _refuse_file(out)
    board = _board(_load(suite, trust=trust), store)
    _make_folder(out)
    texts = {
        "leaderboard.md": report.markdown(board),
        "leaderboard.csv": report.csv(board),
        "leaderboard.json": report.json(board),
        "index.html": report.page(board),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    figures = report.figures(board)
    for name, figure in figures.items():
        figure.savefig(out / name, dpi=150)
    print(f"wrote {', '.join([*texts, *figures])} to {out}")


@leaderboard.command("baselines")
def leaderboard_baselines(suite: SuiteName, workers: Workers = None, trust: Trust = False) -> None:
    """Play uniformly, and the references, on a suite's seeds, and write a file beside it.

    If there is no such file, the first run plays them and keeps them in its store.
    """
    from leaderboards.baselines import write
    from leaderboards.progress import bar

    with bar(suite) as progress:
        path = write(suite, workers=workers, trust=trust, progress=progress)
    print(f"wrote {path}")


@app.command("run")
def quick_run(
    env: Annotated[
        str, typer.Argument(help="An environment: its id, or 'mine.py:Mine' for yours.")
    ],
    agent: Agents = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the environment, such as dim=20; repeatable."),
    ] = None,
    horizon: Annotated[int | None, typer.Option(help="Rounds per episode.")] = None,
    seeds: Annotated[int, typer.Option(help="Number of seeds: 0, 1, ..")] = 20,
    out: Annotated[Path, typer.Option(help="File for the plot.")] = Path("curves.png"),
    workers: Annotated[
        int | None,
        typer.Option(help="Agents that play at once; by default 1, of long runs one per core."),
    ] = None,
    yes: Yes = False,
    traceback: Traceback = False,
    as_json: Json = False,
) -> None:
    """Compare agents on one environment: print a table and plot their curves."""
    from leaderboards import sizes
    from leaderboards.comparison import compare
    from leaderboards.progress import word_on_compiling

    if not agent:
        raise ValueError("name at least one agent with --agent; banditgym list agents shows all")
    chosen = _settings(settings or [])
    _check_picture(out)
    seconds, size = sizes.of_comparison(env, chosen, horizon, seeds, len(agent))
    if not yes:
        sizes.refuse_long(seconds, size)
    if workers is None:
        workers = sizes.workers_for(seconds)
    # What a learner prints must not end up in the output of --json.
    with (
        word_on_compiling(),
        contextlib.redirect_stdout(sys.stderr),
        _tracebacks() if traceback else contextlib.nullcontext(),
    ):
        result = compare(env, agent, seeds=seeds, horizon=horizon, workers=workers, **chosen)
    if as_json:
        frame = result.to_frame()
        print(frame.to_json(orient="records", double_precision=15))
    else:
        _print(result.table())
    result.plot(out)
    _say(f"wrote {out}")


@app.command("reproduce")
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="Short name of a paper; by default all papers.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Run the paper's own sizes.")] = False,
    claim: Annotated[
        list[str] | None, typer.Option("--claim", help="Id of a claim; repeatable. Default: all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the experiments, such as data=R6/; repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pages and figures.")] = Path(PAPERS),
    as_json: Json = False,
) -> None:
    """Reproduce the claims of papers: their numbers beside ours, and verdicts.

    Writes a Markdown page for each paper, with its figures redrawn. Without --full it takes less
    than two minutes per paper.
    """
    from leaderboards.papers import page
    from leaderboards.papers.reproduce import reproduce as run
    from leaderboards.progress import bar

    chosen = _claims(paper, claim or [])
    given = dict(map(_setting, settings or []))
    _refuse_file(out)
    records = []
    try:
        for one, ids in chosen:
            with bar(one.name) as progress:
                done = run(one, ids, full=full, given=given, progress=progress)
            records += done.records()
            if not as_json:
                _print(done.table())
            _make_folder(out)
            _say(f"wrote {', '.join(path.name for path in page.write(done, out))} to {out}")
    except KeyboardInterrupt:
        kept = f"pages of finished papers are kept in {out}" if records else "nothing was written"
        _say(f"interrupted: {kept}")
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps(records, indent=2))


@app.command("list")
def list_what(
    what: Annotated[str | None, typer.Argument(help="envs, agents, suites or papers")] = None,
    family: Annotated[
        str | None, typer.Argument(help="Only of this family, such as linear or multiclass.")
    ] = None,
    cite: Annotated[bool, typer.Option("--cite", help="Also print the source of agents.")] = False,
    as_json: Json = False,
) -> None:
    """List environments, agents, suites or papers."""
    from leaderboards import listing

    rows = listing.rows(what, family)
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        _print(listing.table(rows, cite))


@app.command("show")
def show(
    name: Annotated[
        str, typer.Argument(help="An agent, environment, suite or paper, or 'mine.py:Mine'.")
    ],
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Describe an agent, an environment, a suite or a paper, with hyperparameters or settings."""
    from leaderboards.details import details, shown

    with contextlib.redirect_stdout(sys.stderr):
        about = details(name, trust)
    if as_json:
        print(json.dumps(about, indent=2))
    else:
        _print(shown(about))


@app.command("speed")
def speed(
    rows: Annotated[
        list[str] | None, typer.Argument(help="Rows to measure; by default all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure roughly, in seconds.")] = False,
    as_json: Json = False,
) -> None:
    """Measure rounds per second of environments and agents together, on one core."""
    from leaderboards.progress import bar, words
    from leaderboards.speed.measure import chosen, measured, table

    names = [row.name for row in chosen(rows)]
    results = []
    with bar("speed") as progress:
        progress(0.0, False, words(0, len(names), names[:1]))
        for result in measured(rows, quick):
            results.append(result)
            done = len(results)
            progress(done / len(names), False, words(done, len(names), names[done : done + 1]))
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        _print(table(results))


@app.command("portability")
def portability(
    setting: Annotated[
        list[str] | None,
        typer.Option("--setting", help="Compare the plain run with this setting only; repeatable."),
    ] = None,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also try other versions of NumPy and numba, by pip.")
    ] = False,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Only groups that match, such as 'env/*'; repeatable."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for portability.md and portability.json.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps compiled code and packages for the next run."),
    ] = None,
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Freeze the hashes of the plain run, and run no other.")
    ] = False,
    alter: Annotated[
        str | None, typer.Option(help="Why --freeze changes frozen hashes; the reason is kept.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check that this machine gives the published numbers: compare every bit.

    Plays a fixed set of environments and agents (the golden corpus), plainly and as other CPUs
    would. Exits 1 if anything differs from the plain run or from the frozen hashes, other than
    the known exceptions.
    """
    import tempfile

    from leaderboards.portability import compare
    from leaderboards.progress import bar

    if freeze and (setting or versions or part or out):
        raise ValueError("--freeze plays the whole corpus plainly: it takes no option but --alter")
    if alter is not None and not freeze:
        raise ValueError("--alter needs --freeze")
    if out is not None:
        _refuse_file(out)
    groups = compare.groups(part)
    records: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _make_folder(folder)
        progress = stack.enter_context(bar("portability"))
        plain = None
        for played in compare.run(
            [] if freeze else setting, versions=versions, groups=groups, folder=folder.resolve(),
            progress=lambda share: progress(share, False),
        ):  # fmt: skip
            plain = plain or played
            records.append(compare.record(played, plain))
            if not as_json:
                _say(compare.line(records[-1]))
    if freeze and plain is not None:
        altered = compare.freeze(plain, alter)
        _say(f"froze {len(plain.hashes)} hashes, {len(altered)} of them altered")
        return
    kept = compare.report(records)
    if out is not None:
        _make_folder(out)
        for name, text in compare.files(kept).items():
            (out / name).write_text(text, encoding="utf-8")
        _say(f"wrote portability.md and portability.json to {out}")
    if as_json:
        print(json.dumps(kept, indent=2))
    if not compare.agrees(records):
        raise typer.Exit(1)


def _run(
    suite: "Suite",
    agents: list[str] | None,
    store: Path,
    workers: int | None,
    limit: float,
    in_process: bool,
    traceback: bool,
) -> None:
    from leaderboards import runner
    from leaderboards.processes import Here
    from leaderboards.progress import bar
    from leaderboards.store import Store

    if in_process and workers is not None:
        raise ValueError("--in-process plays one cell at a time in this process: drop --workers")
    if in_process:
        _say("playing in this process: agents are trusted, none can be stopped, --limit is off")
    with bar(suite.name) as progress:
        done = runner.run(
            suite,
            agents,
            store=Store(store),
            workers=1 if in_process else workers,
            limit=limit,
            executor=Here if in_process else None,
            progress=progress,
            tell=_say if traceback else lambda text: None,
        )
    if done.failed:
        _say(
            f"{done.failed} results of {store} are failures that were tried twice; they are only "
            "tried again with another --store or after a change of sources"
        )
    if agents and not (done.baselines or done.cells or done.settled):
        raise ValueError(
            f"no agent named with --agent plays a task of {suite.name}; banditgym list agents "
            "shows what each plays"
        )


def _claims(name: str | None, ids: list[str]) -> "list[tuple[Paper, list[str]]]":
    """The papers to run, each with the ids of its claims; all given ids must exist."""
    from agents.naming import nearest
    from leaderboards import papers

    chosen = [papers.load(one) for one in (papers.NAMES if name is None else [name])]
    known = {claim.id for paper in chosen for claim in paper.claims}
    for unknown in set(ids) - known:
        hint = nearest(unknown, known) or f"; there are {', '.join(sorted(known))}"
        raise ValueError(
            f"{name or 'no paper'} has {'no' if name else 'a'} claim {unknown!r}{hint}"
        )
    own = [(p, [c.id for c in p.claims if not ids or c.id in ids]) for p in chosen]
    return [(paper, claims) for paper, claims in own if claims]


def _load(name: str, seeds: int | None = None, trust: bool = False) -> "Suite":
    from leaderboards.suite import load

    suite = load(name, trust=trust)
    return suite if seeds is None else suite.first(seeds)


def _board(suite: "Suite", store: Path) -> "Board":
    from leaderboards.board import build
    from leaderboards.sources import current
    from leaderboards.store import Store

    rows, outdated = current(suite, Store(store).rows(suite.hash))
    if not rows:
        raise ValueError(
            f"{store} holds no results of {suite.name}; play it with banditgym leaderboard run "
            f"{suite.name}, or name another folder with --store"
        )
    if outdated:
        _say(f"warning: played with earlier sources, run them again: {', '.join(outdated)}")
    return build(suite, rows)


def _show(suite: "Suite", store: Path, as_json: bool) -> None:
    from leaderboards import report

    board = _board(suite, store)
    if as_json:
        print(report.json(board))
    else:
        _print(report.terminal(board))


def _settings(texts: list[str]) -> dict[str, Any]:
    """The settings that --set gives, each once, and none that has an option of its own."""
    options = {
        "horizon": "--horizon",
        "seeds": "--seeds",
        "num_envs": "--seeds",
        "workers": "--workers",
    }
    options |= {"max_episode_steps": "--horizon", "agents": "--agent", "env": "the argument"}
    chosen: dict[str, Any] = {}
    for name, value in map(_setting, texts):
        if name in options:
            raise ValueError(f"{name} is not a setting: use {options[name]}")
        if name in chosen:
            raise ValueError(f"{name} is given twice: {chosen[name]!r} and {value!r}")
        chosen[name] = value
    return chosen


def _refuse_file(out: Path) -> None:
    """Refuse an --out that cannot be a folder."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file: name a folder to write to")


def _make_folder(out: Path) -> None:
    """Make the folder that --out names."""
    _refuse_file(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"--out {out} cannot be made: {error.strerror}") from None


def _check_picture(out: Path) -> None:
    """Refuse what cannot become a picture, before anything is played."""
    kinds = (".png", ".pdf", ".svg")
    reason = None
    if out.is_dir():
        reason = "it is a folder"
    elif out.suffix.lower() not in kinds:
        reason = f"its name must end in {', '.join(kinds)}"
    elif not out.parent.is_dir():
        reason = f"there is no folder {out.parent}"
    else:
        was_there = out.exists()
        try:
            out.open("ab").close()
        except OSError as error:
            reason = error.strerror
        else:
            if not was_there:
                out.unlink()
    if reason is not None:
        raise ValueError(f"--out {out} cannot be written: {reason}")


def _setting(text: str) -> tuple[str, Any]:
    """``dim=20`` as a name and a value, which is written as in TOML or Python, or is a string."""
    from banditgym.settings import brief

    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise ValueError(f"a setting is written name=value, got {brief(text)}")
    try:
        with contextlib.suppress(ValueError):  # no TOML, or more digits than Python reads
            return name.strip(), tomllib.loads(f"value = {value}")["value"]
        with contextlib.suppress(ValueError, SyntaxError):
            return name.strip(), ast.literal_eval(value)
    except (RecursionError, MemoryError):
        raise ValueError(f"the setting {name.strip()} is nested too deeply") from None
    return name.strip(), value


def _check_agents() -> None:
    """Name the package that is imported in place of our ``agents``, if one is."""
    from banditgym.installed import other_agents

    if (other := other_agents()) is not None:
        _fail(other)


@contextlib.contextmanager
def _tracebacks() -> Iterator[None]:
    """Print an error's cause in full, ahead of the line that says what it is."""
    from traceback import format_exception

    try:
        yield
    except ValueError as error:
        if error.__cause__ is not None:
            _say("".join(format_exception(error.__cause__)).rstrip())
        raise


def _print(what: Any) -> None:
    from rich.console import Console

    from leaderboards.progress import Visible

    Console().print(Visible(what))


def _say(text: str) -> None:
    from banditgym.settings import visible

    print(visible(text), file=sys.stderr, flush=True)


def _fail(message: str) -> None:
    _say(f"error: {' '.join(message.split())}")
    sys.exit(2)
