# SPDX-License-Identifier: MIT
# survey.py AGX_RUNNER [STEP...]: a survey that is killed (or asked to end) at random moments of its journal and started again gives
# the archive that an undisturbed one gives: the same listing, and the same survey.json but for what the host's clock
# has a part in. The archive names neither this machine nor its user, nor the folder.
import getpass
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

RUNNER, STEPS = os.path.abspath(sys.argv[1]), sys.argv[2:] or ['facts', 'copy', 'stream', 'timestamps', 'launches', 'texture', 'scratch', 'atomic-bit']
KILLS = 20
failures = 0


def check(condition, message):
    global failures
    if not condition:
        print('FAIL:', message)
        failures += 1


def command(folder, *words):
    return [RUNNER, 'survey', '--device', 'virtual:m1', '--folder', folder, '--output', folder + '.tar.zst', *words, *STEPS]


def start(folder, cwd, *words):
    return subprocess.Popen(command(folder, *words), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(folder, cwd):
    path = os.path.join(cwd, folder, 'journal')
    if not os.path.exists(path):
        return 0
    with open(path, encoding='utf-8') as journal:
        return journal.read().count('\n')


def entry(path, name):
    return subprocess.run(['tar', '--zstd', '-xOf', path, name], check=True, capture_output=True, text=True).stdout


def listing(path):
    return subprocess.run(['tar', '--zstd', '-tf', path], check=True, capture_output=True, text=True).stdout.split()


def comparable(path):
    survey = json.loads(entry(path, 'survey.json'))
    del survey['date']
    for sheet in survey['steps'].values():
        sheet['figures'] = [figure for figure in sheet['figures'] if figure['clock'] == 'device']
    return survey


with tempfile.TemporaryDirectory() as cwd:
    whole = start('whole', cwd)
    output, errors = whole.communicate()
    check(whole.returncode == 0, f'an undisturbed survey exits with {whole.returncode}: {errors}')
    check(output.index('will hold:') < output.index('written'), 'no listing before the archive is written')
    reference = os.path.join(cwd, 'whole.tar.zst')
    names = listing(reference)
    check('survey.json' in names and 'figures.csv' in names, f'the archive holds {names}')
    for name in names:
        check(name in output, f'{name} was not listed')

    random.seed(7)
    killed = 0
    for attempt in range(KILLS):
        wanted = lines('cut', cwd) + random.randint(1, 3)
        process = start('cut', cwd)
        while process.poll() is None and lines('cut', cwd) < wanted:
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.05))
        if process.poll() is None:
            process.send_signal(random.choice([signal.SIGKILL, signal.SIGTERM]))
            killed += 1
        process.communicate()
        if os.path.exists(os.path.join(cwd, 'cut.tar.zst')):
            break
    last = start('cut', cwd)
    _, errors = last.communicate()
    check(killed > 3, f'only {killed} surveys were killed')
    check(last.returncode == 0, f'the last part exits with {last.returncode}: {errors}')
    cut = os.path.join(cwd, 'cut.tar.zst')
    check(listing(cut) == names, 'another listing after kills')
    check(comparable(cut) == comparable(reference), 'other figures after kills')

    text = ''.join(entry(reference, name) for name in names)
    for private in [socket.gethostname(), getpass.getuser(), cwd]:
        # root and localhost are words of the text elsewhere.
        if len(private) > 2 and private not in ('root', 'localhost'):
            words = ''.join(c if c.isalnum() or c in '_/' else ' ' for c in text).split()
            check(private not in words and (private != cwd or cwd not in text), f'the archive names {private}')

    # The M1 wants no bit 45: without it each thread is counted once, with it the virtual device ends the job.
    sheet = json.loads(entry(reference, 'survey.json'))['steps']['atomic-bit']
    check([(figure['at'], figure['value']) for figure in sheet['figures']] == [(0, 65536)], f'atomics: {sheet}')
    check('bit 45' in sheet['facts'].get('with bit 45', ''), f'atomics: {sheet}')

    # A step that was left out is run when it is asked for. (A virtual device's steps are always asked for.)
    left = os.path.join(cwd, 'whole', 'steps', 'scratch.json')
    with open(left, encoding='utf-8') as file:
        done = json.load(file)['figures']
    with open(left, 'w', encoding='utf-8') as file:
        json.dump({'status': 'skipped', 'reason': 'not asked for: the step may cause a GPU fault', 'facts': {}, 'figures': []}, file)
    start('whole', cwd).communicate()
    check(json.loads(entry(reference, 'survey.json'))['steps']['scratch']['figures'] == done, 'scratch was not run again')

    # What a job waits for on a device that models it: the firmware's 58 us, and 242 us more where the GPU was off
    # (results/reference/launch.csv). The program of a figure is in the archive, under the hash that results name.
    model = os.path.join(cwd, 'model.tar.zst')
    done = subprocess.run([RUNNER, 'survey', '-d', 'virtual:m1,dvfs=real', '--folder', 'model', '-o', model, 'overheads',
                           'programs'], cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f'overheads, programs: {done.stderr}')
    steps = json.loads(entry(model, 'survey.json'))['steps']
    wait = {figure['at']: figure['low'] for figure in steps['overheads']['figures']
            if figure['quantity'] == 'submit-to-start-after-pause-ms'}
    check(wait[20] - 58e3 > 242e3 and wait[0] > 58e3, f'waits of {wait}')
    check(wait[20] - wait[0] < 2 * 242e3, f'waits of {wait}')
    done = subprocess.run([RUNNER, 'run', '-d', 'virtual:m1', '--format', 'json', 'float/fadd32/throughput'], cwd=cwd,
                          capture_output=True, text=True, check=True)
    code = json.loads(done.stdout)['results'][0]['program_hash']
    facts = steps['programs']['facts']
    check(facts['program float/fadd32/throughput'].split()[0] == code and len(facts['code ' + code]) > 100,
          f'no program {code} in the archive')

    # The instructions' step leaves out what the default run has a figure for, and nothing else.
    listed = subprocess.run([RUNNER, 'list'], capture_output=True, text=True, check=True).stdout.splitlines()
    results = [{'name': line.split()[0], 'status': 'pass'} for line in listed if line.strip()]
    results = [result for result in results if result['name'] != 'int/bitrev32/latency']
    for result in results:
        if result['name'] == 'float/fadd32/latency':
            result['status'] = 'fail'
    os.makedirs(os.path.join(cwd, 'rest', 'steps'))
    with open(os.path.join(cwd, 'rest', 'steps', 'run.json'), 'w', encoding='utf-8') as file:
        json.dump({'status': 'done', 'reason': '', 'figures': [], 'results': results}, file)
    rest = os.path.join(cwd, 'rest.tar.zst')
    done = subprocess.run([RUNNER, 'survey', '-d', 'virtual:m1', '--folder', os.path.join(cwd, 'rest'), '-o', rest,
                           'instructions'], cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f'instructions: {done.stderr}')
    measured = [result['name'] for result in json.loads(entry(rest, 'survey.json'))['steps']['instructions']['results']]
    check(sorted(measured) == ['float/fadd32/latency', 'int/bitrev32/latency'], f'the instructions of {measured}')

    # A folder of another device, and a step that there is not, are errors that change nothing.
    for words, message in [(['--device', 'virtual:m2'], 'another folder'), (['nothing'], "no step 'nothing'")]:
        other = start('whole', cwd, *words)
        _, errors = other.communicate()
        check(other.returncode == 79 and message in errors, f'{words}: {other.returncode}, {errors}')

    # A step that a reboot ended is not tried again, and the archive says so.
    with open(os.path.join(cwd, 'whole', 'journal'), 'a', encoding='utf-8') as journal:
        journal.write('begin texture another-boot\n')
    os.unlink(os.path.join(cwd, 'whole', 'steps', 'texture.json'))
    start('whole', cwd).communicate()
    sheet = json.loads(entry(reference, 'survey.json'))['steps']['texture']
    check(sheet['status'] == 'failed' and 'machine restarted' in sheet['reason'], f'after a reboot: {sheet}')
    print(f'{killed} kills')

sys.exit(failures != 0)
