#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/questions.md of results/questions: questions.py SOURCE_ROOT [--check]

--check prints whether the page is stale, and exits with 1 if it is. Invariant: the page says nothing that stands neither
in a question's file, nor in recovered.csv, nor here."""
import csv
import pathlib
import sys
import textwrap

HEAD = """# Questions to owners of machines

Nobody has run this program on an Apple GPU yet. Each question below takes about a minute on one:

    agx-runner survey --ask results/questions/01-command-gap.ask -o answer.txt

The text has about 15 lines: the chip, the kernel, the versions, each figure with its interval, what
it decides, and a check sum. It names no user, host or path. Paste it into an issue as it is.
`agx-runner calibrate FILE` reads it there, also quoted ("> ") and with other text around it, and
says which parameter of [the timing model](timing-model.md) each answer moves, and how far. A file
may hold several answers of one chip. A text whose check sum does not fit is refused.

The questions are in the order of what an answer would change. docs/questions.py makes this page
of the files in results/questions; agx_runner/question/question.h has their format.
"""
TABLE = """
## Do the answers find what was changed?

A virtual device got another parameter, was asked, and `calibrate` read its answer with quoting
marks. It knew nothing of the device. These are figures of virtual devices, made by
`tests/runner/survey/question.py --write`; the test `runner question` repeats some of them. No
question has been answered by hardware.

| question | parameter | published | device's | found | interval |
|---|---|---|---|---|---|
"""


def statements(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split(" ", 1)


def section(number, path):
    lines = [f"\n## {number}. {path.stem.split('-', 1)[1].replace('-', ' ')}\n"]
    words = list(statements(path))
    text = [rest for word, rest in words if word == "title"] + [rest for word, rest in words if word == "why"]
    text[0] = text[0][0].upper() + text[0][1:]
    lines += textwrap.wrap(" ".join(text), 99) + ["\n| asks | a figure of | then |", "|---|---|---|"]
    asks = {rest.split(" = ")[0]: rest.split(" = ")[1] for word, rest in words if word == "ask"}
    for word, rest in words:
        if word == "when":
            name, span, what = rest.split(" ", 2)
            lines.append(f"| `{asks[name]}` | {span.replace('..', ' to ')} | {what} |")
    decided = [rest.split() for word, rest in words if word == "decides"]
    lines += [""] + textwrap.wrap("`calibrate` moves " + " and ".join(
        f"`{one[0]}` ({one[1].replace('..', ' to ')}) by `{asks[one[3]]}`" for one in decided) + ".", 99,
        break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def page(root):
    folder = root / "results" / "questions"
    text = HEAD + "".join(section(number, path) for number, path in enumerate(sorted(folder.glob("*.ask")), 1)) + TABLE
    with open(folder / "recovered.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text += (f"| {int(row['question'][:2])} | `{row['parameter']}` | {row['published']} | {row['device']} | "
                     f"{row['found']} | {row['interval'].replace('..', 'to')} |\n")
    return text


def main(root, check=""):
    root = pathlib.Path(root)
    target, text = root / "docs" / "questions.md", page(root)
    stale = not target.exists() or target.read_text(encoding="utf-8") != text
    if check and stale:
        print("docs/questions.md: stale: run docs/questions.py .")
        return 1
    if not check:
        target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
