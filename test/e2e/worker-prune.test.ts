/**
 * Goal: a worker does not keep for ever what it keeps of runs that are over, and keeps all of a run
 * that waits for a human, however long.
 * Method: the built program as real processes; a run that completes and one that is parked, then
 * server and worker started again with clocks that are fifteen days on.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { type ClockedPrograms, clockedPrograms, setClock } from '../support/clocked-programs.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { serve } from '../support/served.ts';

const fifteenDays = 15 * 24 * 3_600_000;

let programs: ClockedPrograms;
let own: Pawl;
let other: Pawl;
let address: string | null = null;

beforeAll(() => {
  programs = clockedPrograms();
  own = pawl({ program: programs.program });
  other = pawl({ program: programs.program });
});
afterAll(async () => {
  await other.close();
  await own.close();
  programs.remove();
}, 60_000);

async function onStage(
  workerLine: (url: string) => Promise<readonly string[]>,
  act: (url: string, said: () => string) => Promise<void>,
): Promise<void> {
  // The worker belongs to the server of this address.
  const server = await serve(own, ['--elsewhere'], address === null ? {} : { listen: address });
  address = new URL(server.url).host;
  const worker = other.start(await workerLine(server.url), { timeoutMs: 300_000 });
  let said = '';
  for (const stream of [worker.child.stdout, worker.child.stderr]) {
    stream?.on('data', (text: string) => {
      said += text;
    });
  }
  try {
    await act(server.url, () => said);
  } finally {
    worker.child.kill('SIGTERM');
    await worker.finished;
    server.started.child.kill('SIGTERM');
    await server.started.finished;
  }
}

test('a worker removes what is left of a run that is over; of a parked one it keeps all', async () => {
  const work = project(own.root);
  const typed = (url: string, line: readonly string[]) =>
    own.run(line, { cwd: work.directory, env: { PAWL_SERVER: url } });
  const kept = (folder: string) => {
    const all = readdirSync(join(other.home, 'worker', folder), { recursive: true });
    return all.map(String).filter((path) => !path.includes('node_modules'));
  };
  const ids: string[] = [];
  const enrolled = async (url: string) => {
    const answer = await own.onTerminal(['worker', 'enroll', '--json']);
    const { code } = answer.json() as { readonly code: string };
    return ['worker', '--server', url, '--code', code];
  };
  await onStage(enrolled, async (url) => {
    const ran = await typed(url, [...work.run, '--name', 'over']);
    expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
    const parked = await typed(url, [...work.run, '--name', 'parked', '--attempts', '1']);
    expect(parked.exit, parked.stdout + parked.stderr).not.toBe(0);
    for (const [name, status] of [
      ['over', 'complete'],
      ['parked', 'needs_operator'],
    ] as const) {
      const shown = (await typed(url, ['show', name, '--json'])).json();
      expect(shown).toMatchObject({ status });
      ids.push(String(shown['id']));
    }
  });
  const [over = '', parked = ''] = ids;
  const spools = () => kept('spool').filter((path) => /^[a-z0-9]+\.\d+$/.test(path));
  expect(spools().some((path) => path.startsWith(over))).toBe(true);
  for (const { root } of [own, other]) setClock(root, { wallMs: fifteenDays });
  const again = async (url: string) => ['worker', '--server', url];
  await onStage(again, async (_url, said) => {
    expect(await until(() => said().includes(`left of ${over}`), 60_000), said()).toBe(true);
    expect(said()).toContain(`removed what was left of ${over}: it ended 15 days ago`);
    expect(said()).not.toContain(parked);
  });
  const trees = kept('worktrees').filter((path) => path.endsWith('.tree.json'));
  expect(trees.map((path) => /(over|parked)/.exec(path)?.[0])).toEqual(['parked']);
  expect(spools().filter((path) => path.startsWith(over))).toEqual([]);
  expect(spools().filter((path) => path.startsWith(parked))).not.toEqual([]);
  expect(readdirSync(join(other.home, 'worker', 'mirrors'))).toHaveLength(1);
}, 240_000);
