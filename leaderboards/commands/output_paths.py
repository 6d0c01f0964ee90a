"""Checks of the folders, pictures and tables to write to, made before anything is played."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def refuse_file(out: Path, option: str = "--out") -> None:
    """Refuse an option that must be a folder and is a file."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"{option} {out} is a file: name a folder to write to")


def check_folder(out: Path, option: str = "--out") -> None:
    """Refuse a folder in which no file can be written, before anything is played."""
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    make_folder(out, option)
    try:
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise ValueError(f"{option} {out} cannot be written: {error.strerror}") from None
    finally:
        for folder in missing:
            folder.rmdir()


def make_folder(out: Path, option: str = "--out") -> None:
    """Make the folder that an option names."""
    refuse_file(out, option)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{option} {out} cannot be made: {error.strerror}") from None


def check_picture(out: Path) -> None:
    """Refuse an --out that cannot be written as a picture, before anything is played."""
    _check_file(out, (".png", ".pdf", ".svg"))


def check_table(out: Path | None) -> None:
    """Refuse an --out that cannot be written as a table."""
    if out is not None:
        _check_file(out, (".md", ".csv", ".tex"))


def give_table(table: "pandas.DataFrame", out: Path | None) -> None:
    """Print a paired table as Markdown, or write it to a file whose name says how."""
    from banditgym.files import whole_files
    from leaderboards.rank.paired_table import as_text

    if out is None:
        print(as_text(table, "md"), end="")
    else:
        whole_files.write(out, as_text(table, out.suffix[1:].lower()))
        print(f"wrote {out}")


def _check_file(out: Path, kinds: tuple[str, ...]) -> None:
    reason = None
    if out.is_dir():
        reason = "it is a folder"
    elif out.suffix.lower() not in kinds:
        reason = f"its name must end in {' or '.join([', '.join(kinds[:-1]), kinds[-1]])}"
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
