/**
 * Goal: a lane that asks for leave waits for a human and for nothing else, is told once what he
 * says, and its run goes on; whoever dies meanwhile. Method: the built program, real processes and
 * an agent that asks over ACP; drivers and hosts are killed while it waits.
 */
import { afterAll, expect, test } from 'vitest';
import { askingAgent } from '../support/asking-agent.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { isAlive, signal, until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';

const opened: Pawl[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});

async function asking(more: Parameters<typeof askingAgent>[1] = {}, settings = '') {
  const own = pawl();
  opened.push(own);
  const agent = askingAgent(own.root, more);
  const fixture = r0Plain(own.root);
  if (settings !== '') fixture.write('pawl.yaml', settings);
  const env = { PATH: `${agent.folder}:${own.env['PATH']}` };
  const options = { cwd: fixture.root, env };
  const run = (...words: readonly string[]) => own.run(words, options);
  const shown = async () => (await run('show', 'one', '--json')).json();
  const flags = ['--agent', 'qwen', '--permissions', 'ask', '--check', 'test -f answer'];
  const line = ['run', 'Push', '--name', 'one', ...flags, '--attempts', '1', '--detach'];
  const started = await run(...line, '--base', 'HEAD');
  expect(started.exit, started.stderr).toBe(0);
  /** The process of that name; `ends` it as a crash would. */
  const kill = async (what: RegExp) => {
    const found = own.processes().filter(({ command }) => what.test(command));
    expect(found.length, String(what)).toBeGreaterThan(0);
    for (const one of found) signal(one, 'SIGKILL');
    expect(await until(() => !found.some(isAlive), 10_000)).toBe(true);
  };
  const waitsWith = async (approval: string) => {
    const end = performance.now() + 60_000;
    let id: string | undefined;
    while (id?.endsWith(approval) !== true && performance.now() < end) {
      id = ((await shown())['approval'] as { readonly id: string } | undefined)?.id;
    }
    expect(id, agent.log().join()).toMatch(new RegExp(`\\${approval}$`));
  };
  const onTerminal = (...words: readonly string[]) => own.onTerminal(words, options);
  const ended = async () => (await run('wait', 'one', '--timeout', '60s', '--json')).json();
  return { own, agent, run, shown, kill, waitsWith, onTerminal, ended };
}

const told = (log: readonly string[]) => log.map((line) => line.split(' ')[0]);

test('it waits for a human through the death of the driver, and is told once (L-H5, L-D19)', async () => {
  const it = await asking();
  await it.waitsWith('.a1');
  // Nobody but a human may: this is a pipe.
  const refused = await it.run('approve', 'one', '--yes');
  expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('human_required')]);
  await it.kill(/driver\.js/);
  expect(told(it.agent.log())).toEqual(['asked']);
  const page = (await it.run('show', 'one')).stdout;
  expect(page).toMatch(/\? approval \w+\.a1 · one .* qwen wants to call a tool/);
  expect(page).toContain('git push origin');
  const approved = await it.onTerminal('approve', 'one', '--yes');
  expect(approved.stdout).toContain('approved once; the agent goes on');
  expect(await it.ended()).toMatchObject({ runs: [{ status: 'complete' }] });
  expect(told(it.agent.log())).toEqual(['asked', 'allow']);
}, 120_000);

test('a lane that dies while it waits is asked for anew; a refusal reaches it (L-H15)', async () => {
  const it = await asking();
  await it.waitsWith('.a1');
  await it.kill(/lane-host/);
  await it.waitsWith('.a2');
  const late = await it.onTerminal('approve', 'one.a1', '--yes');
  expect(late.stdout).toMatch(/void: the lane died; the new request is \w+\.a2/);
  const rejected = await it.onTerminal('reject', 'one', '--note', 'not from here');
  expect(rejected.stdout).toContain('rejected; the agent is refused');
  expect(await it.ended()).toMatchObject({ runs: [{ status: 'needs_operator' }] });
  expect(told(it.agent.log())).toEqual(['asked', 'asked', 'deny']);
}, 120_000);

test('who was allowed and died is not asked about again; what nobody answers is refused', async () => {
  const it = await asking({ diesAfterFirstYes: true });
  await it.waitsWith('.a1');
  await it.onTerminal('approve', 'one', '--yes');
  expect(await it.ended()).toMatchObject({ runs: [{ status: 'complete' }] });
  expect(told(it.agent.log())).toEqual(['asked', 'allow', 'asked', 'allow']);

  const settings = 'version: 1\napprovals: { expire: 1s }\n';
  const silent = await asking({}, settings);
  expect(await until(() => told(silent.agent.log()).includes('deny'), 60_000)).toBe(true);
  expect(await silent.ended()).toMatchObject({ runs: [{ status: 'needs_operator' }] });
  expect(told(silent.agent.log())).toEqual(['asked', 'deny']);
  const late = await silent.onTerminal('approve', 'one.a1', '--yes');
  expect(late.stdout).toMatch(/a1 expired at .* the call was refused and the agent was told/);
}, 180_000);
