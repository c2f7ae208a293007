/**
 * Goal: a gate is lifted by a human alone, and who was refused, or could not be told, is on record.
 * Method: four runs that wait for a human in four ways, and agents that type every gate verb at
 * them with the built binary, in every disguise that a shell offers.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { endOf, expectNamed, row } from './named.ts';
import { type Cheat, makeCheat, type Outcome } from './rig.ts';

type State = 'parked' | 'asking' | 'waiting' | 'ended';
let program: Pawl;
const runs = {} as Record<State, { readonly own: Cheat; readonly id: string }>;

const agents: Readonly<Record<State, { readonly agent: string; readonly answer?: string }>> = {
  parked: { agent: 'echo 41 > answer.txt' },
  asking: { agent: `printf '{"outcome":"question","text":"which?"}' > "$PAWL_RESULT_FILE"` },
  waiting: { agent: 'echo more > more.txt', answer: '42\n' },
  ended: { agent: 'echo 42 > answer.txt' },
};

beforeAll(async () => {
  program = pawl();
  for (const state of ['parked', 'asking', 'waiting', 'ended'] as const) {
    const { agent, answer = '0\n' } = agents[state];
    const own = makeCheat(program, { agent, files: { 'answer.txt': answer }, project: state });
    const { run } = await own.run();
    runs[state] = { own, id: run.id };
  }
}, 180_000);
afterAll(() => program.close(), 60_000);

const statuses = {
  parked: 'needs_operator',
  asking: 'needs_operator',
  waiting: 'waiting_human',
  ended: 'complete',
} as const;

/** Verb, its run, its arguments. */
const verbs: readonly (readonly [verb: string, state: State, more: string])[] = [
  ['approve', 'waiting', ''],
  ['reject', 'waiting', '--note no'],
  ['answer', 'asking', 'this'],
  ['accept', 'parked', '--reason fine'],
  ['resume', 'parked', '--attempts +3'],
  ['retry', 'parked', '--detach'],
  ['land', 'ended', ''],
];

const disguises: readonly (readonly [name: string, line: string])[] = [
  ['plainly', '$LINE'],
  ['without its marker', 'env -u PAWL_EXECUTION $LINE'],
  ['through script', 'script -qec "$LINE" /dev/null'],
  ['through setsid', 'setsid -w $LINE'],
  ['through nohup', 'nohup $LINE'],
  ['through env -i', 'env -i $KEPT $LINE'],
  [
    'through env -i, setsid and script',
    'env -i $KEPT setsid -w script -qec "env -i $KEPT setsid -w -c $LINE" /dev/null',
  ],
  [
    'as an orphan with a terminal and nothing else',
    `rm -f $ROOT/over
(env -i $KEPT LINE="$LINE" ROOT=$ROOT setsid sh -c 'script -qec "$LINE" /dev/null > $ROOT/said 2>&1; echo "exit $?" > $ROOT/over' < /dev/null > /dev/null 2>&1 &)
n=0; while [ ! -s $ROOT/over ] && [ $n -lt 1500 ]; do sleep 0.02; n=$((n + 1)); done
cat $ROOT/said $ROOT/over`,
  ],
];

test.each(disguises)(
  'every gate verb typed by an agent %s is refused and recorded (DESIGN 11a)',
  async (name, disguise) => {
    const before = await refusals();
    const lines = [
      ...verbs.map(([verb, state, more]) => `${verb} ${runs[state].id} ${more}`),
      'prune -y',
    ];
    const own = makeCheat(program, {
      agent: `export PAWL_HOME=$STATE
KEPT="PATH=$PATH HOME=$HOME PAWL_HOME=$STATE"
: > $ROOT/answers
for words in ${lines.map((line) => `'${line.trim()}'`).join(' ')}; do
  LINE="$PAWL $words"
  { echo "== $words"; ${disguise.replaceAll('\n', '\n  ')}
  echo "== exit $?"; } >> $ROOT/answers 2>&1 < /dev/null
done
cat $ROOT/answers`,
      project: `lane-${disguises.findIndex(([one]) => one === name)}`,
    });
    const outcome = await own.run();
    const answers = own
      .read('answers')
      .split(/^== (?!exit)/m)
      .slice(1);
    expect(answers.length).toBe(lines.length);
    for (const answer of answers)
      expect(answer).toMatch(/error\[human_required\].*only a human may do that/);
    for (const state of Object.keys(statuses) as State[]) {
      expect((await shown(state)).run.status).toBe(statuses[state]);
    }
    const after = await refusals();
    for (const [verb, state] of verbs) expect(after[state]).toContain(verb);
    for (const state of Object.keys(statuses) as State[]) {
      const wanted = verbs.filter(([, one]) => one === state).length;
      expect((after[state] ?? []).length - (before[state] ?? []).length, state).toBe(wanted);
    }
    // What is about no run is recorded on the run whose lane typed it.
    expect(outcome.run.refusedGates).toBe(1);
    expectNamed(`gate verbs ${name}`, await shown('parked'), {
      end: 'needs_operator (attempts_exhausted)',
      words: [/\d+ gate verbs? by something that is no human/],
    });
    expect((await own.type(['status'])).stdout).toMatch(/gate verbs? refused/);
  },
  300_000,
);

test('a program without a terminal, and one that an agent started, are refused with what was found', async () => {
  const { own, id } = runs.parked;
  const piped = await own.type(['accept', id, '--reason', 'fine']);
  expect(piped.exit).not.toBe(0);
  expect(piped.stderr).toMatch(
    /error\[human_required\][\s\S]*found +(not from a terminal|started by)/,
  );
  const marked = await program.onTerminal(['accept', id, '--reason', 'fine'], {
    env: { CLAUDECODE: '1' },
  });
  expect(marked.stdout).toMatch(
    /error\[human_required\][\s\S]*started by claude \(CLAUDECODE is set\)/,
  );
  const after = await shown('parked');
  expect(after.run.status).toBe('needs_operator');
  row('gate verb without a terminal', endOf(after), foundIn(piped.stderr));
  row("gate verb with an agent's variable", endOf(after), foundIn(marked.stdout));
});

test('an orphan that left its containment is let through, recorded and shown as unknown (DESIGN 11a)', async () => {
  const { own, id } = runs.parked;
  await orphan('retried', runs.asking.own, `retry ${runs.asking.id} --detach`);
  expectNamed('orphan outside of containment (retry)', await shown('asking'), {
    end: 'cancelled',
    words: [/retry: channel terminal, ancestry unknown/],
  });
  await orphan('accepted', own, `accept ${id} --reason fine`);
  const outcome = await shown('parked');
  expectNamed('orphan outside of containment (accept)', outcome, {
    end: 'complete',
    words: [/overridden by operator/, /accept: channel terminal, ancestry unknown/],
  });
  expect(outcome.run['verification']).toBe('overridden');
  const status = await own.type(['status']);
  expect(status.stdout).toMatch(/ancestry unknown/);
  const events = await own.type(['show', id, '--events', '--json']);
  expect(events.stdout).toMatch(/"channel":"terminal"/);
  expect(events.stdout).toMatch(/ancestry unknown/);
}, 120_000);

/** Typed by a program without ancestors, environment or marker, in a terminal of its own. */
async function orphan(name: string, own: Cheat, words: string): Promise<void> {
  const over = join(program.root, name);
  const script = `${over}.sh`;
  const line = `${process.execPath} ${binary} ${words}`;
  const lines = [
    `script -qec '${line}' /dev/null > ${over}.said 2>&1`,
    `echo $? > ${over}.new`,
    `mv ${over}.new ${over}`,
  ];
  writeFileSync(script, lines.join('\n'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(program.root, 'user'),
    PAWL_HOME: program.home,
  };
  const started = `(setsid sh ${script} < /dev/null > /dev/null 2>&1 &)`;
  spawn('sh', ['-c', started], { env, cwd: own.main, stdio: 'ignore' });
  expect(await until(() => own.read(name) !== '', 60_000)).toBe(true);
  expect(own.read(name).trim(), own.read(`${name}.said`)).toBe('0');
}

/** What a refusal says that it found. */
const foundIn = (text: string): string => /found +(.+)/.exec(text)?.[1]?.trim() ?? '(not said)';

async function shown(state: State): Promise<Outcome> {
  const { own, id } = runs[state];
  const page = await own.type(['show', id]);
  const run = (await own.type(['show', id, '--json'])).json() as Outcome['run'];
  return { exit: page.exit, words: page.stdout, run };
}

/** The verbs that were refused, of each run. */
async function refusals(): Promise<Partial<Record<State, readonly string[]>>> {
  const found: Partial<Record<State, readonly string[]>> = {};
  for (const state of Object.keys(statuses) as State[]) {
    const { own, id } = runs[state];
    const events = await own.type(['show', id, '--events', '--json']);
    found[state] = events.stdout
      .split('\n')
      .filter((line) => line.includes('"principal.refused"'))
      .map((line) => String(JSON.parse(line).data.command));
  }
  return found;
}
