/** Goal: doctor says what is wrong and what to do, calls nothing ok that it did not see (L-O7). */
import { expect, test } from 'vitest';
import { exampleCall } from '../../test/support/example-call.ts';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import type { Delivery } from '../ports/notifier.ts';
import type { ExecutionId } from '../ports/words.ts';

const ok = (id: string, detail: string): HealthCheck => ({ id, state: 'ok', detail, next: null });

function health(more: Partial<Health> = {}, delivery?: Delivery): Health {
  return {
    machine: async () => [ok('machine.node', 'node 22.13.1'), ok('machine.git', 'git 2.43')],
    store: async () => [ok('store.place', '/state (ext4)')],
    marked: async () => [],
    notifier: () => ({
      label: ({ kind }) => kind,
      deliver: async () => delivery ?? { state: 'delivered', detail: 'shown' },
    }),
    ...more,
  };
}
const pawlYaml = (text: string) => scriptedIo({ files: { '/home/me/dates/pawl.yaml': text } });
const good = 'agent: claude\ncheck: npm test\nprotected: [test/**]\nnotify: { to: [desktop] }\n';
const states = (out: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (JSON.parse(out) as { checks: HealthCheck[] }).checks.map(({ id, state }) => [id, state]),
  );

test('what is fine shares a line, what is not tells what to do (UX 5.4)', async () => {
  const { out, exit } = await typed(['doctor'], { health: health(), client: scriptedClient([]) });
  expect(exit).toBe(0);
  expect(out).toContain('machine    ✓ node 22.13.1   ✓ git 2.43\n');
  expect(out).toContain('! no pawl.yaml here → pawl init');
  expect(out).toContain('! protected is empty: tests may be edited to pass');
  expect(out).toMatch(/\d+ notes, 0 problems\n$/);
});

test('a good project has its file, its protected paths and a test message', async () => {
  const client = scriptedClient([]);
  const machine = { agents: [['claude', '2.1.332', 'yes'] as const] };
  const { out, exit } = await typed(['doctor', '--json'], {
    health: health(),
    client,
    io: pawlYaml(good),
    machine,
  });
  expect(exit).toBe(0);
  expect(states(out)).toMatchObject({
    'project.file': 'ok',
    'project.protected': 'ok',
    // Named is not tried.
    'project.checks': 'unknown',
    'notify.0': 'ok',
    // Installed is not tried.
    'agents.claude': 'unknown',
  });
});

test('a login that nobody told is unknown (L-O7)', async () => {
  const { out } = await typed(['doctor', '--json'], {
    health: health(),
    client: scriptedClient([]),
    machine: {
      agents: [
        ['codex', '0.171.0', 'unknown'],
        ['claude', null as never, 'yes'],
      ],
    },
  });
  expect(states(out)).toMatchObject({ 'agents.codex': 'unknown', 'agents.claude': 'unknown' });
});

test('what this shell has does not tell what the driver has (L-H9)', async () => {
  const hook = 'notify: { to: [{ webhook: "https://a.example/x", secret: "env:HOOK_KEY" }] }\n';
  const { out } = await typed(['doctor', '--json'], {
    health: health(),
    client: scriptedClient([]),
    io: pawlYaml(hook),
  });
  expect(states(out)).toMatchObject({ 'notify.0': 'unknown' });
  expect(out).toContain('the driver may lack HOOK_KEY');
  expect(out).toContain('start the driver where HOOK_KEY is set, or use file: or command:');
});

test('a message that does not arrive is a fault (L-H9)', async () => {
  const { out, exit } = await typed(['doctor'], {
    health: health({}, { state: 'not_delivered', detail: 'no display' }),
    client: scriptedClient([]),
    io: pawlYaml(good),
  });
  expect(exit).toBe(1);
  expect(out).toContain('✗ desktop: not delivered: no display');
});

test('a file that is wrong is a fault that names its place', async () => {
  const { out, exit } = await typed(['doctor'], {
    health: health(),
    client: scriptedClient([]),
    io: pawlYaml('brakes: { maxAttempts: 3 }'),
  });
  expect(exit).toBe(1);
  expect(out).toContain('✗ 1 problem: pawl.yaml:1:11 "maxAttempts" is not a key of brakes');
});

test('a process of an execution that is over is named; another store is not judged', async () => {
  const view = exampleView({ status: 'complete', phase: null, execution: null });
  const marked = async () => [
    { pid: 77, execution: `${view.id}.1` as ExecutionId },
    { pid: 78, execution: 'elsewhere.1' as ExecutionId },
  ];
  const client = scriptedClient([view]);
  const { out } = await typed(['doctor'], { health: health({ marked }), client });
  expect(out).toContain(`! 1 process of ended executions: 77 (${view.id}.1)`);
  // A lane that waits for leave lives, and is nobody's orphan.
  const call = exampleCall('7k2mab34cd56.a1');
  const asking = exampleView({ status: 'waiting_human', phase: null, gate: call });
  const lane = async () => [{ pid: 79, execution: call.execution }];
  const waits = { health: health({ marked: lane }), client: scriptedClient([asking]) };
  expect(states((await typed(['doctor', '--json'], waits)).out)['driver.orphans']).toBe('ok');
  const told = await typed(['doctor', '--json'], {
    health: health({ marked: async () => null }),
    client: scriptedClient([]),
  });
  expect(states(told.out)['driver.orphans']).toBe('unknown');
});

test('--strict fails with a warning, --fix takes what can be taken back', async () => {
  let closed = 0;
  const open: HealthCheck = {
    id: 'store.private',
    state: 'fail',
    detail: 'others may read it (0755)',
    next: 'chmod 700 /state',
    fix: {
      says: 'chmod 700 /state',
      run: async () => {
        closed += 1;
      },
    },
  };
  const client = scriptedClient([]);
  const script = { health: health({ store: async () => [open] }), client };
  expect((await typed(['doctor'], script)).exit).toBe(1);
  expect(closed).toBe(0);
  const { out, exit } = await typed(['doctor', '--fix'], script);
  expect([exit, closed]).toEqual([0, 1]);
  expect(out).toContain('fixed      chmod 700 /state');
  expect((await typed(['doctor', '--fix', '--strict'], script)).exit).toBe(1);
});

test('work without a driver is a fault, and --fix starts one', async () => {
  const client = scriptedClient([exampleView({ status: 'active' })]);
  const script = { health: health(), client: { ...client, drivers: async () => [] } };
  expect((await typed(['doctor'], script)).out).toContain(
    '✗ no driver: work is ready and no process does it → pawl service start',
  );
  await typed(['doctor', '--fix'], script);
  expect(client.calls.map(({ verb }) => verb)).toContain('ensureDriver');
});

test('what cannot be asked is a line that fails, said once, and the page stands (UX 5.4)', async () => {
  const boom = new WorldError('git_failed', 'git rev-parse ended with 128', { found: 'boom' });
  const client = { ...scriptedClient([]), prunable: () => Promise.reject(boom) };
  const told = { health: health(), client, checkout: boom } as const;
  const { out, exit } = await typed(['doctor'], told);
  expect(exit).toBe(1);
  expect(out).toContain('✗ git rev-parse ended with 128: boom → ');
  expect(out.match(/boom/g)).toHaveLength(1);
  expect(out).toContain('chain verified');
  const json = await typed(['doctor', '--json'], told);
  expect(states(json.out)).toMatchObject({
    'machine.git': 'ok',
    'driver.seat': 'ok',
    'driver.leftovers': 'fail',
    'project.file': 'unknown',
    'notify.none': 'unknown',
  });
});

test('a store that does not open hides nothing of the machine and the project', async () => {
  const shut = new WorldError('store_unusable', 'the store cannot be opened');
  const reject = () => Promise.reject(shut);
  const client = { ...scriptedClient([]), audit: reject, list: reject, prunable: reject };
  const { out, exit } = await typed(['doctor', '--json'], {
    ...{ health: health(), client, io: pawlYaml(good) },
  });
  expect(exit).toBe(1);
  expect(states(out)).toMatchObject({
    'store.chain': 'fail',
    'store.clock': 'unknown',
    'driver.seat': 'unknown',
    'project.file': 'ok',
    'notify.0': 'ok',
  });
});

test('what is no error of ours is a bug, not a line', async () => {
  const client = { ...scriptedClient([]), audit: () => Promise.reject(new TypeError('a bug')) };
  expect((await typed(['doctor'], { health: health(), client })).exit).toBe(70);
});

test('settings that are not valid tell nothing of notices (L-O7)', async () => {
  const io = pawlYaml('agent: [\n');
  const { out } = await typed(['doctor', '--json'], { health: health(), io });
  expect(states(out)).toMatchObject({ 'project.file': 'fail', 'notify.config': 'unknown' });
});
