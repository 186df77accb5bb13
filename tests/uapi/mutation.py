#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Switches off each check of the virtual device's uAPI in turn and runs the uapi subtests: do they notice?

Needs a build with -Dmutation=true. Usage: mutation.py BUILD_DIR [NUMBER...]
Exits 0 when at least 95 % of the checks are caught."""

import os
import subprocess
import sys

WANTED = 0.95
TIME_LIMIT = 60  # seconds; a run takes two
# Each with the file that says which way it goes where header and kernel differ.
DEVICES = {'virtual:m1': 'notes.txt', 'virtual:m1,strict': 'notes-strict.txt'}
HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, number=None):
    environment = dict(os.environ)
    environment.pop('VGPU_MUTATE', None)
    if number is not None:
        environment['VGPU_MUTATE'] = number
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)


def notice(program, number):
    """How the subtests noticed; None: they did not."""
    for device, notes in DEVICES.items():
        try:
            done = run([program, device, '-x', '-n', os.path.join(HERE, notes), '!fault/'], number)
        except subprocess.TimeoutExpired:
            return 'hang'
        if done.returncode:
            failed = [line for line in done.stdout.splitlines() if line.startswith('fail ')]
            return failed[0] if failed else f'crash ({done.returncode})'
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = os.path.join(sys.argv[1], 'tests', 'uapi')
    program = os.path.join(folder, 'uapi_run')
    listing = run([os.path.join(folder, 'uapi_refusals')])
    if listing.returncode:
        sys.exit(listing.stderr)
    checks = [line.split(' ', 2) for line in listing.stdout.splitlines()]
    how = notice(program, None)
    if how:
        sys.exit('the subtests fail with all checks on: ' + how)
    chosen = [check for check in checks if not sys.argv[2:] or check[0] in sys.argv[2:]]
    missed = 0
    for number, place, condition in chosen:
        how = notice(program, number)
        missed += how is None
        print(f'{"caught" if how else "MISSED"} {number} {place} {condition}' + (f' -- {how}' if how else ''), flush=True)
    caught = len(chosen) - missed
    print(f'{caught} of {len(chosen)} checks caught, {100 * caught / len(chosen):.1f} %')
    sys.exit(0 if caught >= WANTED * len(chosen) else 1)


main()
