#!/usr/bin/env python3
"""Keeps the file table of docs/architecture.md true: one row a unit, from the first sentence of its header.

  tools/file_table.py           rewrites the table
  tools/file_table.py --check   exit 1 when it is not what the headers say
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOC = ROOT / "docs" / "architecture.md"
FOLDERS = ["base", "kube", "topology", "rules", "rules/cel", "mutate", "certs", "webhook", "cli"]
BEGIN, END = "<!-- files: written by tools/file_table.py -->", "<!-- end of files -->"


def first_sentence(path):
    words = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        words.append(line.lstrip("/").strip())
    text = " ".join(words)
    text = re.split(r"(?<=[a-z)`'\"0-9])\.(?:\s|$)", text, maxsplit=1)[0]
    name, colon, rest = text.partition(": ")
    if colon and " " not in name:  # "Editor: executes an edit" says the same without its name
        text = rest
    return text.replace("|", "\\|")


def table():
    lines = ["| unit | what it is |", "|---|---|"]
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.h")):
            lines.append(f"| {folder}/{path.stem} | {first_sentence(path)} |")
        for path in sorted((ROOT / folder).glob("*.cc")):
            if folder == "cli" and not path.with_suffix(".h").exists():
                lines.append(f"| {folder}/{path.stem} | {first_sentence(path) or 'one command'} |")
    return "\n".join(lines)


def main():
    text = DOC.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    wanted = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    if "--check" in sys.argv:
        if wanted != text:
            print("docs/architecture.md: the file table is not what the headers say; run tools/file_table.py")
            return 1
        print("file table: well")
        return 0
    DOC.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
