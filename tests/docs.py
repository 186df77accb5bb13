#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the documents name exists: files, commands, options, tests and build targets. Lines in docs/ are not too long,
and figures of one machine are in results/.

Usage: docs.py SOURCE_ROOT BUILD_ROOT AGX_RUNNER    check README, CONTRIBUTING, docs/ and results/*.md; exit 1 on a breach
       docs.py --self-test                          check that each rule finds a made-up breach

Invariant: a document that names what is not in the tree or in the program fails, unless FOREIGN lists the name."""
import collections
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

# Names that belong to others: Piglit's and the corpora's files, files that an example or a run makes, a target that needs
# packages of its own, options of other programs. Mesa's files are looked up in the unpacked Mesa.
FOREIGN = set("""
    tests/cl tests/cl/program tests/cl/program/execute include/uapi/drm/asahi_drm.h
    amp_a3.cl nir_kernels/alu/rotate_agx.c ilp.csv failures.csv tests/bench/vgpu-vs-pocl
    --against --suite --benchmark --no-rebuild --skip-subprojects --no-tests --list
""".split())
MOST_COLUMNS = 100  # of a line in docs/, code included
SUFFIXES = "c|h|py|sh|scd|cl|clh|md|csv|ini|build"
Facts = collections.namedtuple("Facts", "files mesa folders commands options scripts tests targets")
# commands: name -> its options; scripts: options that a script of the tree knows


def code_of(text):
    """The code of a Markdown text: blocks and spans, a line each; a trailing backslash continues a line."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```$", text, re.M | re.S)
    rest = re.sub(r"^```[a-z]*\n.*?^```$", "", text, flags=re.M | re.S)
    blocks += ["".join(lines) for lines in re.findall(r"(?:^|(?<=\n\n))((?: {4}\S[^\n]*\n)+)", rest)]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return lines + [re.sub(r"\s+", " ", span) for span in re.findall(r"`([^`]+)`", rest)]


def paths(document, text, facts):
    """Files and folders that are named and are not there."""
    tops = {name.split("/")[0] for name in facts.folders}
    here = os.path.dirname(document)
    for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        target = os.path.normpath(os.path.join(here, link))
        if "://" not in link and target not in facts.files and target not in facts.folders:
            yield f"the link {link} leads nowhere"
    for word in set(re.findall(r"(?<![\w./~<$*-])[A-Za-z_.][\w.*-]*(?:/[\w.*-]+)*/?", text)):
        word = word.rstrip("./")
        if word in FOREIGN or os.path.basename(word) in facts.mesa:
            continue
        name = "docs/" + word if word.startswith("spec/") else word
        top = name.split("/")[0]
        if "/" in name and top in tops and re.search(rf"\.({SUFFIXES}|txt)$", name):
            if not fnmatch.filter(facts.files, name):
                yield f"there is no file {word}"
        elif "/" not in name and re.search(rf"\w\.({SUFFIXES})$", name):
            if not any(fnmatch.fnmatch(os.path.basename(file), name) for file in facts.files):
                yield f"there is no file called {word}"


def folders(text, facts):
    """Folders in code that are named with a slash at their end and are not there."""
    tops = {name.split("/")[0] for name in facts.folders}
    for line in code_of(text):
        for word in re.findall(r"(?<![\w./~<$*{-])([a-z_]+(?:/[\w-]+)*)/(?![\w*<{.])", line):
            if word.split("/")[0] in tops and word not in facts.folders and word not in FOREIGN:
                yield f"there is no folder {word}/"


def commands(text, facts):
    """Commands and options of agx-runner, in code."""
    known = set().union(*facts.commands.values(), facts.options, facts.scripts, FOREIGN)
    for line in code_of(text):
        line = re.sub(r"\s#.*", "", line)
        for call in re.findall(r"(?:^|[\s/(])agx-runner ((?:(?!agx-runner |[;|)]|&&).)*)", line):
            words = call.split()
            command = words[0] if words and re.fullmatch(r"[a-z]+(-[a-z]+)*", words[0]) else None
            if command is not None and command not in facts.commands:
                yield f"there is no command {command}: {line}"
            elif command is not None:
                for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", call):
                    if option not in facts.commands[command] and option not in facts.options:
                        yield f"{command} has no option {option}: {line}"
        for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", line):
            if option not in known:
                yield f"nothing has an option {option}: {line}"


def builds(text, facts):
    """Tests and targets, in code."""
    for line in code_of(text):
        for target in re.findall(r"ninja -C build(?: |$)([\w/.-]+)?", line):
            if target and target not in facts.targets and target not in FOREIGN:
                yield f"there is no target {target}"
        names = re.findall(r"meson test -C build.*?'([^']+)'", line)
        rooms = {name.split(" ")[0] for name in facts.tests if " " in name} - set(facts.commands)
        first = line.split(" ")[0]
        if " " in line and first in rooms and re.fullmatch(r"[a-z0-9 *-]+", line):
            names.append(line)
        for name in names:
            if not fnmatch.filter(facts.tests, name):
                yield f"there is no test {name}"


def diary(document, text):
    """Words about the machine on which something was measured: docs/ says what is, results/ what was measured."""
    for words in re.findall(r"busy machine|(?:quiet|busy) cores|another machine had|a load of \d+", re.sub(r"\s+", " ", text)):
        if document.startswith("docs/"):
            yield f"'{words}' is about one measurement, which belongs in results/"


def columns(document, text):
    """Lines of docs/ that are too long. A row of a Markdown table has to be one line, however long it is."""
    for number, line in enumerate(text.splitlines(), 1):
        if document.startswith("docs/") and len(line) > MOST_COLUMNS and not line.startswith("|"):
            yield f"line {number} has {len(line)} columns, more than {MOST_COLUMNS}: {line[:40]}..."


def homeless(tests):
    """Tests whose name does not begin with a suite, as rooms are called. tests: name -> suites."""
    rooms = {suite for suites in tests.values() for suite in suites}
    return [f"the name of the test '{name}' does not begin with a suite" for name in tests
            if re.split("[ -]", name)[0] not in rooms]


def check(document, text, facts):
    """The breaches of a document, a sentence each. Man pages have no code that this could tell from text. docs/spec/ quotes
    names of other projects, so only its lines are checked."""
    found = [*columns(document, text), *diary(document, text)]
    if document.startswith("docs/spec/"):
        return [f"{document}: {breach}" for breach in found]
    found += paths(document, text, facts)
    if document.endswith(".md"):
        for rule in (folders, commands, builds):
            found += rule(text, facts)
    return [f"{document}: {breach}" for breach in found]


def gather(root, build, runner):
    """What there is."""
    files = subprocess.run([root / "ci/files"], capture_output=True, check=True).stdout.decode().split("\0")[:-1]
    parents = {str(parent) for file in files for parent in pathlib.PurePath(file).parents}

    def usage(*words):
        return subprocess.run([runner, *words, "--help"], capture_output=True, text=True, check=True).stdout

    names = re.findall(r"^  ([a-z-]+)", usage(), re.M)
    options = {name: set(re.findall(r"--[a-z][a-z-]*", usage(name))) for name in names}
    scripts = set()
    for file in files:
        if re.match(r"(ci/|test\.sh|run\.sh|tests/.*\.py|docs/.*\.py)", file):
            scripts |= set(re.findall(r"--[a-z][a-z-]*", (root / file).read_text(encoding="utf-8", errors="replace")))
    info = build / "meson-info"
    tests = [test["name"] for kind in ("tests", "benchmarks")
             for test in json.loads((info / f"intro-{kind}.json").read_text())]
    targets = {name for target in json.loads((info / "intro-targets.json").read_text())
               for name in [target["name"], *(os.path.relpath(file, build) for file in target["filename"])]}
    assert names and tests and targets and scripts
    mesa = {file.name for folder in ("asahi", "compiler", "gallium/frontends/rusticl", "util")
            for file in (root / "subprojects").glob(f"mesa-*/src/{folder}/**/*.*")}
    return Facts(files, mesa, parents - {"."}, options, {"--help", "--version"}, scripts, tests, targets)


def suites_of(build):
    """The tests of this project, and their suites."""
    tests = json.loads((build / "meson-info/intro-tests.json").read_text())
    suites = {test["name"]: [suite.split(":")[-1] for suite in test["suite"]] for test in tests
              if not test["suite"][0].startswith("mesa")}
    assert suites
    return suites


def self_test():
    facts = Facts(["isa/table.c", "docs/measuring.md", "docs/spec/isa.md", "README.md"], {"agx_pass.c"}, {"isa", "docs", "docs/spec"},
                  {"run": {"--full"}, "list": {"--json"}}, {"--help"}, {"--quick"}, ["isa table", "isa hash"],
                  {"installed"})
    cases = [
        ("See [this](measuring.md), `isa/table.c`, isa/t*.c, spec/isa.md 2.1, table.c, "
         "Mesa's\nsrc/asahi/agx_pass.c and agx_pass.c, and https://a.b/c.h.", None),
        ("`agx-runner run --full` and `./test.sh --quick`, `isa table`, `ninja -C build installed`", None),
        ("    agx-runner run --full # not --json\n", None),
        ("as agx-runner reads it", None),
        ("See [this](absent.md).", "the link absent.md leads nowhere"),
        ("in isa/absent.c", "there is no file isa/absent.c"),
        ("spec/absent.md 2.1", "there is no file spec/absent.md"),
        ("in `absent.c`", "there is no file called absent.c"),
        ("in `isa/absent/`", "there is no folder isa/absent/"),
        ("`agx-runner absent x`", "there is no command absent"),
        ("`agx-runner run --json`", "run has no option --json"),
        ("```\nbuild/agx_runner/agx-runner run 'x' \\\n    --absent\n```\n", "run has no option --absent"),
        ("`--absent`", "nothing has an option --absent"),
        ("\n\n    ninja -C build absent\n", "there is no target absent"),
        ("`isa absent`", "there is no test isa absent"),
        ("`meson test -C build 'absent'`", "there is no test absent"),
        ("It takes 3 s on a busy\nmachine.", "'busy machine' is about one measurement"),
        ("It is on one busy pipe, and a load of r1 waits.", None),
        ("w " * 50, None),
        ("|" + " w |" * 40, None),
        ("w" * 101, "line 1 has 101 columns"),
        ("\n    " + "w" * 97, "line 2 has 101 columns"),
        ("```\n" + "w" * 101 + "\n```\n", "line 2 has 101 columns"),
    ]
    failed = 0
    for text, wanted in cases:
        found = check("docs/made-up.md", text, facts)
        if (wanted is None and found) or (wanted is not None and not any(wanted in breach for breach in found)):
            print(f"self-test: {text!r} gave {found}, expected {wanted}")
            failed += 1
    if homeless({"isa table": ["isa", "slow"], "vgpu-exec-half": ["vgpu"]}) or len(homeless({"table": ["isa"]})) != 1:
        print("self-test: names of tests")
        failed += 1
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root, build, runner = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    facts = gather(root, build, runner)
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md")),
                 *sorted((root / "results").glob("*.md")),
                 *sorted((root / "docs").glob("*.scd"))]
    breaches = homeless(suites_of(build))
    for path in documents:
        breaches += check(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"), facts)
    print("\n".join(breaches) if breaches else f"{len(documents)} documents")
    return 1 if breaches else 0


sys.exit(min(main(), 1))
