"""Rows of csv files, each with its line, and the refusal of rows that do not fit the first one."""

import csv
from collections.abc import Iterator
from pathlib import Path

from banditgym.data.files import line_groups


def csv_rows(
    path: Path, *, numbers: bool = False, comments: str | None = None
) -> Iterator[tuple[int, list[str]]]:
    r"""The fields of each row, with the number of the line on which it begins, from 1 on.

    Blank lines are left out. A field in quotation marks may contain line breaks. Files ending in
    .gz or .bz2 are unpacked.

    Parameters
    ----------
    numbers : bool
        Whether all fields are numbers: blanks before a field are then left out, and a row must not
        be shorter than the first.
    comments : str, optional
        The beginning of rows to leave out.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With the file and the line, if a row has more fields than the first, a line is no text in
        UTF-8, or no csv.
    """
    reader = csv.reader(_lines(path), skipinitialspace=numbers)
    width = 0
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = str(error)
            if "new-line character" in reason:
                reason = "a carriage return within the line; end lines with \\n or \\r\\n"
            raise ValueError(f"{path}, line {line}: is no line of csv: {reason}") from None
        if len(fields) < 2 and not "".join(fields).strip():
            continue
        if comments is not None and fields[0].startswith(comments):
            continue
        width = width or len(fields)
        if len(fields) > width or (numbers and len(fields) < width):
            raise ValueError(f"{path}, line {line}: expected {width} fields, got {len(fields)}")
        yield line, fields


def _lines(path: Path) -> Iterator[str]:
    for first, lines in line_groups(path):
        for line, content in enumerate(lines, first):
            try:
                yield content.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}, line {line}: is no text in UTF-8") from error
