# SPDX-License-Identifier: MIT
"""ci/check-libclc finds what is broken in a libclc, and nothing else: the machine's own libclc is compared with stand-ins.

libclc.py SOURCE_ROOT AGX_RUNNER REDIRECT_LIBRARY

A stand-in is the machine's file with other names in it: a function without its name is missing, and two functions whose
names change places compute each other's values. The expected answers follow from the names alone.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT, RUNNER, REDIRECT = sys.argv[1:]
CHECK = os.path.join(ROOT, "ci", "check-libclc")


def check(*arguments, **environment):
    done = subprocess.run([CHECK, *arguments, RUNNER], stdout=subprocess.PIPE, text=True, check=False, env=dict(os.environ, **environment))
    return done.returncode, done.stdout


def named(text):
    """What a report names: {(kind, type and function)}."""
    found = set()
    for kind, groups in re.findall(r"^  ([a-z ]+): (.*)$", text, re.M):
        for group in groups.split("; "):
            t, functions = group.split(": ")
            found |= {(kind, t + " " + name) for name in re.split(r", (?![^(]*\))", functions)}
    return found


def fail(text):
    print(text)
    sys.exit(1)


def expect(what, got, want):
    if got != want:
        fail(f"{what}: {sorted(got)}, not {sorted(want)}")
    print(f"{what}: {', '.join(' '.join(word) for word in sorted(got))}")


def main():
    code, plain = check()
    if code == 77:
        print(f"skipped: {plain.strip()}")
        sys.exit(77)
    libclc = re.match(r"libclc \((.*?)\)", plain).group(1)
    if (code == 98) != bool(named(plain)) or code not in (0, 98):
        fail(f"exit {code} of:\n{plain}")
    with open(libclc, "rb") as file:
        data = file.read()
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "libclc.spv")
        environment = {"LD_PRELOAD": REDIRECT, "REDIRECT_FROM": libclc, "REDIRECT_TO": broken}
        # cosh and sinh of floats change places; degrees of 16 floats, and a function that no other one calls, have names
        # that nobody knows. (A libclc is no valid module where one of its own calls finds nothing.)
        for lost in ("tanpi", "tan", "sinpi", "cospi", "acosh", "erf"):
            changed, name = data, b"_Z%d%sf\0" % (len(lost), lost.encode())
            for old, new in ((b"_Z4coshf\0", b"_Z4!!!!f\0"), (b"_Z4sinhf\0", b"_Z4coshf\0"), (b"_Z4!!!!f\0", b"_Z4sinhf\0"),
                             (b"_Z7degreesDv16_f\0", b"_Z7degreeXDv16_f\0"), (name, name[:-3] + b"Xf\0")):
                changed = changed.replace(old, new)
            with open(broken, "wb") as file:
                file.write(changed)
            if subprocess.run([RUNNER, "compile", "--no-cache", os.path.join(ROOT, "nir_kernels", "saxpy.cl")], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, **environment)).returncode == 0:
                break
        else:
            fail(f"no function of {libclc} can be left out")
        kept = os.path.join(folder, "kept")
        code, text = check("--once", kept, **environment)
        if code != 98:
            fail(f"a broken libclc: exit {code}, not 98:\n{text}")
        # Functions of vectors may call that of the number, and are then wrong with it; so may those of halves (LLVM 19's).
        expect("broken", {(kind, re.sub(r" \(.*", "", name)) for kind, name in named(text) - named(plain)} - {
            ("wrong value", "half cosh"), ("wrong value", "half sinh")}, {
            ("wrong value", "float cosh"), ("wrong value", "float sinh"), ("missing", "float degrees"), ("missing", "float " + lost)})
        if "degrees (float16)" not in text:
            fail(f"no degrees (float16) in:\n{text}")
        expect("lost", named(plain) - named(text), set())
        if check("--once", kept, **environment) != (0, ""):
            fail("the same libclc was checked, or complained of, a second time")
        # A file that is no SPIR-V: one line, and no list of functions.
        with open(broken, "wb") as file:
            file.write(b"no SPIR-V at all")
        code, text = check(**environment)
        if code != 77 or named(text) or "could not be checked" not in text:
            fail(f"not SPIR-V: exit {code}:\n{text}")
        print("not SPIR-V:", text.strip()[:200])
    print("pass")


main()
