/** Goal: what `run` refuses before anything is spent, how it tells a run, and how a view ends. */
import { expect, test } from 'vitest';
import {
  at,
  commit,
  digest,
  exampleDefinition,
  exampleView,
} from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import { dates } from '../../test/support/scripted-detection.ts';
import { type ScriptedIo, scriptedIo } from '../../test/support/scripted-io.ts';
import type { RunView, StartRequest } from '../ports/client.ts';

const goal = 'make the failing date tests pass';
const run = ['run', goal, '--agent-cmd', 'my-agent --file "{prompt}"', '-c', 'npm test'];
const started = (client: ScriptedClient): StartRequest =>
  client.calls.find(({ verb }) => verb === 'start')?.details[0] as StartRequest;

/** Ends the run at the given look. */
function ending(
  change: Partial<RunView>,
  looks = 2,
): { readonly client: ScriptedClient; readonly io: ScriptedIo } {
  const client = scriptedClient([]);
  const io = scriptedIo();
  io.onSleep((sleeps) => {
    if (sleeps === looks) client.change({ phase: null, execution: null, ...change });
  });
  return { client, io };
}
const complete = {
  status: 'complete',
  verification: 'passed',
  receipt: digest('c'),
  endedAt: at(1300),
} as const;

test('flags alone make a whole definition', async () => {
  const { client, io } = ending(complete);
  const { exit } = await typed(run, { client, io });
  expect(exit).toBe(0);
  expect(started(client)).toMatchObject({
    detached: false,
    definition: {
      intent: { originalIntent: goal },
      name: 'make-the-failing-date-tests-pass',
      project: { root: '/home/me/dates', kind: 'user' },
      source: { base: commit('3'), baseBranch: 'main', includeChanges: false },
      roles: { execute: { agent: 'my-agent', command: ['my-agent', '--file', '{prompt}'] } },
      criteria: [{ kind: 'test', command: 'npm test' }],
    },
  });
  expect(client.calls.map(({ verb }) => verb)).toContain('ensureDriver');
});

test('pawl.yaml counts, flags win, and agent arguments follow --', async () => {
  const files = {
    '/home/me/dates/pawl.yaml':
      'agents: { mine: { command: [m] } }\nagent: mine\ncheck: npm test\nbrakes: { attempts: 9 }',
  };
  const client = scriptedClient([]);
  await typed(['run', goal, '-n', '2', '-d', '--', '--fast', '-x'], {
    client,
    io: scriptedIo({ files }),
  });
  expect(started(client).definition).toMatchObject({
    brakes: { attempts: 2 },
    roles: { execute: { agent: 'mine', args: ['--fast', '-x'] } },
  });
});

test('checks run in the folder of pawl.yaml or of the nearest manifest, not where it was typed', async () => {
  const client = scriptedClient([]);
  const io = scriptedIo({ files: { '/home/me/dates/web/package.json': '{}' } });
  await typed([...run, '-d', '-C', 'web/src/deep'], { client, io });
  expect(started(client).definition.project.cwd).toBe('web');
  const atRoot = scriptedClient([]);
  await typed([...run, '-d', '-C', 'docs'], { client: atRoot });
  expect(started(atRoot).definition.project.cwd).toBe('');
});

test('environment stands between flags and files (UX 4.3)', async () => {
  const files = {
    '/home/me/dates/pawl.yaml':
      'agents: { m: { command: [m] } }\nagent: m\ncheck: a\nbrakes: { attempts: 9, time: 1h }',
  };
  const client = scriptedClient([]);
  const env = { PAWL_ATTEMPTS: '4', PAWL_MAX_TIME: '2h', PAWL_CHECK: 'from-env' };
  await typed(['run', goal, '-d', '-c', 'from-flag'], { client, io: scriptedIo({ files }), env });
  expect(started(client).definition).toMatchObject({
    brakes: { attempts: 4, timeMs: 7_200_000 },
    criteria: [{ command: 'from-flag' }],
  });
  expect((await typed(['run', goal, '-d'], { env: { PAWL_ATTEMPTS: 'many' } })).err).toContain(
    'PAWL_ATTEMPTS',
  );
});

test('a dirty tree is refused word for word (UX 4.4-5)', async () => {
  const checkout = { dirty: ['src/parse.ts', 'src/weeks.ts', 'a', 'b'] };
  const { exit, err, client } = await typed(run, { client: scriptedClient([]), checkout });
  expect(exit).toBe(2);
  expect(err).toBe(`error[dirty_tree]: 4 changed files are not in the base commit main@3333333
  found        src/parse.ts, src/weeks.ts, 2 more  (git status)
  next         commit or stash them, or  --include-changes   or  --base HEAD (work without them)
`);
  expect(client.calls).toEqual([]);
});

test('--include-changes takes a snapshot along, --base HEAD works without them', async () => {
  const checkout = { dirty: ['a'] };
  const included = scriptedClient([]);
  await typed([...run, '-d', '--include-changes'], { client: included, checkout });
  expect(started(included).definition.source).toMatchObject({
    base: commit('5'),
    includeChanges: true,
  });
  const without = scriptedClient([]);
  await typed([...run, '-d', '--base', 'HEAD'], { client: without, checkout });
  expect(started(without).definition.source).toMatchObject({
    base: commit('3'),
    includeChanges: false,
  });
});

test('no git is refused word for word, and --isolation none is said loudly (UX 4.4-9)', async () => {
  const checkout = { git: false } as const;
  const { err } = await typed(run, { client: scriptedClient([]), checkout });
  expect(err).toBe(`error[not_git]: /home/me/dates is not a git repository
  so           there would be no branch, no undo and no drift check
  next         git init && git add -A && git commit -m start   or  --isolation none
`);
  const client = scriptedClient([]);
  const io = scriptedIo({ isTerminal: true });
  io.onSleep(() =>
    client.change({ ...complete, phase: null, execution: null, branch: null, base: null }),
  );
  await typed([...run, '--isolation', 'none'], { client, io, checkout });
  expect(io.written()).toContain('no git: no branch, no drift check, no undo');
});

test.each([
  [['run', '-c', 'x', '--agent-cmd', 'a'], 'goal_missing'],
  [['run', goal, '-c', 'x'], 'agent_missing'],
  [['run', goal, '-c', 'x', '-a', 'nobody'], 'agent_missing'],
  [[...run, '-n', '0', '--max-time', '0s'], 'endless'],
  [[...run, '--plan'], 'not_supported'],
  [[...run, '--oracle', 'fine'], 'verifier_missing'],
])('%j is refused with %s before anything is started', async (line, code) => {
  const { exit, err, client } = await typed(line, { client: scriptedClient([]) });
  expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
  expect(err).toContain(`error[${code}]`);
});

test('a brake that cannot be is named by its own flag', async () => {
  const { err } = await typed([...run, '-n', '0'], { client: scriptedClient([]) });
  expect(err).toMatch(/^error\[bad_value\] --attempts: /);
});

test('a repository without a commit is refused with what to type', async () => {
  const { err } = await typed(run, { client: scriptedClient([]), checkout: { head: null } });
  expect(err).toContain('error[no_commit]');
});

test('a bare repository without a commit is told to push one, not to add files', async () => {
  const checkout = { head: null, bare: true };
  const { err } = await typed(run, { client: scriptedClient([]), checkout });
  expect(err).toContain('next         push a first commit to it');
  expect(err).not.toContain('git add');
});

test('without a check a human decides, and the header says so', async () => {
  const client = scriptedClient([]);
  const io = scriptedIo({ isTerminal: true, answers: [''] });
  io.onSleep(() => client.change({ ...complete, phase: null, execution: null }));
  await typed(['run', goal, '--agent-cmd', 'a'], { client, io });
  expect(io.written()).toContain('no check: a human looks at the result before it counts as done');
});

test.each([
  ['verified', complete, 0],
  ['overridden', { ...complete, verification: 'overridden' }, 5],
  ['cancelled', { status: 'cancelled', cancelCause: 'cancelled' }, 1],
  ['refused', { status: 'cancelled', cancelCause: 'refused' }, 2],
  [
    'parked',
    { status: 'needs_operator', disposition: 'escalated', reason: 'attempts_exhausted' },
    3,
  ],
  ['paused', { status: 'paused' }, 4],
] as const)(
  'a run that ends %s gives its own exit code (UX 2.3, L-O1, L-O2, L-O6, L-A26)',
  async (_, change, code) => {
    for (const line of [run, [...run, '--json']]) {
      expect((await typed(line, ending(change))).exit).toBe(code);
    }
  },
);

test('a limit with --on-limit stop is 75, and waits otherwise', async () => {
  const change = { status: 'paused', resumesAt: at(9000) } as const;
  expect((await typed([...run, '--on-limit', 'stop'], ending(change))).exit).toBe(75);
  expect((await typed(run, ending(change))).exit).toBe(4);
});

test('--json is NDJSON of events, and the run last; nothing else reaches stdout (L-I7, L-I11)', async () => {
  const { client, io } = ending(complete, 3);
  client.emit(at(53), { at: at(53), type: 'hint.added', text: digest('h'), by: 'me' });
  const { out } = await typed([...run, '--json'], { client, io });
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({
    schema: 'pawl.event/1',
    seq: 1,
    type: 'hint.added',
    at: '2026-03-04T22:10:57.000Z',
    data: { by: 'me' },
  });
  expect(lines.at(-1)).toMatchObject({
    schema: 'pawl.run/1',
    status: 'complete',
    receipt: digest('c'),
    next: expect.any(Array),
  });
  expect(lines).toHaveLength(2);
});

test('Ctrl-C pauses, a second one ends the lane, a third leaves; the words are those of UX 3.2', async () => {
  const client = scriptedClient([]);
  const io = scriptedIo();
  io.onSleep((sleeps) => {
    if (sleeps === 2) io.signal('SIGINT');
  });
  const { exit, out, err } = await typed(run, { client, io });
  expect(exit).toBe(130);
  expect(err).toContain(
    'Pausing: asking my-agent to stop (10s). Ctrl-C again ends it now; the work is kept either way.',
  );
  expect(out).toContain('paused · pawl resume 7k2m');
  expect(client.calls.filter(({ verb }) => verb === 'pause')).toHaveLength(1);
});

test('three Ctrl-C leave at once even when nothing pauses', async () => {
  const client: ScriptedClient = {
    ...scriptedClient([]),
    pause: async (id) => client.find({ text: id, project: null }),
  };
  const io = scriptedIo();
  io.onSleep((sleeps) => {
    if (sleeps < 4) io.signal('SIGINT');
  });
  const { exit, out } = await typed(run, { client, io });
  expect(exit).toBe(130);
  expect(out).toContain('left at once');
});

test('SIGTERM pauses and is 143; a closed terminal leaves the run alone (UX 3.2)', async () => {
  const terminated = scriptedIo();
  terminated.onSleep((sleeps) => sleeps === 1 && terminated.signal('SIGTERM'));
  expect((await typed(run, { client: scriptedClient([]), io: terminated })).exit).toBe(143);
  const hung = scriptedIo();
  hung.onSleep((sleeps) => sleeps === 1 && hung.signal('SIGHUP'));
  const { exit, client } = await typed(run, { client: scriptedClient([]), io: hung });
  expect(exit).toBe(0);
  expect(client.calls.map(({ verb }) => verb)).not.toContain('pause');
});

test('SIGTERM ends a watch and not the run that somebody else started; Ctrl-C pauses (UX 3.2)', async () => {
  for (const [signal, code, pauses] of [
    ['SIGTERM', 143, false],
    ['SIGHUP', 0, false],
    ['SIGINT', 130, true],
  ] as const) {
    const io = scriptedIo();
    io.onSleep((sleeps) => sleeps === 1 && io.signal(signal));
    const client = scriptedClient([exampleView()]);
    const { exit, out } = await typed(['watch', '7k2m'], { client, io });
    expect({ signal, exit }).toEqual({ signal, exit: code });
    expect(client.calls.some(({ verb }) => verb === 'pause')).toBe(pauses);
    if (signal === 'SIGTERM') expect(out).toContain('the run goes on · pawl watch 7k2m');
  }
});

test('wait names a result that a human has put in place of a verified one', async () => {
  const view = exampleView({ status: 'complete', phase: null, verification: 'overridden' });
  const { exit, out } = await typed(['wait', '7k2m'], { client: scriptedClient([view]) });
  expect(exit).toBe(5);
  expect(out).toContain('complete (overridden, not verified)');
});

test('without init the same facts are printed, agents too (UX 1.2)', async () => {
  const machine = { project: dates, agents: [['claude', '2.1.332', 'yes'] as const] };
  const { out } = await typed(['run', goal, '--agent-cmd', 'x', '-y', '-d'], {
    client: scriptedClient([]),
    machine,
  });
  expect(out).toContain('agents found     claude 2.1.332 (logged in: yes)');
});

test('a closed pipe detaches quietly and pauses nothing (L-M4)', async () => {
  const io = scriptedIo();
  const client = scriptedClient([]);
  io.onSleep((sleeps) => {
    if (sleeps !== 1) return;
    io.closeStdout();
    client.emit(at(53), { at: at(53), type: 'hint.added', text: digest('h'), by: 'me' });
  });
  const { exit, err } = await typed(run, { client, io });
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(client.calls.map(({ verb }) => verb)).not.toContain('pause');
});

test('a silent run beats in a pipe, and not with --heartbeat off', async () => {
  const beating = ending(complete, 60);
  const { out } = await typed([...run, '--heartbeat', '2s'], beating);
  expect(out).toMatch(/7k2m beat {6}attempt=2 phase=executing liveness=working_tool/);
  expect((await typed([...run, '--heartbeat', 'off'], ending(complete, 60))).out).not.toContain(
    ' beat ',
  );
});

test('watch --timeout is 124 and the run goes on', async () => {
  const { exit, out } = await typed(['watch', '7k2m', '--timeout', '1s']);
  expect(exit).toBe(124);
  expect(out).toContain('the run goes on · pawl watch 7k2m');
});

test('a terminal is drawn in place and given back: cursor shown, block gone (L-M1)', async () => {
  const client = scriptedClient([exampleView()]);
  const io = scriptedIo({ isTerminal: true });
  io.onSleep(
    (sleeps) => sleeps === 3 && client.change({ ...complete, phase: null, execution: null }),
  );
  await typed(['watch', '7k2m'], { client, io });
  const out = io.written();
  expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
  expect(out).not.toContain('\u001b[?1049h');
  expect(out).toContain('✓');
});

test('the terminal is given back when the view breaks', async () => {
  const client: ScriptedClient = {
    ...scriptedClient([exampleView()]),
    log: async () => Promise.reject(new TypeError('broken on purpose')),
  };
  const io = scriptedIo({ isTerminal: true });
  let looks = 0;
  client.events = async () => {
    looks += 1;
    if (looks > 2) throw new TypeError('broken on purpose');
    return [];
  };
  client.log = async () => ({ lines: [], ended: false });
  const { exit } = await typed(['watch', '7k2m'], { client, io });
  expect(exit).toBe(70);
  const out = io.written();
  expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
});

test('a refusal before anything was spent is told as one, word for word (UX 4.4-4)', async () => {
  const setup = { command: 'npm ci', from: 'package-lock.json' };
  const machine = { project: { setup } };
  const likely = '(likely: no setup command, so no dependencies there)';
  const summary = `"npm test" cannot run on 3333333: exit 127: sh: vitest: not found ${likely}`;
  const refused = () =>
    ending({
      status: 'cancelled',
      cancelCause: 'refused',
      baseline: { outcome: 'unrunnable', summary, receipt: null },
    });
  const none = [...run, '--setup', 'none'];
  const { exit, out } = await typed(none, { ...refused(), machine });
  const cloned = await typed(none, { ...refused(), machine, called: 'npx pawl' });
  expect(cloned.out).toContain(';   npx pawl checks --setup "npm ci" --run  tries it');
  expect(exit).toBe(2);
  expect(
    out,
  ).toContain(`error[check_unrunnable]: "npm test" cannot run in a clean checkout of main@3333333
  found        exit 127: sh: vitest: not found     (likely: no setup command, so no dependencies there)
  next         --setup "npm ci"  (found: package-lock.json);   pawl checks --setup "npm ci" --run  tries it`);
});

const green = { type: 'baseline.recorded', outcome: 'green', summary: '', receipt: null } as const;

test('checks that pass already are warned of, in a pipe and on a terminal (UX 1.4, 4.4-3)', async () => {
  const text = `warning[check_green]: "npm test" already passes on main@3333333
  so           it guards against breaking things, but cannot prove this goal; a manual look is added at the end
  next         add a check that fails now (--check …)   or  --baseline green-ok   or  criteria[].redFirst
`;
  const piped = ending(complete, 3);
  piped.client.emit(at(53), { at: at(53), ...green });
  expect((await typed(run, piped)).err).toContain(text);

  const client = scriptedClient([]);
  const io = scriptedIo({ isTerminal: true, columns: 160 });
  io.onSleep((sleeps) => {
    if (sleeps === 2) client.change({ phase: null, execution: null, ...complete });
  });
  client.emit(at(53), { at: at(53), ...green });
  const { out } = await typed(run, { client, io });
  expect(out).toContain('warning[check_green]: "npm test" already passes on main@3333333');
  expect(out).toContain('or  --baseline green-ok   or  criteria[].redFirst');

  const json = ending(complete, 3);
  json.client.emit(at(53), { at: at(53), ...green });
  const lines = (await typed([...run, '--json'], json)).out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).filter(({ code }) => code !== undefined)).toEqual([
    expect.objectContaining({
      schema: 'pawl.warning/1',
      code: 'check_green',
      what: '"npm test" already passes on main@3333333',
      so: expect.stringContaining('cannot prove this goal'),
    }),
  ]);

  const told = ending(complete, 3);
  told.client.emit(at(53), { at: at(53), ...green });
  const { err } = await typed([...run, '--baseline', 'green-ok'], told);
  expect(err).not.toContain('check_green');
});

test('what is said on a terminal before the run is said in a pipe too (UX 1.5)', async () => {
  const checkout = { upstream: { name: 'origin/main', ahead: 0, behind: 1 } };
  const behind = 'note: main is 1 commit behind origin/main (nothing was fetched)';
  expect((await typed(run, { ...ending(complete), checkout })).err).toContain(behind);
  const detached = await typed([...run, '-d'], { client: scriptedClient([]), checkout });
  expect(detached.out).toContain('note      main is 1 commit behind origin/main');
  const without = ending(complete, 3);
  const { err } = await typed([...run, '--isolation', 'none'], {
    ...without,
    checkout: { git: false },
  });
  expect(err).toContain('note: no git: no branch, no drift check, no undo');
});

test('a check that does not end by itself gets the advice for that, not one about setup (L-D15)', async () => {
  const summary = '"npm test" cannot run on 3333333: deadline: no end within 5.0s';
  const baseline = { outcome: 'unrunnable', summary, receipt: null } as const;
  const { client, io } = ending({ status: 'cancelled', cancelCause: 'refused', baseline });
  const { out } = await typed(run, { client, io });
  expect(out).toContain('next         the form that ends by itself (no watch mode)');
  expect(out).not.toContain('npm ci');
});

test('wait answers with the most urgent end, or 124', async () => {
  expect((await typed(['wait', '7k2m', '--timeout', '1s'])).exit).toBe(124);
  const parked = scriptedClient([
    exampleView({ status: 'needs_operator', phase: null, reason: 'cost' }),
  ]);
  expect((await typed(['wait', '7k2m'], { client: parked })).exit).toBe(3);
});

test('--dry-run prints the definition and starts a run without its agent (XP-41)', async () => {
  const { client, io } = ending({ status: 'cancelled', cancelCause: 'dry_run', dryRun: true });
  const { exit, out } = await typed([...run, '--dry-run'], { client, io });
  expect(exit).toBe(0);
  expect(out).toContain('"name": "make-the-failing-date-tests-pass"');
  expect(out).toContain('my-agent');
  expect(out).toContain('– dry run    ');
  expect(out).toContain('not run    npm test · no agent, no model');
  const { definition } = started(client);
  expect(definition).toMatchObject({ dryRun: true, roles: { execute: { agent: 'scripted' } } });
  expect(JSON.stringify(definition)).not.toContain('my-agent');
});

test('to others that wait for it a dry run was not verified; nothing goes on from it', async () => {
  const view = exampleView({
    status: 'cancelled',
    phase: null,
    cancelCause: 'dry_run',
    dryRun: true,
  });
  const waited = await typed(['wait', '7k2m'], { client: scriptedClient([view]) });
  expect([waited.exit, waited.out]).toEqual([1, expect.stringContaining('nothing was verified')]);
  expect((await typed(['watch', '7k2m'], { client: scriptedClient([view]) })).exit).toBe(1);
  const retried = await typed(['retry', '7k2m'], { client: scriptedClient([view]) });
  expect([retried.exit, retried.err]).toEqual([2, expect.stringContaining('was a dry run')]);
});

test('retry starts from the old definition, overridden by flags', async () => {
  const view = exampleView({ status: 'cancelled', phase: null });
  const client = scriptedClient([view]);
  client.define(
    exampleDefinition({
      roles: {
        execute: { profile: 'fixer', agent: 'old', command: ['old'], model: null, args: [] },
        verify: null,
      },
    }),
  );
  await typed(['retry', '7k2m', '-c', 'other', '-d'], { client });
  const request = client.calls[0]?.details[0];
  expect(request).toMatchObject({
    from: 'last',
    definition: {
      intent: { originalIntent: goal },
      criteria: [{ command: 'other' }],
      brakes: { costUsd: 20 },
      roles: { execute: { command: ['old'] } },
    },
  });
});
