/**
 * Goal: what a lane said before it was lost can be read when its spool is gone, fetched by its
 * digest, and is watched over by the audit (RR-31, RR-32).
 * Method: the built program; an agent that speaks and dies; its spool is deleted.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installAgent, installedName } from '../support/installed-agent.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { watchedProject } from '../support/watched-project.ts';

let own: Pawl;
beforeEach(() => {
  own = pawl();
});
afterEach(() => own.close());

interface Told {
  readonly artifact: string | null;
  readonly evidence: { readonly printed: readonly string[] };
}

test('the page of a parked run outlives the log of its lane (RR-31, RR-32)', async () => {
  const work = watchedProject(own.root);
  const [agent, file] = [join(own.root, 'agent.sh'), join(work.directory, 'pawl.yaml')];
  writeFileSync(agent, 'echo reading answer.txt\necho "my last words"\nkill -9 $$\n');
  writeFileSync(file, 'version: 1\nrecovery: { requeues: 0 }\n');
  const typed = (...line: readonly string[]) => own.run(line, { cwd: work.directory });
  const told = async (): Promise<Told> => {
    const shown = (await typed('show', 'one', '--json')).json();
    return (shown as { readonly escalation: Told }).escalation;
  };
  const agentFlag = ['--agent-cmd', `sh ${agent}`, '--check', 'node check.mjs'];
  await typed('run', 'find the answer', '--name', 'one', ...agentFlag, '-d');
  await typed('wait', 'one', '--timeout', '120s');
  let page = await told();
  // The driver keeps it just after the run was parked, so a first look may come too early.
  for (let looks = 0; looks < 60 && page.artifact === null; looks += 1) page = await told();
  const digest = page.artifact ?? '';
  expect(digest).toMatch(/^sha256:/);
  rmSync(join(own.home, 'spool'), { recursive: true });
  const after = await told();
  expect(after).toEqual(page);
  expect(after.evidence.printed).toContain('my last words');
  expect((await typed('show', 'one')).stdout).toContain('my last words');
  const kept = JSON.parse((await typed('artifact', 'get', digest)).stdout);
  expect(kept).toMatchObject({ schema: 'pawl.escalation/1', reason: 'recovery_exhausted' });
  expect((await typed('audit', 'verify')).exit).toBe(0);
  writeFileSync(fileOf(digest), 'x');
  const audited = await typed('audit', 'verify');
  expect(audited.exit).toBe(1);
  expect(audited.stdout + audited.stderr).toContain(`the bytes of escalation, ${digest}`);
});

test('a page names another agent where its lanes would find one, whoever looks (RR-32, RR-34)', async () => {
  const work = watchedProject(own.root);
  const bin = join(own.root, 'bin');
  const env = { PATH: `${bin}:${own.env['PATH']}` };
  const typed = (...line: readonly string[]) => own.run(line, { cwd: work.directory });
  const agentFlag = ['--agent-cmd', 'true', '--check', 'node check.mjs', '-n', '1'];
  const begun = ['run', 'find the answer', '--name', 'one', ...agentFlag, '-d'];
  expect((await own.run(begun, { cwd: work.directory, env })).exit).toBe(0);
  await typed('wait', 'one', '--timeout', '120s');
  const named = /retry \S+ --agent (\S+)/;
  const page = async () => named.exec((await typed('show', 'one')).stdout)?.[1];
  // It is not there, or not logged in.
  expect(await page()).not.toBe(installedName);
  installAgent(own, bin);
  // The reader's own PATH does not lead there, and the driver's need not.
  expect(await page()).toBe(installedName);
  const again = ['resume', 'one', '--attempts', '+1'];
  expect((await own.onTerminal(again, { cwd: work.directory })).exit).not.toBe(2);
  await typed('wait', 'one', '--timeout', '120s');
  type Shown = { readonly escalation: Told & { readonly options: readonly object[] } };
  const shown = async () => ((await typed('show', 'one', '--json')).json() as Shown).escalation;
  let told = await shown();
  for (let looks = 0; looks < 60 && told.artifact === null; looks += 1) told = await shown();
  const kept = JSON.parse((await typed('artifact', 'get', told.artifact ?? '')).stdout);
  expect(JSON.stringify(kept.options)).toMatch(named);
  expect(kept.options).toEqual(told.options);
});

/** Wherever the store keeps it. */
function fileOf(digest: string): string {
  const folder = join(own.home, 'artifacts');
  const hex = digest.slice('sha256:'.length);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = names.find((name) => name.replaceAll('/', '').includes(hex));
  if (found === undefined) throw new Error(`${digest} is no file`);
  return join(folder, found);
}
