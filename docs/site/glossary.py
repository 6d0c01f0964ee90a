"""The glossary of the site: the table of docs/reference/glossary.md as Sphinx's glossary."""

import re

PAGE = "docs/reference/glossary.md"


def as_entries(text: str) -> str:
    """The page with its table replaced by the entries of a glossary."""
    words, table = text.split("\n| symbol |", 1)
    table = table.split("\n", 1)[1]
    return f"(glossary)=\n\n{words.strip()}\n\n::::{{glossary}}\n{entries(table)}::::\n"


def entries(table: str) -> str:
    """The rows of the table as entries of Sphinx's glossary, in the order of the alphabet."""
    found: dict[str, list[str]] = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3 or cells[1] == "word" or set(cells[0]) == {"-"}:
            continue
        symbols, words, meaning = cells
        # A row without a word of the text has the name that code uses.
        named = words or ", ".join(re.findall("`[^`]+`", symbols)) or symbols
        text = meaning[:1].upper() + meaning[1:] if meaning[:1].isascii() else meaning
        if symbols and words:
            text = f"Written {symbols}. {text}".strip()
        for name in re.split(", ", named):
            found.setdefault(name.strip("`"), []).append(text or "As the papers have it.")
    return "".join(
        f"{name}\n" + "".join(f"  {text}\n\n" for text in found[name])
        for name in sorted(found, key=str.casefold)
    )
