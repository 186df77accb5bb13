# SPDX-License-Identifier: MIT
# ffma.py AGX_RUNNER [FOLDER]: an archive that was made with a wrong number of cycles for one FFMA is corrected from itself alone.
# The right answer comes from an archive of the same device that was made with the right number. FOLDER holds both
# (right.tar.zst, wrong.tar.zst); without it they are made, which takes minutes: each submission of samples follows a second of
# emulated load.
import json
import os
import shutil
import subprocess
import sys
import tempfile

RUNNER = os.path.abspath(sys.argv[1])
DEVICE, ROW, PARAMETER = 'virtual:m1,dvfs=real', 'float/fadd32/latency', 'latency/fadd32'
RIGHT, WRONG = 1.02, 1.10
failures = 0


def check(condition, message):
    global failures
    if not condition:
        print('FAIL:', message)
        failures += 1


def run(cwd, *words):
    done = subprocess.run([RUNNER, *words], cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f'{words}: {done.returncode}, {done.stderr}')
    return done


def make(cwd, name, cycles):
    """An archive with one row: the default run is said to have all others."""
    listed = run(cwd, 'list').stdout.splitlines()
    rows = [{'name': line.split()[0], 'status': 'pass'} for line in listed if line.strip() and line.split()[0] != ROW]
    os.makedirs(os.path.join(cwd, name, 'steps'))
    with open(os.path.join(cwd, name, 'steps', 'run.json'), 'w', encoding='utf-8') as file:
        json.dump({'status': 'done', 'reason': '', 'figures': [], 'results': rows}, file)
    done = run(cwd, 'survey', '-d', DEVICE, '--folder', name, '-o', name + '.tar.zst', '--ffma-cycles', str(cycles), 'facts', 'ffma', 'instructions')
    check(('is no operating point' in done.stderr) == (cycles == WRONG), f'{cycles} cycles: {done.stderr}')
    # Without what it did not measure.
    os.unlink(os.path.join(cwd, name, 'steps', 'run.json'))
    run(cwd, 'survey', '-d', DEVICE, '--folder', name, '-o', name + '.tar.zst', 'facts')
    log = os.path.join(cwd, name, 'steps', 'instructions.log')
    with open(log, encoding='utf-8') as file:
        text = file.read()
    check(('is no operating point' in text) == (cycles == WRONG), f'{cycles} cycles: {text}')


def steps_of(cwd, archive):
    text = subprocess.run(['tar', '--zstd', '-xOf', archive, 'survey.json'], cwd=cwd, check=True, capture_output=True, text=True).stdout
    return json.loads(text)['steps']


def age(cwd, archive, aged):
    """The archive as a version before nanoseconds were kept would have made it."""
    kept = 'name', 'status', 'reason', 'unit', 'value', 'low', 'high', 'samples'
    text = subprocess.run(['tar', '--zstd', '-xOf', archive, 'survey.json'], cwd=cwd, check=True, capture_output=True, text=True).stdout
    survey = json.loads(text)
    del survey['steps']['ffma']
    for sheet in survey['steps'].values():
        sheet.pop('run', None)
        sheet['results'] = [{key: result[key] for key in kept if key in result} for result in sheet['results']]
    with open(os.path.join(cwd, 'survey.json'), 'w', encoding='utf-8') as file:
        json.dump(survey, file)
    subprocess.run(['tar', '--zstd', '-cf', aged, 'survey.json'], cwd=cwd, check=True)


def fitted(cwd, archive, *words):
    """The interval of the parameter, and what calibrate printed."""
    table = run(cwd, 'calibrate', archive, '-o', 'fitted', *words).stdout
    for line in table.splitlines():
        words = line.split()
        if words and words[0] == PARAMETER:
            return float(words[3]), float(words[5]), table
    check(False, f'no {PARAMETER}: {table}')
    return 0, 0, table


with tempfile.TemporaryDirectory() as cwd:
    for name, cycles in ('right', RIGHT), ('wrong', WRONG):
        if len(sys.argv) > 2:
            shutil.copy(os.path.join(os.path.abspath(sys.argv[2]), name + '.tar.zst'), cwd)
        else:
            make(cwd, name, cycles)
    right, wrong = steps_of(cwd, 'right.tar.zst'), steps_of(cwd, 'wrong.tar.zst')
    true = right['instructions']['results'][0]
    false = wrong['instructions']['results'][0]
    check(true['name'] == false['name'] == ROW, f'{true["name"]}, {false["name"]}')
    check(abs(false['value'] / true['value'] / (WRONG / RIGHT) - 1) < 0.01, f'{false["value"]} cycles, and {true["value"]}')
    # The nanoseconds give the figure, whatever was taken for an FFMA.
    times = false['nanoseconds']
    clocks = [WRONG * times['reference_operations'] / ns for ns in times['reference']]
    check(abs(sorted(clocks)[len(clocks) // 2] * 1e9 / false['clock_hz'] - 1) < 1e-3, f'{clocks}, {false["clock_hz"]}')
    per = [(long - short) * clock / cost for long, short, clock, cost in zip(times['longer'], times['shorter'], clocks, false['samples'])]
    check(max(per) / min(per) < 1.001, f'samples are not in proportion to nanoseconds times clock: {per}')

    low, high, table = fitted(cwd, 'right.tar.zst')
    check('as the survey assumed' in table, table)
    low_wrong, high_wrong, table = fitted(cwd, 'wrong.tar.zst')
    check('the survey assumed 1.1' in table, table)
    value = float(table.split('one FFMA: ')[1].split()[0])
    check(abs(value / RIGHT - 1) < 0.005, f'one FFMA is said to take {value} cycles')
    check(low_wrong <= (low + high) / 2 <= high_wrong, f'{low_wrong} .. {high_wrong} without {(low + high) / 2}')
    check(high_wrong - low_wrong < 0.1 * high, f'{low_wrong} .. {high_wrong} is wide')
    # Who takes the survey at its word gets another answer.
    low_kept, high_kept, _ = fitted(cwd, 'wrong.tar.zst', '--ffma-cycles', str(WRONG))
    check(low_kept > (low + high) / 2, f'{low_kept} .. {high_kept}, uncorrected, holds {(low + high) / 2}')
    low_said, high_said, _ = fitted(cwd, 'wrong.tar.zst', '--ffma-cycles', str(RIGHT))
    check(low_said <= (low + high) / 2 <= high_said, f'{low_said} .. {high_said}, corrected by hand')
    # An archive of an older version is read as it is, and says nothing of FFMAs.
    age(cwd, 'right.tar.zst', 'old.tar.zst')
    low_old, high_old, table = fitted(cwd, 'old.tar.zst')
    check(low_old <= (low + high) / 2 <= high_old and 'FFMA' not in table, f'{low_old} .. {high_old} of an old archive: {table}')

sys.exit(failures != 0)
