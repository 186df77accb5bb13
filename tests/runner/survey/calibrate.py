# SPDX-License-Identifier: MIT
# calibrate.py AGX_RUNNER [SEED]: a virtual device with other parameters is surveyed; calibrate finds each of them within its
# interval, and leaves the others alone. The true values are those of this file.
# Without a seed: 19 parameters of instructions on a device without disturbance, and the five costs of commands on another.
# With one: 20 parameters, drawn at random, on one device whose commands have costs and whose timestamps have steps; that
# takes minutes, and is run by hand.
import os
import random
import subprocess
import sys
import tempfile

RUNNER = os.path.abspath(sys.argv[1])
CHOSEN = {
    'interval/fadd32': 1.5, 'latency/fadd32': 3, 'latency/fmul32': 2.9, 'interval/rcp': 7.5, 'latency/rcp': 8.25,
    'interval/rsqrt': 9, 'latency/rsqrt': 11, 'interval/imul32': 5, 'latency/imul32': 6.1, 'latency/bitwise': 3,
    'interval/popcount': 4.6, 'latency/popcount': 5.5, 'interval/shift': 5, 'latency/exp2-32': 6,
    # Above the latency, which stays as it is and is not seen then.
    'interval/imul16': 5.4,
    'interval/log2-32': 5.5, 'latency/simd-shuffle': 5, 'interval/simd-sum-f32': 20, 'latency/simd-bitwise32': 33,
}
CHOSEN_COMMANDS = {
    'command/launch': 180, 'command/barrier-full': 4000, 'command/barrier-part': 500, 'command/stream-start': 2700,
    'command/stream-gap': 15000,
}
INSTRUCTIONS = 15
COUNTER_NS = 41.8  # the timestamps' step of 24 MHz, and what rounding to ns adds
# class: interval, latency as published (results/reference/instr.csv); cycles
PUBLISHED = {
    'fadd16': (1, 2.16), 'fmul16': (1, 2.17), 'ffma16': (1, 2.18), 'fadd32': (1, 2.2), 'fmul32': (1, 2.21),
    'convert': (4, 3.66), 'rint': (4, 3.66), 'rcp': (6, 6.5), 'rsqrt': (8, 8.99), 'exp2-16': (4, 4.62),
    'exp2-32': (4, 4.31), 'log2-16': (4, 4.62), 'log2-32': (4, 4.31), 'iadd16': (1, 2.17), 'imul16': (4, 3.69),
    'imul32': (4, 4.02), 'imul64': (8.01, 9.84), 'bitwise': (1.06, 2.21), 'cmpsel32': (1, 4.74),
    'shift': (4.01, 4.02), 'bitrev': (4, 3.62), 'popcount': (4, 3.62), 'simd-shuffle': (2.04, 3.73),
    'simd-sum-f32': (14.54, 27.55), 'simd-bitwise32': (14.53, 27.79), 'quad-sum-f32': (6.02, 13.53),
}
# ns, drawn from a range that the published value is not in
COMMANDS = {
    'command/launch': (150, 400), 'command/barrier-full': (3500, 6000), 'command/barrier-part': (400, 900),
    'command/stream-start': (2300, 4000), 'command/stream-gap': (8000, 20000),
}


def draw(seed):
    """Up to 1.6 times the published value. A latency below the interval would not be seen."""
    chance = random.Random(seed)
    names = [f'{kind}/{name}' for name in PUBLISHED for kind in ('interval', 'latency')]
    true = {name: round(chance.uniform(low, high), 1) for name, (low, high) in COMMANDS.items()}
    for name in chance.sample(names, INSTRUCTIONS):
        kind, of = name.split('/')
        value = PUBLISHED[of][kind == 'latency'] * chance.uniform(1.15, 1.6)
        if kind == 'latency':
            value = max(value, 1.05 * true.get('interval/' + of, PUBLISHED[of][0]))
        true[name] = round(value, 2)
    for of, (_, latency) in PUBLISHED.items():
        if 'interval/' + of in true and 'latency/' + of in true:
            true['latency/' + of] = max(true['latency/' + of], round(1.05 * true['interval/' + of], 2))
    return true


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


def recover(true, options, *steps):
    """Surveys a device with these parameters, and calibrates."""
    with tempfile.TemporaryDirectory() as cwd:
        with open(os.path.join(cwd, 'true'), 'w', encoding='utf-8') as file:
            file.writelines(f'{name} {value}\n' for name, value in true.items())
        run(cwd, 'survey', '-d', 'virtual:m1,params=true' + options, '--folder', os.path.join(cwd, 's'), '-o',
            'survey.tar.zst', 'facts', *steps)
        table = run(cwd, 'calibrate', 'survey.tar.zst', '-o', 'fitted')
        seen = 0
        for line in table.splitlines():
            words = line.split()
            if len(words) < 7 or words[4] != '..' or '/' not in words[0]:
                continue
            name, old, low, high = words[0], float(words[1]), float(words[3]), float(words[5])
            value = true.get(name, old)
            seen += name in true
            check(low <= value <= high, f'{name}: {value} is not within {low} .. {high}')
            check(('contradicts' in line) == (name in true), f'{name}: {line}')
            # A stream's start and gap are one difference of timestamps each. It is off by two steps of the counter, the survey's
            # samples are spread over one more, and the model's may be one step from them: four steps to either side.
            widest = 8 * COUNTER_NS if name.startswith('command/stream') else 0.05 * value + 0.1
            check(high - low <= widest, f'{name}: the interval {low} .. {high} is wider than {widest:.1f}')
        check(seen == len(true), f'{seen} of {len(true)} changed parameters are in the table')
        with open(os.path.join(cwd, 'fitted'), encoding='utf-8') as file:
            fitted = {line.split()[0] for line in file if not line.startswith('#')}
        check(fitted == set(true), f'the file holds {sorted(fitted)}')
        print(f'{seen} parameters: {sorted(true)}')


if len(sys.argv) > 2:
    recover(draw(int(sys.argv[2])), ',dvfs=command+counter', 'launches', 'commands', 'instructions')
else:
    recover(CHOSEN, '', 'instructions')
    recover(CHOSEN_COMMANDS, ',dvfs=command+counter', 'launches', 'commands')
sys.exit(failures != 0)
