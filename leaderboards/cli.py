"""The ``banditgym`` command.

Each command imports the slow modules that it needs, so that ``--help`` is quick.
"""

import atexit
import functools
import gc
import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from leaderboards.commands import leaderboard
from leaderboards.commands import list_show as looking
from leaderboards.commands.choosing import choose
from leaderboards.commands.compare import compare
from leaderboards.commands.epochs import app as epoch
from leaderboards.commands.evaluating import evaluate
from leaderboards.commands.judging import app as task
from leaderboards.commands.judging import judge
from leaderboards.commands.messages_out import say
from leaderboards.commands.options import STYLE
from leaderboards.commands.portability import portability
from leaderboards.commands.reproducing import reproduce
from leaderboards.commands.run import quick_run
from leaderboards.commands.speed import speed
from leaderboards.commands.submitting import app as submit
from leaderboards.commands.tuning import tune

app = typer.Typer(help="Bandit environments, agents and leaderboards.", **STYLE)
app.command("run")(quick_run)
app.command("compare")(compare)
app.command("tune")(tune)
app.command("choose")(choose)
app.command("evaluate")(evaluate)
app.command("reproduce")(reproduce)
app.command("judge")(judge)
app.command("list")(looking.list_what)
app.command("show")(looking.show)
app.command("speed")(speed)
app.command("portability")(portability)
app.add_typer(leaderboard.app, name="leaderboard")
app.add_typer(submit, name="submit")
app.add_typer(epoch, name="epoch")
app.add_typer(task, name="task")


def main() -> None:
    """Run the command; a usage error prints one line on stderr and exits with code 2."""
    # Collecting garbage takes a sixth of a command that shows a board, which leaves hardly any.
    gc.set_threshold(100_000)  # objects between two collections
    atexit.register(gc.freeze)  # what is left then is not searched for garbage
    # Users of the command do not need the file and line of a warning, nor one that was printed.
    once = functools.cache(say)
    warnings.showwarning = lambda message, *_: once(f"warning: {message}")
    warnings.filterwarnings("ignore", "the package agents is found at")  # an error says it, below
    if os.environ.get("COLUMNS") == "0":  # from a terminal of unknown width; rich would print none
        del os.environ["COLUMNS"]
    try:
        code = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        sys.exit(130)
    except BrokenPipeError:  # of `banditgym .. | head`
        sys.stderr.close()
        sys.exit(1)
    except (ValueError, OSError) as error:
        _fail(str(error))
    except Exception as error:
        if isinstance(error, ImportError | AttributeError):
            from banditgym.files.other_agents import other_agents

            if (other := other_agents()) is not None:  # in place of our agents
                _fail(other)
        # typer's usage errors derive from click's, or from typer's own copy of click.
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


def _fail(message: str) -> NoReturn:
    say(f"error: {' '.join(message.split())}")
    sys.exit(2)
