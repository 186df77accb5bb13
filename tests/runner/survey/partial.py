# SPDX-License-Identifier: MIT
# partial.py AGX_RUNNER: a step that reaches its limit keeps what it measured, and goes on with --resume; in the end its
# sheet is that of a step that was not disturbed. The archive holds whole results. Old sheets are packed as they are.
import json
import os
import subprocess
import sys
import tempfile

RUNNER, STEP = os.path.abspath(sys.argv[1]), 'occupancy'
failures = 0


def check(condition, message):
    global failures
    if not condition:
        print('FAIL:', message)
        failures += 1


def survey(cwd, *words, **variables):
    return subprocess.run([RUNNER, 'survey', *words], cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **variables})


def sheet(cwd, archive):
    text = subprocess.run(['tar', '--zstd', '-xOf', os.path.join(cwd, archive), 'survey.json'], check=True, capture_output=True,
                          text=True).stdout
    return json.loads(text)['steps'][STEP]


with tempfile.TemporaryDirectory() as cwd:
    done = survey(cwd, '-d', 'virtual:m1', '--folder', 'whole', '-o', 'whole.tar.zst', STEP)
    whole = sheet(cwd, 'whole.tar.zst')
    check(done.returncode == 0 and whole['status'] == 'done', f'undisturbed: {done.stderr}')

    # The limit counts the step's work, so how often it must be raised depends on the machine, but not on its load.
    limit, parts = 0.5, []
    done = survey(cwd, '-d', 'virtual:m1', '--seed', '1', '--folder', 'cut', '-o', 'cut.tar.zst', '--step-timeout', str(limit), STEP)
    while (part := sheet(cwd, 'cut.tar.zst'))['status'] == 'partial' and limit < 1000:
        check('its limit of' in part['reason'], part['reason'])
        check('--resume cut' in done.stdout, f'no word of how to go on: {done.stdout}')
        parts.append(len(part['results']))
        limit *= 1.5
        done = survey(cwd, '--resume', 'cut', '-o', 'cut.tar.zst', '--step-timeout', str(limit), STEP)
        check(done.returncode == 0, f'--resume: {done.stderr}')
    check(parts and parts == sorted(parts), f'partial sheets of {parts} results')
    check(any(0 < count < len(whole['results']) for count in parts), f'no part was kept: {parts} of {len(whole["results"])}')
    check(part['results'] == whole['results'], 'the results after --resume are others')
    check(part['run'] == whole['run'], f'another run: {part["run"]}, {whole["run"]}')

    # Whole results: as result files have them, but for what is the host's.
    run = json.loads(subprocess.run([RUNNER, 'run', '-d', 'virtual:m1', '-f', 'json', 'occupancy/*'], capture_output=True, text=True,
                                    check=True).stdout)
    for result in run['results']:
        del result['seconds']
    check(whole['results'] == run['results'], 'the archive has other results than `run`')
    for name in 'host', 'time', 'command_line':
        del run['environment'][name]
    check(whole['run'] == {'device': run['device'], 'environment': run['environment']}, f'the archive has {whole["run"]}')

    # An interrupt keeps what there is, too: see survey.py. A folder that holds no survey is not gone on with.
    done = survey(cwd, '--resume', 'nothing')
    check(done.returncode == 79 and 'not the folder of a survey' in done.stderr, done.stderr)

    # A compiler that is none is named as the reason.
    done = survey(cwd, '-d', 'virtual:m1', '--folder', 'refused', '-o', 'refused.tar.zst', 'copy', AGX_RUNNER_COMPILER='/bin/false')
    check('do not compile' in done.stdout and 'false' in done.stdout, f'no reason: {done.stdout}')

    listed = survey(cwd, '--steps').stdout
    check('45 to 60 minutes' in listed and 'stutters' in listed, listed)
    check(' + barriers' in listed and ' + texture' in listed and ' * limits' in listed, listed)

sys.exit(failures != 0)
