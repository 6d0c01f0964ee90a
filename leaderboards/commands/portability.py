"""``banditgym portability``: compares this machine's bits with the published ones."""

import contextlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboards.commands.messages_out import say
from leaderboards.commands.options import Json
from leaderboards.commands.output_paths import check_folder, make_folder


def portability(
    setting: Annotated[
        list[str] | None,
        typer.Option("--setting", help="Compare the plain run only with this setting; repeatable."),
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

    Plays a fixed set of environments and agents (the golden corpus), first plainly, then with
    libraries set to choose their code as on other CPUs. Exits 1 if anything except the known
    exceptions differs from the plain run or from the frozen hashes.
    """
    import tempfile

    from banditgym.files import whole_files
    from leaderboards.console.progress import bar
    from tools.portability import compare, portability_page

    if freeze and (setting or versions or part or out):
        raise ValueError("--freeze plays the whole corpus plainly: its only option is --alter")
    if alter is not None and not freeze:
        raise ValueError("--alter needs --freeze")
    if out is not None:
        check_folder(out)
    groups = compare.groups(part)
    records: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_folder(folder)
        progress = stack.enter_context(bar("portability"))
        plain = None
        for played in compare.run(
            [] if freeze else setting,
            versions=versions,
            groups=groups,
            folder=folder.resolve(),
            progress=lambda share: progress(share, False),
        ):
            plain = plain or played
            records.append(compare.record(played, plain))
            if not as_json:
                say(portability_page.line(records[-1]))
    if freeze and plain is not None:
        altered = compare.freeze(plain, alter)
        say(f"froze {len(plain.hashes)} hashes, {len(altered)} of them altered")
        return
    kept = portability_page.report(records)
    if out is not None:
        make_folder(out)
        for name, text in portability_page.files(kept).items():
            whole_files.write(out / name, text)
        say(f"wrote portability.md and portability.json to {out}")
    if as_json:
        print(json.dumps(kept, indent=2))
    if not portability_page.agrees(records):
        raise typer.Exit(1)
