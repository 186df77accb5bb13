# SPDX-License-Identifier: MIT
"""Questions to owners of machines: what a virtual device with other parameters answers, quoted as in an issue, and what
`calibrate` finds in it. The expected value is the one that the device was given, which calibrate cannot know.

Usage: question.py AGX_RUNNER SOURCE_ROOT [TEST...]
       question.py AGX_RUNNER SOURCE_ROOT --write    all questions; writes results/questions/recovered.csv
PYTHONPATH=tests/runner"""
import csv
import pathlib
import re
import sys
import tempfile

from case import Case, INVALID, OK, ROOT, VIRTUAL, main, run

QUESTIONS = ROOT / "results" / "questions"
# The other parameters: published by another author where there is one, else far from the model's.
OTHERS = {
    "01-command-gap": ("dvfs=command,", {"command/stream-gap": 2000}),
    "02-lone-chain": ("", {"latency/ffma32": 5.7, "latency/fadd32": 3.3}),
    "03-local-banks": ("", {"memory/local-banks": 16}),
    "04-side-by-side": ("dvfs=command,", {"command/concurrent": 69}),
    "05-carries": ("", {"core/forwarding": 30}),
    "06-loop-turn": ("", {"core/taken-latency": 1500}),
    "07-two-functions": ("", {"core/overlap": 20}),
    "08-change-of-side": ("", {"core/switch": 250}),
    "09-atomics": ("", {"latency/atomic": 150, "memory/atomic-word": 4}),
    "10-code-beyond-cache": ("", {"memory/code-latency": 300}),
}
MOVED = re.compile(r"moves (\S+) from (\S+) to (\S+) \S+ \((.*)\)")


def answer(folder, name):
    """What a device with the other parameters answers to the question."""
    options, others = OTHERS[name]
    params = pathlib.Path(folder) / "other.params"
    params.write_text("".join(f"{parameter} {value}\n" for parameter, value in others.items()), encoding="utf-8")
    asked = run("survey", "--ask", QUESTIONS / f"{name}.ask", "-d", f"virtual:m1,{options}params={params}")
    assert asked.returncode == OK, asked.stderr
    return asked.stdout


def quoted(text):
    return "I ran it here:\n\n" + "".join(f"> {line}  \r\n" for line in text.splitlines()) + "\nHope it helps.\n"


def found(folder, text):
    """(parameter, published, found, interval) of each parameter that calibrate moves."""
    path = pathlib.Path(folder) / "issue.txt"
    path.write_text(text, encoding="utf-8")
    fitted = run("calibrate", path, "-o", pathlib.Path(folder) / "found.params")
    assert fitted.returncode == OK, fitted.stderr
    return MOVED.findall(fitted.stdout)


def write():
    with open(QUESTIONS / "recovered.csv", "w", encoding="utf-8", newline="") as file, tempfile.TemporaryDirectory() as folder:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow("question parameter published device found interval".split())
        for name, (_, others) in OTHERS.items():
            moved = {row[0]: row[1:] for row in found(folder, quoted(answer(folder, name)))}
            for parameter, value in others.items():
                published, now, interval = moved.get(parameter, ("", "not moved", ""))
                rows.writerow([name, parameter, published, value, now, interval])


class Question(Case):
    def recovers(self, name):
        moved = {row[0]: row for row in found(self.folder, quoted(answer(self.folder, name)))}
        for parameter, value in OTHERS[name][1].items():
            self.assertIn(parameter, moved)
            low, high = map(float, moved[parameter][3].split(" .. "))
            self.assertLessEqual(low, value, moved)
            self.assertGreaterEqual(high, value, moved)
            self.assertLess(abs(float(moved[parameter][2]) / value - 1), 0.05, moved)

    def test_command(self):
        self.recovers("01-command-gap")

    def test_two_parameters(self):
        self.recovers("02-lone-chain")

    def test_steps(self):
        self.recovers("03-local-banks")

    def test_unchanged(self):
        """A device with the published parameters moves nothing, and says that its figures are modelled."""
        asked = self.expect(OK, "survey", "--ask", QUESTIONS / "08-change-of-side.ask", "-d", "virtual:m1")
        self.assertIn(VIRTUAL, asked.stdout)
        self.assertLess(len(asked.stdout.splitlines()), 25)
        self.assertEqual(found(self.folder, asked.stdout), [])

    def test_refusals(self):
        """A changed, a cut and a mixed text are refused, with the line and the reason."""
        text = self.expect(OK, "survey", "--ask", QUESTIONS / "01-command-gap.ask", "-d", "virtual:m1,dvfs=command").stdout
        changed = self.file("changed.txt", re.sub("23000 ns", "2300 ns", text))
        self.expect(INVALID, "calibrate", changed, message=f"changed.txt:{len(text.splitlines())}: the check sum does not fit")
        cut = self.file("cut.txt", "\n".join(text.splitlines()[:-1]))
        self.expect(INVALID, "calibrate", cut, message="its end is missing")
        other = self.expect(OK, "survey", "--ask", QUESTIONS / "01-command-gap.ask", "-d", "virtual:m2,dvfs=command").stdout
        self.expect(INVALID, "calibrate", self.file("mixed.txt", text + other), message="answers of m1 and of m2: give")
        self.expect(INVALID, "calibrate", self.file("mixed.txt", text), "--ffma-cycles", "1.1", message="is for surveys")

    def test_files(self):
        for line, message in (("when x 1..2 what", "no line 'ask' before it"), ("ask x", "expected at most 4 lines 'ask"),
                              ("decides core/none 1..2 by a", "no parameter of that name"),
                              ("decides core/switch 2..1 by a", "LOW below HIGH"), ("who knows", "expected title, why"),
                              ("model dvfs=command,params=/etc/passwd", "expected one option of a virtual device")):
            path = self.file("bad.ask", f"title t\nask a = mix FADD32*1\n{line}\n")
            self.expect(INVALID, "survey", "--ask", path, "-d", "virtual:m1", message=f"bad.ask:3: .*{message}")
        self.expect(INVALID, "survey", "--ask", self.file("none.ask", "title t\n"), message="it has no line 'ask")
        self.expect(INVALID, "survey", "--ask", self.file("none.ask", "title t\n"), "facts", message="leave out steps")

    def test_every_file_is_tried(self):
        self.assertEqual(sorted(path.stem for path in QUESTIONS.glob("*.ask")), sorted(OTHERS))


if __name__ == "__main__":
    if sys.argv[3:] == ["--write"]:
        write()
    else:
        main()
