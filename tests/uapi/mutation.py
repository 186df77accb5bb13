#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Switches off each check of the virtual device in turn (of requests, of scratch memory, of inject= rules) and runs the
uapi and fault subtests, and for inject= its own test: do they notice?

Needs a build with -Dmutation=true. Usage: mutation.py BUILD_DIR [NUMBER...]
Exits 0 when at least 95 % of the checks are caught."""

import os
import subprocess
import sys

WANTED = 0.95
TIME_LIMIT = 60  # seconds; a run takes a few
HERE = os.path.dirname(os.path.abspath(__file__))
SUBTESTS = os.path.join('tests', 'uapi', 'uapi_run')
# notes*.txt: which way the device goes where header and kernel differ. Faults have less patience with what never ends.
TESTS = (
    (SUBTESTS, 'virtual:m1', '-x', '-n', os.path.join(HERE, 'notes.txt'), '!fault/'),
    (SUBTESTS, 'virtual:m1,strict', '-x', '-n', os.path.join(HERE, 'notes-strict.txt'), '!fault/'),
    (SUBTESTS, 'virtual:m1,budget=4000000', '-x', '-n', os.path.join(HERE, 'notes-fault.txt'), 'fault/'),
    (os.path.join('tests', 'vgpu', 'device_inject'),),
)


def run(command, number=None):
    environment = dict(os.environ)
    environment.pop('VGPU_MUTATE', None)
    if number is not None:
        environment['VGPU_MUTATE'] = number
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)


def notice(folder, number):
    """How the tests noticed; None: they did not."""
    for program, *arguments in TESTS:
        try:
            done = run([os.path.join(folder, program), *arguments], number)
        except subprocess.TimeoutExpired:
            return 'hang'
        if done.returncode > 0:
            failed = [line for line in done.stdout.splitlines() if line.startswith('fail ')] + done.stderr.splitlines()
            return failed[0] if failed else f'exit code {done.returncode}'
        if done.returncode < 0:
            return f'crash ({done.returncode})'
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    listing = run([os.path.join(folder, 'tests', 'uapi', 'uapi_refusals')])
    if listing.returncode:
        sys.exit(listing.stderr)
    checks = [line.split(' ', 2) for line in listing.stdout.splitlines()]
    how = notice(folder, None)
    if how:
        sys.exit('the tests fail with all checks on: ' + how)
    chosen = [check for check in checks if not sys.argv[2:] or check[0] in sys.argv[2:]]
    missed = 0
    for number, place, condition in chosen:
        how = notice(folder, number)
        missed += how is None
        print(f'{"caught" if how else "MISSED"} {number} {place} {condition}' + (f' -- {how}' if how else ''), flush=True)
    caught = len(chosen) - missed
    print(f'{caught} of {len(chosen)} checks caught, {100 * caught / len(chosen):.1f} %')
    sys.exit(0 if caught >= WANTED * len(chosen) else 1)


main()
