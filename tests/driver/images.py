# SPDX-License-Identifier: MIT
"""Compares what images.c prints with two drivers: the one under test, and lavapipe as the second source.

A case names its rule: "exact"; "near", within a step of seven bits; "coarse", within an eighth; "relative", within a
thousandth; "halves", halves of words by one; "most", near for all but one word in fifty (on the edges of a cube, filters differ).
"""
import struct
import subprocess

STEPS = {"near": 1 / 128, "most": 1 / 128, "coarse": 1 / 8}


def cases(text):
    """{name: (rule, words)}"""
    found, words = {}, []
    for line in text.splitlines():
        if line.startswith("case "):
            _, name, rule = line.split()
            words = []
            found[name] = rule, words
        else:
            words += [int(word, 16) for word in line.split()]
    return found


def number(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def differs(rule, word, other):
    if word == other or rule == "exact":
        return word != other
    if rule == "halves":
        return abs((word & 0xffff) - (other & 0xffff)) > 1 or abs((word >> 16) - (other >> 16)) > 1
    value, wanted = number(word), number(other)
    return not abs(value - wanted) <= (abs(wanted) / 1000 if rule == "relative" else STEPS[rule])


def compare(name, rule, words, wanted):
    """What is wrong with a case; None: nothing."""
    if len(words) != len(wanted):
        return f"{name}: {len(words)} words, not {len(wanted)}"
    wrong = [i for i, pair in enumerate(zip(words, wanted)) if differs(rule, *pair)]
    if not wrong or (rule == "most" and len(wrong) * 50 <= len(words)):
        return None
    at = wrong[0]
    return f"{name}: {len(wrong)} of {len(words)} words; word {at} is {words[at]:08x}, not {wanted[at]:08x}"


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, cases(done.stdout), done.stderr


def failures(command, start, program, shaders, lavapipe):
    """(number of cases, what is wrong). command: starts a program on the device; start: with the same Mesa, without it."""
    code, found, text = run([*command, program, shaders])
    other, wanted, reason = run([start, program, shaders, "--driver", lavapipe])
    wrong = [f"exit {code}: {text[-300:]}"] if code else []
    wrong += [f"lavapipe: exit {other}: {reason[-300:]}"] if other or "llvmpipe" not in reason else []
    both = [name for name in found if name in wanted]
    wrong += filter(None, (compare(name, *found[name], wanted[name][1]) for name in both))
    return len(both), wrong
