# SPDX-License-Identifier: MIT
# calibrate.py AGX_RUNNER: a virtual device with 23 other parameters is surveyed; calibrate finds each of them within
# its interval, and leaves the others alone. The true values are those of this file.
import os
import subprocess
import sys
import tempfile

RUNNER = os.path.abspath(sys.argv[1])
TRUE = {
    'interval/fadd32': 1.5, 'latency/fadd32': 3, 'latency/fmul32': 2.9, 'interval/rcp': 7.5, 'latency/rcp': 8.25,
    'interval/rsqrt': 9, 'latency/rsqrt': 11, 'interval/imul32': 5, 'latency/imul32': 6.1, 'latency/bitwise': 3,
    'interval/popcount': 4.6, 'latency/popcount': 5.5, 'interval/shift': 5, 'latency/exp2-32': 6,
    'interval/log2-32': 5.5, 'latency/simd-shuffle': 5, 'interval/simd-sum-f32': 20, 'latency/simd-bitwise32': 33,
    'command/launch': 180, 'command/barrier-full': 4000, 'command/barrier-part': 500, 'command/stream-start': 2700,
    'command/stream-gap': 15000,
}
failures = 0


def check(condition, message):
    global failures
    if not condition:
        print('FAIL:', message)
        failures += 1


def run(cwd, *words):
    done = subprocess.run([RUNNER, *words], cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f'{words}: {done.returncode}, {done.stderr}')
    return done.stdout


with tempfile.TemporaryDirectory() as cwd:
    with open(os.path.join(cwd, 'true'), 'w', encoding='utf-8') as file:
        file.writelines(f'{name} {value}\n' for name, value in TRUE.items())
    run(cwd, 'survey', '-d', 'virtual:m1,params=true,dvfs=command+counter', '--folder', os.path.join(cwd, 's'), '-o',
        'survey.tar.zst', 'facts', 'launches', 'commands', 'instructions')
    table = run(cwd, 'calibrate', 'survey.tar.zst', '-o', 'fitted')
    seen = 0
    for line in table.splitlines():
        words = line.split()
        if len(words) < 7 or words[4] != '..' or '/' not in words[0]:
            continue
        name, old, low, high = words[0], float(words[1]), float(words[3]), float(words[5])
        value = TRUE.get(name, old)
        seen += name in TRUE
        check(low <= value <= high, f'{name}: {value} is not within {low} .. {high}')
        check(('contradicts' in line) == (name in TRUE), f'{name}: {line}')
        check(high - low < 0.1 * value + 0.1, f'{name}: the interval {low} .. {high} says nothing')
    check(seen == len(TRUE), f'{seen} of {len(TRUE)} changed parameters are in the table')
    with open(os.path.join(cwd, 'fitted'), encoding='utf-8') as file:
        fitted = {line.split()[0] for line in file if not line.startswith('#')}
    check(fitted == set(TRUE), f'the file holds {sorted(fitted)}')

sys.exit(failures != 0)
